#include "ui/pages/tables/tables_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>
#include <utility>

#include "core/base/error.h"
#include "core/report/report_arguments.h"
#include "ui/base/font_units.h"
#include "ui/engine/command_line.h"
#include "ui/models/report_table_model.h"
#include "ui/pages/tables/table_content_form.h"
#include "ui/pages/tables/table_layout_form.h"
#include "ui/pages/tables/table_preview.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

namespace {

constexpr int kTogetherMilliseconds = 60;
const QString kDesign = QStringLiteral("saved design");  // topic of messages

QString commandOf(const TableDesign& design) {
    QStringList words{QStringLiteral("cospadi")};
    for (const std::string& word : reportArguments(design)) {
        words << shellQuoted(QString::fromStdString(word));
    }
    return words.join(' ');
}

}  // namespace

TablesPage::TablesPage(MessageBar* messages, QWidget* parent)
    : QWidget(parent), m_messages(messages), m_soon(new QTimer(this)) {
    m_content = new TableContentForm;
    m_layout = new TableLayoutForm;
    m_preview = new TablePreview;
    auto* whole = new QSplitter(Qt::Horizontal);
    whole->setObjectName(QStringLiteral("tablesSplitter"));
    whole->addWidget(m_content);
    whole->addWidget(m_preview);
    whole->addWidget(m_layout);
    whole->setHandleWidth(8);
    whole->setChildrenCollapsible(false);
    whole->setStretchFactor(1, 1);
    whole->setSizes(
        {charactersWide(font(), 48), charactersWide(font(), 143), charactersWide(font(), 42)});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(8);
    column->addWidget(makeToolbar());
    column->addWidget(whole, 1);
    m_soon->setSingleShot(true);
    m_soon->setInterval(kTogetherMilliseconds);
    connect(m_soon, &QTimer::timeout, this, &TablesPage::make);
    connect(m_content, &TableContentForm::changed, this, &TablesPage::takeDesign);
    connect(m_layout, &TableLayoutForm::changed, this, &TablesPage::takeDesign);
    connect(m_preview, &TablePreview::smallRunWanted, this, &TablesPage::smallRunWanted);
    connect(m_preview, &TablePreview::renamed, m_layout, &TableLayoutForm::rename);
    connect(m_preview, &TablePreview::exported, this, [this](const QString& path) {
        m_messages->show(MessageBar::Kind::Success, tr("Saved %1").arg(path), {}, {},
                         QStringLiteral("saved"));
    });
    connect(m_preview, &TablePreview::exportFailed, this, [this](const QString& problem) {
        m_messages->show(MessageBar::Kind::Problem, tr("Nothing was saved: %1").arg(problem));
    });
}

QWidget* TablesPage::makeToolbar() {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    m_saved = new QComboBox;
    m_saved->setObjectName(QStringLiteral("savedTables"));
    m_saved->setAccessibleName(tr("Saved tables"));
    m_saved->setToolTip(tr("Tables saved by name; each is rebuilt from the current runs"));
    m_saved->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_saved->setMinimumContentsLength(20);
    m_name = new QLineEdit;
    m_name->setObjectName(QStringLiteral("tableName"));
    m_name->setAccessibleName(tr("Name of the table"));
    m_name->setPlaceholderText(tr("Name to save this table under"));
    m_name->setMaximumWidth(charactersWide(font(), 46));
    m_save = new QPushButton(tr("Save"));
    m_save->setObjectName(QStringLiteral("saveTable"));
    m_save->setToolTip(
        tr("Saves the design, not the numbers: cospadi report --saved NAME makes the same table"));
    m_forget = new QPushButton(tr("Delete"));
    m_forget->setObjectName(QStringLiteral("forgetTable"));
    m_forget->setToolTip(tr("Deletes the saved table of this name; runs are not affected"));
    row->addWidget(m_saved);
    row->addWidget(m_name, 1);
    row->addWidget(m_save);
    row->addWidget(m_forget);
    row->addStretch(1);
    auto* reproduce = new QPushButton(tr("&Make from my runs…"));
    reproduce->setObjectName(QStringLiteral("makeFromOwnRuns"));
    reproduce->setToolTip(
        tr("A table or figure of the paper: the required runs and their cost, then the table with "
           "the paper's values next to your own"));
    row->addWidget(reproduce);
    connect(reproduce, &QPushButton::clicked, this, &TablesPage::reproduceWanted);
    connect(m_saved, &QComboBox::activated, this, &TablesPage::openSaved);
    connect(m_name, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_save->setEnabled(!text.trimmed().isEmpty());
        m_forget->setEnabled(m_saved->findData(text.trimmed()) > 0);
    });
    connect(m_name, &QLineEdit::returnPressed, m_save, &QPushButton::click);
    connect(m_save, &QPushButton::clicked, this, &TablesPage::save);
    connect(m_forget, &QPushButton::clicked, this, &TablesPage::forget);
    m_save->setEnabled(false);
    m_forget->setEnabled(false);
    return bar;
}

void TablesPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (std::exchange(m_stale, false)) {
        fillSaved();
        make();
    }
}

bool TablesPage::isBusy() const { return m_making.isBusy() || m_soon->isActive(); }

void TablesPage::refresh() {
    m_stale = !isVisible();
    if (!m_stale) {
        m_soon->start();
    }
}

void TablesPage::setDesign(const TableDesign& design) {
    m_untouched = false;
    m_design = design;
    m_name->setText(QString::fromStdString(design.name));
    m_content->setDesign(design);
    m_layout->setLayoutOf(design.layout);
    m_soon->start();
}

void TablesPage::takeDesign() {
    m_untouched = false;
    m_content->apply(m_design);
    m_design.layout = m_layout->tableLayout();
    m_soon->start();
}

void TablesPage::make() {
    m_preview->setCommand(commandOf(m_design));
    if (!m_content->problem().isEmpty()) {
        m_making.forget();
        m_preview->setProblem(m_content->problem(),
                              tr("Numbers with a point, separated by spaces"));
        emit made();
        return;
    }
    m_making.ask([design = m_design] { return makeTable(design); },
                 [this](const MadeTable& result) {
                     showMade(result);
                     emit made();
                 },
                 [this](const Error& error) {
                     showProblem(error);
                     emit made();
                 });
}

void TablesPage::showMade(const MadeTable& result) {
    m_content->setChoices(result.choices);
    if (!result.problem.isEmpty()) {
        const bool none = result.choices.runs == 0;
        if (!none && m_untouched) {  // perplexity was never measured; every run has an error
            TableDesign first;
            first.metric = "error";
            setDesign(first);
            return;
        }
        m_preview->setProblem(
            none ? tr("No runs are stored yet") : result.problem,
            none ? tr("A table is made from finished runs: press Run for the first one. The "
                      "paper's own tables are already available: choose one on the left.")
                 : result.hint,
            none);
        return;
    }
    m_layout->setTable(result);
    m_preview->setTable(result.table, m_name->text().trimmed());
}

void TablesPage::fillSaved() {
    const QSignalBlocker quiet(m_saved);
    m_saved->clear();
    m_saved->addItem(tr("New table"), QString());
    try {
        for (const TableDesign& design : savedTables(savedTablesPath())) {
            const QString name = QString::fromStdString(design.name);
            m_saved->addItem(name, name);
        }
    } catch (const Error& error) {
        showProblem(error);
    }
    const int index = m_saved->findData(m_name->text().trimmed());
    m_saved->setCurrentIndex(std::max(0, index));
    m_forget->setEnabled(index > 0);
}

void TablesPage::openSaved() {
    const QString name = m_saved->currentData().toString();
    if (name.isEmpty()) {
        setDesign({});
        return;
    }
    try {
        setDesign(savedTable(savedTablesPath(), name.toStdString()));
    } catch (const Error& error) {
        showProblem(error);
    }
}

void TablesPage::save() {
    m_design.name = m_name->text().trimmed().toStdString();
    try {
        saveTable(savedTablesPath(), m_design);
        fillSaved();
        m_messages->show(MessageBar::Kind::Success,
                         tr("The table is saved as %1.").arg(m_name->text().trimmed()), {},
                         tr("It is rebuilt from the current runs whenever it is opened."), kDesign);
    } catch (const std::exception& error) {
        m_messages->show(MessageBar::Kind::Problem,
                         tr("Nothing was saved: %1").arg(QString::fromUtf8(error.what())));
    }
}

void TablesPage::forget() {
    const QString name = m_name->text().trimmed();
    try {
        forgetTable(savedTablesPath(), name.toStdString());
        fillSaved();
        m_messages->show(MessageBar::Kind::Information, tr("%1 is no longer saved.").arg(name), {},
                         tr("It is still shown here: Save restores it."), kDesign);
    } catch (const std::exception& error) {
        m_messages->show(MessageBar::Kind::Problem, QString::fromUtf8(error.what()));
    }
}

void TablesPage::showProblem(const Error& error) { m_messages->showProblem(asEngineError(error)); }

}  // namespace cospadi::ui
