#include "ui/pages/tables/table_content_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QScopedValueRollback>
#include <QToolButton>
#include <QVBoxLayout>
#include <limits>

#include "core/base/error.h"
#include "core/report/published_values.h"
#include "core/report/report.h"
#include "ui/base/font_units.h"
#include "ui/base/phrase_words.h"
#include "ui/base/quantity_words.h"
#include "ui/base/string_list.h"
#include "ui/models/sweep.h"
#include "ui/widgets/card.h"
#include "ui/widgets/ordered_list.h"

namespace cospadi::ui {

namespace {

constexpr int kFewRows = 3;  // of a list of settings: what usually fits

QString numbersText(const std::vector<double>& numbers) {
    QStringList words;
    for (const double number : numbers) {
        words << QString::number(number);
    }
    return words.join(' ');
}

QFormLayout* makeFormLayout(QWidget* parent) {
    auto* form = new QFormLayout(parent);
    form->setContentsMargins(0, 0, 0, 0);
    form->setSpacing(6);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return form;
}

using Wording = QString (*)(const QString& value);

QString asItIs(const QString& value) { return value; }

void choose(QComboBox* box, const QString& value, Wording wording = asItIs) {
    int index = box->findData(value);
    if (index < 0 && !value.isEmpty()) {  // a saved table may ask for what is no longer there
        box->addItem(wording(value), value);
        index = box->count() - 1;
    }
    box->setCurrentIndex(index);
}

// What is the same stays as it is: its list may be open.
void refill(QComboBox* box, const QStringList& values, const QString& any = {},
            Wording wording = asItIs) {
    QStringList known;
    for (int i = 0; i < box->count(); ++i) {
        known << box->itemData(i).toString();
    }
    QStringList wanted = any.isEmpty() ? values : QStringList{QString()} + values;
    const QString current = box->currentData().toString();
    if (!wanted.contains(current)) {
        wanted << current;  // asked for by a saved table
    }
    if (known == wanted) {
        return;
    }
    box->clear();
    for (const QString& value : wanted) {
        box->addItem(value.isEmpty() ? any : wording(value), value);
    }
    choose(box, current, wording);
}

void shrinkable(QComboBox* box) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8);
}

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
    m_source = new QComboBox;
    m_source->setObjectName(QStringLiteral("tableSource"));
    m_source->setAccessibleName(tr("What the table is made of"));
    shrinkable(m_source);
    m_source->addItem(tr("My runs, in a shape of my own"), QStringLiteral("pivot"));
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
    column->addWidget(makeFilters());
    column->addStretch(1);
    setWidget(body);
    connect(m_source, &QComboBox::currentIndexChanged, this, &TableContentForm::announce);
    setDesign({});
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
    m_rows = list("tableRows", tr("Rows"),
                  tr("Settings that stand down the side, the first one outermost"));
    m_columns = list("tableColumns", tr("Columns"),
                     tr("Settings that stand across; none: one column of values"));
    auto* fields = new QWidget;
    auto* form = makeFormLayout(fields);
    m_metric = new QComboBox;
    m_metric->setObjectName(QStringLiteral("tableMetric"));
    m_metric->setToolTip(
        tr("What stands in the cells: a mean over the seeds of runs that agree in "
           "everything else. avg_acc is the mean accuracy of the paper's eight tasks, of runs that "
           "have all of them"));
    shrinkable(m_metric);
    form->addRow(tr("Value"), m_metric);
    m_beside = new QToolButton;
    m_beside->setObjectName(QStringLiteral("tableBeside"));
    m_beside->setPopupMode(QToolButton::InstantPopup);
    m_beside->setFocusPolicy(Qt::StrongFocus);
    m_beside->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_beside->setAccessibleName(tr("Tables of the paper beside"));
    m_besideMenu = new QMenu(m_beside);
    m_beside->setMenu(m_besideMenu);
    form->addRow(tr("Beside"), m_beside);
    column->addWidget(fields);
    connect(m_metric, &QComboBox::currentIndexChanged, this, &TableContentForm::announce);
    return shape;
}

