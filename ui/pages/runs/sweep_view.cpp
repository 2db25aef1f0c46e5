#include "ui/pages/runs/sweep_view.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QSettings>
#include <QSignalBlocker>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "core/report/measured_value.h"
#include "core/report/name_list.h"
#include "core/report/report_table.h"
#include "ui/base/phrase_words.h"
#include "ui/base/quantity_words.h"
#include "ui/base/string_list.h"
#include "ui/charts/chart_export.h"
#include "ui/models/setting_words.h"
#include "ui/widgets/empty_state.h"

namespace cospadi::ui {

namespace {

const char* const kSweepSetting = "runs/sweep";  // name, metric, rows, columns

std::string chosenOf(const QComboBox* box) { return box->currentData().toString().toStdString(); }

std::vector<std::string> dataOf(const QComboBox* box) {
    std::vector<std::string> names;
    for (int i = 0; i < box->count(); ++i) {
        names.push_back(box->itemData(i).toString().toStdString());
    }
    return names;
}

// A list that is the same stays as it is: it may be open.
void fillBox(QComboBox* box, const std::vector<std::string>& names, const std::string& chosen,
             bool areQuantities = true) {
    const QSignalBlocker quiet(box);
    if (names != dataOf(box)) {
        box->clear();
        for (const std::string& name : names) {
            const QString key = QString::fromStdString(name);
            box->addItem(areQuantities ? quantityWords(key) : key, key);
        }
    }
    box->setCurrentIndex(box->findData(QString::fromStdString(chosen)));
}

std::vector<std::string> usualMetrics() {
    return {kStatusMetric.toStdString(), "error", "perplexity", kMeanAccuracy};
}

// The usual ones, whether there are any yet or not, and what else finished runs have.
std::vector<std::string> metricsOf(std::vector<RunRow> runs) {
    std::erase_if(runs, [](const RunRow& run) { return run.status != "finished"; });
    std::vector<std::string> names = usualMetrics();
    for (const std::string& name : measuredNames(runs)) {
        if (contains(names, name)) {
            continue;
        }
        const MeasuredValue value(runs, name);
        if (std::any_of(runs.begin(), runs.end(),
                        [&](const RunRow& run) { return std::isfinite(value.of(run)); })) {
            names.push_back(name);
        }
    }
    return names;
}

// What is chosen stays so where no run of the sweep has it yet.
void fillWith(QComboBox* box, std::vector<std::string> names, const std::string& chosen) {
    if (!contains(names, chosen)) {
        names.push_back(chosen);
    }
    fillBox(box, names, chosen);
}

struct FilledSweep {
    SweepMatrix matrix;
    std::vector<std::string> metrics;
};

}  // namespace

SweepView::SweepView(QWidget* parent)
    : QWidget(parent), m_table(new QTableView), m_model(new SweepMatrixModel(this)) {
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    auto* bar = new QWidget;
    bar->setLayout(row);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(bar);
    column->addWidget(m_table, 1);
    m_sweep = makeBox(tr("sweep"), "sweepName", tr("The sweep: runs that share a name"));
    m_metric =
        makeBox(tr("shows"), "sweepMetric", tr("The value shown in the cells of finished runs"));
    m_rows = makeBox(tr("down"), "sweepRows",
                     tr("The setting that changes from row to row; other differences between runs "
                        "are in the names of the rows"));
    m_columns =
        makeBox(tr("across"), "sweepColumns", tr("The setting that changes from column to column"));
    const QStringList kept = QSettings().value(QLatin1String(kSweepSetting)).toStringList();
    const std::string metric = kept.value(1).toStdString();
    const bool isKnown = isMeasured(metric) || kept.value(1) == kStatusMetric;
    fillWith(m_metric, usualMetrics(), isKnown ? metric : "error");
    fillBox(m_sweep, {kept.value(0).toStdString()}, kept.value(0).toStdString(), false);
    fillBox(m_rows, {kept.value(2).toStdString()}, kept.value(2).toStdString());
    fillBox(m_columns, {kept.value(3).toStdString()}, kept.value(3).toStdString());
    for (QComboBox* box : {m_sweep, m_metric, m_rows, m_columns}) {
        row->addWidget(new QLabel(box->property("label").toString()));
        static_cast<QLabel*>(row->itemAt(row->count() - 1)->widget())->setBuddy(box);
        row->addWidget(box, box == m_sweep ? 2 : 1);
        connect(box, &QComboBox::currentIndexChanged, this, [this] {
            keepChoice();
            fill();
        });
    }
    m_table->setObjectName(QStringLiteral("sweepMatrix"));
    m_table->setAccessibleName(tr("Runs of the sweep"));
    m_table->setModel(m_model);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_message = new EmptyState(
        "sweepMessage",
        {"planSweep", tr("Plan a sweep"), tr("Lists of values under Sweep on the Plan page")},
        m_table);
    (new QVBoxLayout(m_table))->addWidget(m_message);
    connect(m_message, &EmptyState::wanted, this, &SweepView::sweepWanted);
    connect(m_table, &QTableView::activated, this, &SweepView::open);
    connect(m_table, &QTableView::clicked, this, &SweepView::open);
    fill();
}

QComboBox* SweepView::makeBox(const QString& label, const char* name, const QString& help) {
    auto* box = new QComboBox;
    box->setObjectName(QString::fromLatin1(name));
    box->setAccessibleName(help);
    box->setToolTip(help);
    box->setProperty("label", label);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(9);
    return box;
}

void SweepView::setRuns(const std::vector<RunRow>& stored) {
    m_stored.clear();
    std::copy_if(stored.begin(), stored.end(), std::back_inserter(m_stored), isOfSweep);
    listSweeps();
}

void SweepView::setAsked(const std::vector<RunRow>& asked) {
    m_asked = asked;
    listSweeps();
}

void SweepView::listSweeps() {
    std::set<std::string> known = sweepNames(m_stored);
    known.merge(sweepNames(m_asked));
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string before = chosenOf(m_sweep);
    const bool isThere = std::find(names.begin(), names.end(), before) != names.end();
    fillBox(m_sweep, names, isThere || names.empty() ? before : names.front(), false);
    fill();
}

void SweepView::choose(const QString& sweep) {
    if (const int place = m_sweep->findData(sweep); place >= 0) {
        m_sweep->setCurrentIndex(place);
    }
}

void SweepView::choose(const SweepChoice& wanted) {
    if (wanted == choice() || !contains(dataOf(m_sweep), wanted.name)) {
        return;
    }
    fillBox(m_sweep, dataOf(m_sweep), wanted.name, false);
    fillWith(m_metric, dataOf(m_metric), wanted.axes.metric);
    fillWith(m_rows, dataOf(m_rows), wanted.axes.rows);
    fillWith(m_columns, dataOf(m_columns), wanted.axes.columns);
    keepChoice();
    fill();
}

SweepChoice SweepView::choice() const {
    return {chosenOf(m_sweep), {chosenOf(m_rows), chosenOf(m_columns), chosenOf(m_metric)}};
}

void SweepView::keepChoice() {
    const SweepChoice now = choice();
    QSettings().setValue(QLatin1String(kSweepSetting),
                         listOf({now.name, now.axes.metric, now.axes.rows, now.axes.columns}));
}

void SweepView::fill() {
    const auto [sweep, wanted] = choice();
    // Stored ones first: of equal settings and equal status they say more.
    std::vector<RunRow> runs = runsOfSweep(m_stored, sweep);
    for (const RunRow& asked : runsOfSweep(m_asked, sweep)) {
        runs.push_back(asked);
    }
    if (sweep.empty() || runs.empty()) {
        m_filling.forget();
        showMatrix({});
        return;
    }
    SweepAxes axes = wanted;
    if (axes.metric == kStatusMetric.toStdString()) {
        axes.metric = "error";
    }
    m_filling.ask(
        [runs, axes] {
            return FilledSweep{sweepMatrix(runs, axes, windowWording), metricsOf(runs)};
        },
        [this](FilledSweep filled) {
            fillWith(m_metric, filled.metrics, chosenOf(m_metric));
            showMatrix(std::move(filled.matrix));
        },
        [this](const Error& error) {
            m_model->setMatrix({}, {});
            m_message->setWords(QString::fromStdString(error.problem()).toHtmlEscaped(),
                                QString::fromStdString(error.hint()).toHtmlEscaped());
            m_message->show();
        });
}

void SweepView::showMatrix(SweepMatrix matrix) {
    const bool isEmpty = matrix.cells.empty();
    m_message->setWords(tr("No sweep has a name yet"),
                        tr("Runs that were requested together are shown here as a matrix that "
                           "fills as they finish. Give the sweep a name under Sweep on the Plan "
                           "page, or on the command line: cospadi sweep … --name NAME."));
    m_message->setVisible(isEmpty);
    for (QComboBox* box : {m_metric, m_rows, m_columns}) {
        box->setEnabled(!isEmpty);
    }
    m_note.clear();
    if (!isEmpty) {
        fillBox(m_rows, matrix.settings, matrix.rows);
        fillBox(m_columns, matrix.settings, matrix.columns);
        QStringList notes{tr("%1 of %2 finished").arg(matrix.finished).arg(matrix.count)};
        notes << phraseWords(matrix.notes);
        m_note = notes.join(QStringLiteral(" · "));
    }
    m_model->setMatrix(std::move(matrix), m_metric->currentData().toString());
    emit filled();
}

void SweepView::open(const QModelIndex& index) {
    if (const QString directory = index.data(SweepMatrixModel::DirectoryRole).toString();
        !directory.isEmpty()) {
        emit opened(directory, index.data(SweepMatrixModel::NameRole).toString());
    }
}

ExportSource SweepView::exportSource() const {
    QList<QStringList> lines;  // as they stand there, the names with them
    const std::string& corner = m_model->matrix().rows;
    for (int row = -1; row < m_model->rowCount(); ++row) {
        QStringList line{row < 0 ? quantityWords(printedHeading(corner))
                                 : m_model->headerData(row, Qt::Vertical).toString()};
        for (int column = 0; column < m_model->columnCount(); ++column) {
            line << (row < 0 ? m_model->headerData(column, Qt::Horizontal).toString()
                             : m_model->index(row, column).data().toString());
        }
        lines << line;
    }
    ExportSource source;
    source.name = QStringLiteral("sweep-%1").arg(m_sweep->currentText());
    source.screenSize = m_table->size();
    source.draw = [lines, words = exportFont(font())](QPainter& painter, const QSize& size, bool) {
        painter.fillRect(QRect(QPoint(0, 0), size), Qt::white);
        painter.setFont(words);
        painter.setPen(Qt::black);
        const double height = size.height() / static_cast<double>(lines.size());
        const double width = size.width() / static_cast<double>(lines.first().size());
        for (int row = 0; row < lines.size(); ++row) {
            for (int column = 0; column < lines[row].size(); ++column) {
                painter.drawText(QRectF(column * width, row * height, width, height),
                                 column == 0 ? Qt::AlignVCenter | Qt::AlignLeft : Qt::AlignCenter,
                                 lines[row][column]);
            }
        }
        painter.drawLine(QPointF(0, height), QPointF(size.width(), height));
    };
    lines.first().first() = quantityWords(corner);  // programs read the setting's own name
    source.csv = [lines] {
        QString text;
        for (const QStringList& line : lines) {
            QStringList cells;
            for (const QString& word : line) {
                cells << csvCell(word);
            }
            text += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
        }
        return text;
    };
    return source;
}

void SweepView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_model->rowCount() > 0) {
        m_table->viewport()->update();
    }
}

}  // namespace cospadi::ui
