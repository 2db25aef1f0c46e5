#include "ui/pages/tables/reproduce_dialog.h"

#include <QComboBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "core/report/report.h"
#include "core/reproduce/plan_here.h"
#include "ui/base/font_units.h"
#include "ui/base/phrase_words.h"
#include "ui/charts/csv_figure.h"
#include "ui/charts/curve_chart.h"
#include "ui/models/reproduction_plan_model.h"
#include "ui/pages/tables/table_preview.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/row_table.h"

namespace cospadi::ui {

namespace {

QString wordsOf(const std::string& text) { return QString::fromStdString(text); }

void addSize(QComboBox& sizes, ProtocolSize size, const QString& words, const QString& about) {
    sizes.addItem(words, static_cast<int>(size));
    sizes.setItemData(sizes.count() - 1, about, Qt::ToolTipRole);
}

}  // namespace

ReproduceDialog::ReproduceDialog(ReproductionWork* work, const QString& model,
                                 const QString& device, QWidget* parent)
    : QDialog(parent), m_work(work), m_device(device.isEmpty() ? QStringLiteral("cpu") : device) {
    setObjectName(QStringLiteral("reproduceDialog"));
    setWindowTitle(tr("Make from my runs"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(8);
    column->addWidget(makeFields());
    m_tabs = new QTabWidget;
    m_tabs->setObjectName(QStringLiteral("reproduceTabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(makeRuns(), tr("Runs"));
    column->addWidget(m_tabs, 1);
    m_progress = new QLabel;
    m_progress->setObjectName(QStringLiteral("muted"));
    m_start = new QPushButton;
    m_start->setObjectName(QStringLiteral("primary"));
    m_start->setAutoDefault(false);  // Return in a field is that field's
    auto* close = new QPushButton(tr("Close"));
    close->setAutoDefault(false);
    close->setToolTip(tr("Closes the dialog, which can be opened again; running work continues"));
    auto* foot = new QHBoxLayout;
    foot->addWidget(m_progress, 1);
    foot->addWidget(m_start);
    foot->addWidget(close);
    column->addLayout(foot);
    connect(m_start, &QPushButton::clicked, this, &ReproduceDialog::startOrStop);
    connect(close, &QPushButton::clicked, this, &QWidget::close);
    const ReproductionQuestion& latest = work->question();
    m_model->setText(latest.label.isEmpty() ? model : latest.model);
    fillLabels();
    connectWork();
    resizeToWords(*this, 167, 40);
    if (latest.label.isEmpty()) {
        look();
    } else {
        choose(latest.label, latest.size);
    }
}

QWidget* ReproduceDialog::makeFields() {
    auto* fields = new QWidget;
    auto* form = new QFormLayout(fields);
    form->setContentsMargins(0, 0, 0, 0);
    m_label = new QComboBox;
    m_label->setObjectName(QStringLiteral("reproduceLabel"));
    m_label->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_label->setMinimumContentsLength(40);
    m_model = new QLineEdit;
    m_model->setObjectName(QStringLiteral("reproduceModel"));
    m_model->setPlaceholderText(tr("a path, or the word default"));
    m_size = new QComboBox;
    m_size->setObjectName(QStringLiteral("reproduceSize"));
    addSize(*m_size, ProtocolSize::Quick, tr("quick: few layers, short texts"),
            tr("For the default model: checks the whole process and the direction of errors; its "
               "numbers do not characterise the model"));
    addSize(*m_size, ProtocolSize::Overnight, tr("overnight: all layers, the program's own solver"),
            tr("For the default model: its numbers characterise the model, on 100 items per task; "
               "all labels together take a night on two cores"));
    addSize(*m_size, ProtocolSize::Full, tr("full: the paper's settings"),
            tr("All layers with the paper's solver, whole texts, all items: hours per run on two "
               "cores"));
    m_about = new QLabel;
    m_about->setObjectName(QStringLiteral("muted"));
    m_about->setWordWrap(true);
    form->addRow(tr("&Table or figure:"), m_label);
    form->addRow(tr("&Model:"), m_model);
    form->addRow(tr("&Size:"), m_size);
    form->addRow(m_about);
    connect(m_label, &QComboBox::currentIndexChanged, this, &ReproduceDialog::look);
    connect(m_model, &QLineEdit::editingFinished, this, &ReproduceDialog::look);
    connect(m_size, &QComboBox::currentIndexChanged, this, &ReproduceDialog::look);
    return fields;
}

QWidget* ReproduceDialog::makeRuns() {
    auto* page = new QWidget;
    m_plan = new ReproductionPlanModel(this);
    m_table = makeRowTable(QStringLiteral("reproduceRuns"), tr("The required runs"), m_plan);
    m_table->setTabKeyNavigation(false);
    fitColumns(*m_table, ReproductionPlanModel::RunColumn);
    m_cost = new QLabel;
    m_cost->setObjectName(QStringLiteral("reproduceCost"));
    m_cost->setWordWrap(true);
    m_cost->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_command = new QLineEdit;
    m_command->setObjectName(QStringLiteral("reproduceCommand"));
    m_command->setReadOnly(true);
    m_command->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    auto* label = new QLabel(tr("&As a command:"));
    label->setObjectName(QStringLiteral("muted"));
    label->setBuddy(m_command);
    auto* foot = new QHBoxLayout;
    foot->addWidget(label);
    foot->addWidget(m_command, 1);
    foot->addWidget(
        new CopyButton(tr("Copy the command line"), [this] { return m_command->text(); }));
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 8, 0, 0);
    column->addWidget(m_table, 1);
    column->addWidget(m_cost);
    column->addLayout(foot);
    return page;
}

void ReproduceDialog::fillLabels() {
    try {
        m_labels = paperLabels();
    } catch (const Error& error) {
        showProblem(error);
        return;
    }
    const QSignalBlocker quiet(m_label);
    auto* items = qobject_cast<QStandardItemModel*>(m_label->model());
    int first = -1;
    for (const Reproduction& entry : m_labels) {
        m_label->addItem(QStringLiteral("%1: %2").arg(wordsOf(entry.number), wordsOf(entry.shows)),
                         wordsOf(entry.name));
        const int row = m_label->count() - 1;
        m_label->setItemData(row,
                             wordsOf(entry.unavailable.empty() ? entry.label : entry.unavailable),
                             Qt::ToolTipRole);
        if (!entry.unavailable.empty() && items != nullptr) {
            items->item(row)->setEnabled(false);
        } else if (first < 0) {
            first = row;
        }
    }
    m_label->setCurrentIndex(first);
}

void ReproduceDialog::connectWork() {
    connect(m_work, &ReproductionWork::changed, this, &ReproduceDialog::showWork);
    connect(m_work, &ReproductionWork::progressed, this,
            [this](int run, const QString& stage, qint64 done, qint64 total) {
                const auto number = static_cast<std::size_t>(run);
                const bool isKnown =
                    question() == m_work->question() && number < m_plan->plan().runs.size();
                m_progress->setText(tr("Run %1%2: %3, %4 of %5")
                                        .arg(run + 1)
                                        .arg(isKnown ? QStringLiteral(", %1").arg(wordsOf(
                                                           m_plan->plan().runs[number].description))
                                                     : QString(),
                                             stage)
                                        .arg(done)
                                        .arg(total));
            });
    connect(m_work, &ReproductionWork::finished, this, [this](int holes) {
        m_progress->setText(holes == 0 ? tr("Done.")
                                       : tr("Done, with %n gap(s): Start retries what is missing.",
                                            nullptr, holes));
        look();
    });
    connect(m_work, &ReproductionWork::cancelled, this, [this] {
        m_progress->setText(tr("Stopped. Finished work is kept; Start continues with the rest."));
        look();
    });
    connect(m_work, &ReproductionWork::failed, this, [this](const EngineError& error) {
        m_progress->setText(QStringLiteral("%1 %2").arg(error.message, error.hint).trimmed());
        look();
    });
    showWork();
}

void ReproduceDialog::choose(const QString& label, ProtocolSize size) {
    {
        const QSignalBlocker quietLabel(m_label);
        const QSignalBlocker quietSize(m_size);
        m_label->setCurrentIndex(m_label->findData(label));
        m_size->setCurrentIndex(m_size->findData(static_cast<int>(size)));
    }
    look();
}

const Reproduction* ReproduceDialog::chosen() const {
    const int at = m_label->currentIndex();
    return at < 0 ? nullptr : &m_labels[static_cast<std::size_t>(at)];
}

ReproductionQuestion ReproduceDialog::question() const {
    return {m_label->currentData().toString(), m_model->text().trimmed(),
            static_cast<ProtocolSize>(m_size->currentData().toInt())};
}

void ReproduceDialog::look() {
    const Reproduction* entry = chosen();
    m_canStart = false;
    m_command->setText(reproduceCommand(question()));
    m_command->setCursorPosition(0);
    if (entry == nullptr) {
        showWork();
        return;
    }
    const Protocol& protocol = entry->protocol(question().size);
    QStringList about{tr("Measured for each run: %1.")
                          .arg(phraseWords(measuredPhrases(protocol)).join(QStringLiteral("; ")))};
    for (const std::string& sentence : protocol.differs) {
        about << wordsOf(sentence);
    }
    m_about->setText(protocol.sweep.grid.is_null() ? about.mid(1).join(' ') : about.join(' '));
    if (question().model.isEmpty() && !protocol.sweep.grid.is_null()) {
        showProblem(Error("no model is named", "", "write its path, or the word default"));
        return;
    }
    m_cost->setText(tr("Checking what is available …"));
    showWork();
    std::map<std::size_t, std::string> holes;
    if (question() == m_work->question()) {
        const QMap<int, QString> known = m_work->holes();
        for (auto hole = known.begin(); hole != known.end(); ++hole) {
            holes[static_cast<std::size_t>(hole.key())] = hole.value().toStdString();
        }
    }
    m_planning.ask([entry = *entry, asked = question(), device = m_device,
                    holes] { return plannedLabel(entry, asked.size, asked.model, device, holes); },
                   [this](const PlannedLabel& planned) { showPlanned(planned); },
                   [this](const Error& error) { showProblem(error); });
}

void ReproduceDialog::showPlanned(const PlannedLabel& found) {
    m_plan->setPlan(found.plan);
    m_cost->setText(m_plan->summary());
    m_canStart = found.plan.missing() > 0;
    showTables(found);
    showWork();
    emit planned();
}

void ReproduceDialog::showProblem(const Error& error) {
    m_planning.forget();
    m_plan->setPlan({});
    m_canStart = false;
    QStringList words{wordsOf(error.where()), wordsOf(error.problem())};
    words.removeAll(QString());
    m_cost->setText(
        QStringLiteral("%1. %2").arg(words.join(QStringLiteral(": ")), wordsOf(error.hint())));
    showTables({});
    showWork();
    emit planned();
}

// A tab each; the one on show stays, and where nothing is missing any more the first table is.
void ReproduceDialog::showTables(const PlannedLabel& found) {
    const int shown = m_tabs->currentIndex();
    while (m_tabs->count() > 1) {
        QWidget* old = m_tabs->widget(1);
        m_tabs->removeTab(1);
        old->deleteLater();
    }
    for (const ReproducedTable& made : found.tables) {
        auto* preview = new TablePreview;
        preview->setTable(made.table, wordsOf(made.name));
        preview->setCommand(reproduceCommand(question()));
        connect(preview, &TablePreview::exported, this, &ReproduceDialog::exported);
        connect(preview, &TablePreview::exportFailed, this, &ReproduceDialog::exportFailed);
        m_tabs->addTab(preview, wordsOf(made.name));
        addFigures(made);
    }
    const bool isWhole = !found.tables.empty() && found.plan.missing() == 0;
    m_tabs->setCurrentIndex(shown > 0 && shown < m_tabs->count() ? shown : isWhole ? 1 : 0);
}

void ReproduceDialog::addFigures(const ReproducedTable& made) {
    if (!made.figure) {
        return;
    }
    const QString csv = wordsOf(cospadi::render(made.table, ReportFormat::Csv));
    for (const std::string& y : made.figure->y) {
        CsvFigure figure;
        figure.x = wordsOf(made.figure->x);
        figure.y = {wordsOf(y)};
        figure.series = QString::fromUtf8(kCurve);
        figure.logY = std::find(made.figure->logY.begin(), made.figure->logY.end(), y) !=
                      made.figure->logY.end();
        auto* chart = new CurveChart;
        if (drawCsvFigure(csv, figure, *chart).isEmpty()) {
            m_tabs->addTab(chart, wordsOf(y));
        } else {
            delete chart;  // no run has it
        }
    }
}

void ReproduceDialog::showWork() {
    const bool isOwn = m_work->question() == question();
    m_plan->setStates(isOwn ? m_work->states() : QMap<int, QString>(),
                      isOwn ? m_work->holes() : QMap<int, QString>());
    const bool isActive = m_work->isActive();
    m_start->setText(isActive ? tr("Stop") : tr("Start"));
    m_start->setEnabled(isActive || m_canStart);
    m_start->setToolTip(isActive ? tr("Finished work is kept; the current run can be resumed later")
                                 : tr("Makes and measures what is missing, one run after another"));
    for (QWidget* field : {static_cast<QWidget*>(m_label), static_cast<QWidget*>(m_model),
                           static_cast<QWidget*>(m_size)}) {
        field->setEnabled(!isActive);
    }
}

void ReproduceDialog::startOrStop() {
    if (m_work->isActive()) {
        m_progress->setText(tr("Stopping …"));
        m_work->cancel();
        return;
    }
    m_progress->setText(tr("Starting …"));
    m_tabs->setCurrentIndex(0);
    m_work->start(question());
}

}  // namespace cospadi::ui