QComboBox* TableContentForm::makeFilter(QFormLayout* form, const char* name, const QString& label,
                                        const QString& tip) {
    auto* box = new QComboBox;
    box->setObjectName(QString::fromLatin1(name));
    box->setToolTip(tip);
    shrinkable(box);
    form->addRow(label, box);
    connect(box, &QComboBox::currentIndexChanged, this, &TableContentForm::announce);
    return box;
}

QLineEdit* TableContentForm::makeField(QFormLayout* form, const char* name, const QString& label,
                                       const QString& placeholder) {
    auto* field = new QLineEdit;
    field->setObjectName(QString::fromLatin1(name));
    field->setPlaceholderText(placeholder);
    field->setClearButtonEnabled(true);
    form->addRow(label, field);
    connect(field, &QLineEdit::textChanged, this, &TableContentForm::announce);
    return field;
}

QWidget* TableContentForm::makeFilters() {
    auto* card = new Card(tr("Which runs"));
    auto* fields = new QWidget;
    auto* form = makeFormLayout(fields);
    m_method = makeFilter(form, "tableMethod", tr("Method"), tr("Only runs of this method"));
    m_cr = makeField(form, "tableCr", tr("CR"), tr("any, or 0.2 0.3"));
    m_rho = makeField(form, "tableRho", tr("ρ"), tr("any, or 1.5 2"));
    m_model = makeFilter(form, "tableModel", tr("Model"), tr("Only runs of this model"));
    m_layers = makeFilter(form, "tableLayers", tr("Layers"), tr("Only runs of these layers"));
    m_tag = makeFilter(form, "tableTag", tr("Tag"), tr("Only runs with this tag"));
    m_search = makeField(form, "tableSearch", tr("Words"), tr("in name, tag or note"));
    m_starred = new QCheckBox(tr("only starred"));
    m_archived = new QCheckBox(tr("archived too"));
    form->addRow(QString(), m_starred);
    form->addRow(QString(), m_archived);
    connect(m_starred, &QCheckBox::toggled, this, &TableContentForm::announce);
    connect(m_archived, &QCheckBox::toggled, this, &TableContentForm::announce);
    card->body()->addWidget(fields);
    return card;
}

void TableContentForm::setDesign(const TableDesign& design) {
    const QScopedValueRollback quiet(m_quiet, true);
    const QString source =
        !design.published.empty()
            ? QStringLiteral("published:") + QString::fromStdString(design.published)
        : !design.preset.empty() ? QStringLiteral("preset:") + QString::fromStdString(design.preset)
                                 : QStringLiteral("pivot");
    choose(m_source, source);
    m_rows->setKeys(listOf(design.rows));
    m_columns->setKeys(listOf(design.columns));
    choose(m_metric, QString::fromStdString(design.metric), quantityWords);
    m_besideNames = listOf(design.beside);
    m_others = design.runs;
    choose(m_method, QString::fromStdString(design.runs.filter.method));
    choose(m_model, QString::fromStdString(design.runs.filter.model));
    choose(m_layers, QString::fromStdString(design.runs.layers));
    choose(m_tag, QString::fromStdString(design.runs.filter.tag));
    m_cr->setText(numbersText(design.runs.cr));
    m_rho->setText(numbersText(design.runs.rho));
    m_search->setText(QString::fromStdString(design.runs.filter.text));
    m_starred->setChecked(design.runs.filter.starredOnly);
    m_archived->setChecked(design.runs.filter.includeArchived);
    showWhatApplies();
}

void TableContentForm::setChoices(const TableChoices& choices) {
    const QScopedValueRollback quiet(m_quiet, true);
    m_rows->setChoices(choices.dimensions);
    m_columns->setChoices(choices.dimensions);
    refill(m_metric, choices.metrics, {}, quantityWords);
    refill(m_method, choices.methods, tr("any"));
    refill(m_model, choices.models, tr("any"));
    refill(m_layers, choices.layers, tr("any"));
    refill(m_tag, choices.tags, tr("any"));
}

