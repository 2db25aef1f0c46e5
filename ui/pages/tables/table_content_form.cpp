#include "ui/pages/tables/table_content_form.h"

#include <QFormLayout>
#include <QLabel>
#include <QListWidget>
#include <QScopedValueRollback>
#include <QVBoxLayout>

#include "core/base/error.h"
#include "core/report/report.h"
#include "ui/base/font_units.h"
#include "ui/base/phrase_words.h"
#include "ui/base/quantity_words.h"
#include "ui/base/string_list.h"
#include "ui/pages/tables/field_rows.h"
#include "ui/pages/tables/published_beside.h"
#include "ui/pages/tables/run_filter_card.h"
#include "ui/pages/tables/value_box.h"
#include "ui/widgets/card.h"
#include "ui/widgets/ordered_list.h"

namespace cospadi::ui {

namespace {

constexpr int kFewRows = 3;  // of a list of settings: what usually fits

}  // namespace

TableContentForm::TableContentForm(QWidget* parent) : QScrollArea(parent) {
    setObjectName(QStringLiteral("plain"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("What the table shows"));
    setMinimumWidth(charactersWide(font(), 38));
    try {
        m_published = publishedTables();
    } catch (const Error&) {
        // Without the file of resources there is nothing to lay beside; one's own runs stay.
    }
    fillSources();
    m_sourceHelp = new QLabel;
    m_sourceHelp->setObjectName(QStringLiteral("muted"));
    m_sourceHelp->setWordWrap(true);
    auto* content = new Card(tr("Content"));
    content->body()->addWidget(m_source);
    content->body()->addWidget(m_sourceHelp);
    m_pivot = new QWidget;
    auto* pivot = new QVBoxLayout(m_pivot);
    pivot->setContentsMargins(0, 0, 0, 0);
    pivot->setSpacing(8);
    pivot->addWidget(makeShape());
    content->body()->addWidget(m_pivot);
    auto* body = new QWidget;
    body->setObjectName(QStringLiteral("plainBody"));
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 4, 0);
    column->setSpacing(8);
    column->addWidget(content);
    m_runs = new RunFilterCard;
    column->addWidget(m_runs);
    column->addStretch(1);
    setWidget(body);
    connect(m_source, &QComboBox::currentIndexChanged, this, &TableContentForm::announce);
    connect(m_runs, &RunFilterCard::changed, this, &TableContentForm::announce);
    setDesign({});
}

void TableContentForm::fillSources() {
    m_source = new ValueBox;
    m_source->setObjectName(QStringLiteral("tableSource"));
    m_source->setAccessibleName(tr("What the table is made of"));
    m_source->addItem(tr("My runs, custom layout"), QStringLiteral("pivot"));
    for (const ReportPreset& preset : reportPresets()) {
        const QString name = QString::fromStdString(preset.name);
        m_source->addItem(tr("My runs: %1").arg(name), QStringLiteral("preset:") + name);
        m_source->setItemData(m_source->count() - 1, phraseWords(Phrase{preset.description}),
                              Qt::ToolTipRole);
    }
    for (const PublishedTable& table : m_published) {
        const QString name = QString::fromStdString(table.name);
        m_source->addItem(tr("Paper, table %1: %2").arg(QString::fromStdString(table.number), name),
                          QStringLiteral("published:") + name);
        m_source->setItemData(m_source->count() - 1, QString::fromStdString(table.caption),
                              Qt::ToolTipRole);
    }
    m_source->setMaxVisibleItems(24);
}

QWidget* TableContentForm::makeShape() {
    auto* shape = new QWidget;
    auto* column = new QVBoxLayout(shape);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    const auto list = [&](const char* name, const QString& heading, const QString& tip) {
        auto* made = new OrderedList(heading, OrderedList::Addable);
        made->setObjectName(QString::fromLatin1(name));
        made->setWording(quantityWords);
        made->list()->setToolTip(tip);
        made->list()->setFixedHeight(kFewRows * (fontMetrics().height() + 6));
        column->addWidget(made);
        connect(made, &OrderedList::changed, this, &TableContentForm::announce);
        return made;
    };
    m_rows = list("tableRows", tr("Rows"), tr("Settings down the side, the first one outermost"));
    m_columns = list("tableColumns", tr("Columns"),
                     tr("Settings across the top; none: one column of values"));
    auto* fields = new QWidget;
    auto* form = makeFieldRows(fields);
    m_metric = new ValueBox(quantityWords);
    m_metric->setObjectName(QStringLiteral("tableMetric"));
    m_metric->setToolTip(tr(
        "The value in the cells: a mean over the seeds of runs that agree in everything else. "
        "avg_acc is the mean accuracy on the paper's eight tasks, for runs that have all of them"));
    form->addRow(tr("Value"), m_metric);
    m_beside = new PublishedBeside(m_published);
    form->addRow(tr("Compare"), m_beside);
    column->addWidget(fields);
    connect(m_metric, &QComboBox::currentIndexChanged, this, &TableContentForm::announce);
    connect(m_beside, &PublishedBeside::chosen, this, &TableContentForm::announce);
    return shape;
}

void TableContentForm::setDesign(const TableDesign& design) {
    const QScopedValueRollback quiet(m_quiet, true);
    const QString source =
        !design.published.empty()
            ? QStringLiteral("published:") + QString::fromStdString(design.published)
        : !design.preset.empty() ? QStringLiteral("preset:") + QString::fromStdString(design.preset)
                                 : QStringLiteral("pivot");
    m_source->choose(source);
    m_rows->setKeys(listOf(design.rows));
    m_columns->setKeys(listOf(design.columns));
    m_metric->choose(QString::fromStdString(design.metric));
    m_beside->setNames(listOf(design.beside));
    m_runs->setSelection(design.runs);
    showWhatApplies();
}

void TableContentForm::setChoices(const TableChoices& choices) {
    const QScopedValueRollback quiet(m_quiet, true);
    m_rows->setChoices(choices.dimensions);
    m_columns->setChoices(choices.dimensions);
    m_metric->setValues(choices.metrics);
    m_runs->setChoices(choices);
}

void TableContentForm::apply(TableDesign& design) const {
    const QString source = m_source->value();
    const auto after = [&](const char* prefix) {
        return source.startsWith(QLatin1String(prefix))
                   ? source.mid(static_cast<int>(qstrlen(prefix))).toStdString()
                   : std::string();
    };
    design.preset = after("preset:");
    design.published = after("published:");
    design.rows = wordsOf(m_rows->keys());
    design.columns = wordsOf(m_columns->keys());
    design.metric = m_metric->value().toStdString();
    design.beside = wordsOf(m_beside->names());
    design.runs = m_runs->selection();
}

QString TableContentForm::problem() const { return m_runs->problem(); }

void TableContentForm::announce() {
    if (m_quiet) {
        return;
    }
    showWhatApplies();
    emit changed();
}

void TableContentForm::showWhatApplies() {
    const bool pivot = m_source->value() == QLatin1String("pivot");
    m_pivot->setVisible(pivot);
    // A preset filters too; a table as printed has no runs.
    m_runs->setVisible(!m_source->value().startsWith(QLatin1String("published:")));
    const QString help = m_source->currentData(Qt::ToolTipRole).toString();
    m_sourceHelp->setText(help);
    m_sourceHelp->setVisible(!help.isEmpty());
    m_beside->showFor(m_metric->value().toStdString());
}

}  // namespace cospadi::ui