void TableContentForm::apply(TableDesign& design) const {
    const QString source = m_source->currentData().toString();
    const auto after = [&](const char* prefix) {
        return source.startsWith(QLatin1String(prefix))
                   ? source.mid(static_cast<int>(qstrlen(prefix))).toStdString()
                   : std::string();
    };
    design.preset = after("preset:");
    design.published = after("published:");
    design.rows = wordsOf(m_rows->keys());
    design.columns = wordsOf(m_columns->keys());
    design.metric = m_metric->currentData().toString().toStdString();
    design.beside = wordsOf(m_besideNames);
    design.runs = m_others;
    RunFilter& filter = design.runs.filter;
    filter.method = m_method->currentData().toString().toStdString();
    filter.model = m_model->currentData().toString().toStdString();
    filter.tag = m_tag->currentData().toString().toStdString();
    filter.text = m_search->text().trimmed().toStdString();
    filter.starredOnly = m_starred->isChecked();
    filter.includeArchived = m_archived->isChecked();
    design.runs.layers = m_layers->currentData().toString().toStdString();
    const auto numbers = [](const QLineEdit* field) {
        const SweepValues parsed =
            parseValues(field->text(), 0, std::numeric_limits<double>::max(), false);
        return std::vector<double>(parsed.values.begin(), parsed.values.end());
    };
    design.runs.cr = numbers(m_cr);
    design.runs.rho = numbers(m_rho);
}

void TableContentForm::announce() {
    if (m_quiet) {
        return;
    }
    showWhatApplies();
    emit changed();
}

void TableContentForm::showWhatApplies() {
    const bool pivot = m_source->currentData().toString() == QLatin1String("pivot");
    m_pivot->setVisible(pivot);
    // A preset filters too; a table as printed has no runs.
    m_method->parentWidget()->parentWidget()->setVisible(
        !m_source->currentData().toString().startsWith(QLatin1String("published:")));
    const QString help = m_source->currentData(Qt::ToolTipRole).toString();
    m_sourceHelp->setText(help);
    m_sourceHelp->setVisible(!help.isEmpty());
    m_problem.clear();
    for (const QLineEdit* field : {m_cr, m_rho}) {
        const SweepValues parsed =
            parseValues(field->text(), 0, std::numeric_limits<double>::max(), false);
        if (!parsed.problem.isEmpty()) {
            m_problem =
                QStringLiteral("%1: %2").arg(field == m_cr ? tr("CR") : tr("ρ"), parsed.problem);
        }
    }
    fillPublished();
}

// Only tables that print the value: the paper's perplexity of words is not ours of tokens.
void TableContentForm::fillPublished() {
    const std::string metric = m_metric->currentData().toString().toStdString();
    m_besideMenu->clear();
    QStringList shown;
    for (const PublishedTable& table : m_published) {
        if (publishedValues({table}, metric).empty()) {
            continue;
        }
        const QString number = QString::fromStdString(table.number);
        const QString name = QString::fromStdString(table.name);
        QAction* action = m_besideMenu->addAction(tr("Table %1: %2").arg(number, name));
        action->setToolTip(QString::fromStdString(table.caption));
        action->setCheckable(true);
        action->setChecked(m_besideNames.contains(number) || m_besideNames.contains(name));
        shown << (action->isChecked() ? QStringList{number} : QStringList{});
        connect(action, &QAction::toggled, this, [this, number, name](bool on) {
            m_besideNames.removeAll(number);
            m_besideNames.removeAll(name);
            m_besideNames << (on ? QStringList{number} : QStringList{});
            // The menu that sends this signal is made anew.
            QMetaObject::invokeMethod(this, &TableContentForm::announce, Qt::QueuedConnection);
        });
    }
    m_besideMenu->setToolTipsVisible(true);
    const bool any = !m_besideMenu->isEmpty();
    m_beside->setEnabled(any);
    m_beside->setText(!any                ? tr("the paper prints none")
                      : shown.isEmpty()   ? tr("tables of the paper …")
                      : shown.size() == 1 ? tr("table %1 of the paper").arg(shown.first())
                                          : tr("tables %1 of the paper").arg(shown.join(", ")));
    m_beside->setToolTip(
        any ? tr("Rows of the paper's tables below your own, with their source")
            : tr("The paper prints accuracies and perplexities of lm-eval's tasks: choose such a "
                 "value, for example piqa/acc_norm (cospadi lm-eval measures them)"));
}

}  // namespace cospadi::ui
