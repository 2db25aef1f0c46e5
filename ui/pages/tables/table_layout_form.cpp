#include "ui/pages/tables/table_layout_form.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSpinBox>
#include <QVBoxLayout>

#include "ui/base/font_units.h"
#include "ui/base/string_list.h"
#include "ui/widgets/card.h"
#include "ui/widgets/ordered_list.h"

namespace cospadi::ui {

namespace {

constexpr int kOwnDigits = -1;

}  // namespace

TableLayoutForm::TableLayoutForm(QWidget* parent) : QScrollArea(parent) {
    setObjectName(QStringLiteral("plain"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("How the table looks"));
    setMinimumWidth(charactersWide(font(), 33));
    auto* look = new Card(tr("Look"));
    m_decimals = new QSpinBox;
    m_decimals->setObjectName(QStringLiteral("tableDecimals"));
    m_decimals->setRange(kOwnDigits, 10);
    m_decimals->setSpecialValueText(tr("default"));
    m_decimals->setValue(kOwnDigits);
    m_decimals->setToolTip(
        tr("Digits after the decimal point; CSV has them all. default: two for a perplexity, four "
           "for an error …"));
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(tr("Decimals"), m_decimals);
    m_best = new QCheckBox(tr("best bold"));
    m_best->setObjectName(QStringLiteral("tableBest"));
    m_second = new QCheckBox(tr("second underlined"));
    m_second->setObjectName(QStringLiteral("tableSecond"));
    m_deviations = new QCheckBox(tr("mean ± std over seeds"));
    m_deviations->setObjectName(QStringLiteral("tableDeviations"));
    m_deviations->setToolTip(
        tr("Where several seeds agree in everything else; unchecked: only the mean"));
    m_directions = new QCheckBox(tr("↑ ↓ in headings"));
    m_directions->setObjectName(QStringLiteral("tableDirections"));
    m_directions->setToolTip(
        tr("Marks in the heading of every measured value which direction is better"));
    const auto field = [this](const char* name, const QString& words, const QString& tip) {
        auto* line = new QLineEdit;
        line->setObjectName(QString::fromLatin1(name));
        line->setPlaceholderText(words);
        line->setToolTip(tip);
        connect(line, &QLineEdit::editingFinished, this, &TableLayoutForm::takeOver);
        return line;
    };
    m_caption = field("tableCaption", tr("none"),
                      tr("LaTeX: with a caption or a label the table floats (environment table), "
                         "with its notes below it; otherwise only the tabular is written"));
    m_label = field("tableLabel", tr("tab:…"), tr("LaTeX: the name for \\ref{…}"));
    form->addRow(tr("Caption"), m_caption);
    form->addRow(tr("Label"), m_label);
    look->body()->addLayout(form);
    look->body()->addWidget(m_best);
    look->body()->addWidget(m_second);
    look->body()->addWidget(m_deviations);
    look->body()->addWidget(m_directions);

    auto* order = new Card(tr("Order and names"));
    m_columns = new OrderedList(tr("Columns"), OrderedList::Checkable | OrderedList::Renamable);
    m_columns->setObjectName(QStringLiteral("tableColumnOrder"));
    m_columns->list()->setToolTip(
        tr("Drag, or press Alt+Up or Alt+Down. An unchecked column is left out. F2 renames it."));
    m_rows = new OrderedList(tr("Rows"), OrderedList::Checkable);
    m_rows->setObjectName(QStringLiteral("tableRowOrder"));
    m_rows->list()->setToolTip(
        tr("Drag, or press Alt+Up or Alt+Down. An unchecked row is left out. Rename it in the "
           "preview."));
    for (OrderedList* list : {m_columns, m_rows}) {
        list->list()->setMinimumHeight(5 * (fontMetrics().height() + 6));
        order->body()->addWidget(list, 1);
        connect(list, &OrderedList::changed, this, &TableLayoutForm::takeOver);
    }
    m_reset = new QPushButton(tr("Default order and names"));
    m_reset->setObjectName(QStringLiteral("tableReset"));
    m_reset->setToolTip(tr("Restores the default order and name of every row and column"));
    order->body()->addWidget(m_reset);
    auto* body = new QWidget;
    body->setObjectName(QStringLiteral("plainBody"));
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(4, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(look);
    column->addWidget(order, 1);
    setWidget(body);

    connect(m_columns, &OrderedList::renamed, this,
            [this](const QString& key, const QString& to) { rename(key, to); });
    connect(m_decimals, &QSpinBox::valueChanged, this, &TableLayoutForm::takeOver);
    connect(m_best, &QCheckBox::toggled, this, &TableLayoutForm::takeOver);
    connect(m_deviations, &QCheckBox::toggled, this, &TableLayoutForm::takeOver);
    connect(m_directions, &QCheckBox::toggled, this, &TableLayoutForm::takeOver);
    connect(m_second, &QCheckBox::toggled, this, [this](bool on) {
        if (!m_quiet) {
            m_layout.second = on;  // said by the user, not by the table
            takeOver();
        }
    });
    connect(m_reset, &QPushButton::clicked, this, [this] {
        m_layout.rowOrder.clear();
        m_layout.columnOrder.clear();
        m_layout.hidden.clear();
        m_layout.renamed.clear();
        emit changed();
    });
    setLayoutOf({});
}

void TableLayoutForm::setLayoutOf(const TableLayout& layout) {
    const QScopedValueRollback quiet(m_quiet, true);
    m_layout = layout;
    m_decimals->setValue(layout.decimals.value_or(kOwnDigits));
    m_best->setChecked(layout.best);
    m_second->setChecked(layout.second.value_or(m_marksSecond));
    m_deviations->setChecked(layout.deviations);
    m_directions->setChecked(layout.directions);
    m_caption->setText(QString::fromStdString(layout.caption));
    m_label->setText(QString::fromStdString(layout.label));
    fillLists();
}

void TableLayoutForm::setTable(const MadeTable& made) {
    const QScopedValueRollback quiet(m_quiet, true);
    m_rowLabels = made.rowLabels;
    m_columnLabels = made.columnLabels;
    m_marksSecond = made.marksSecond;
    m_second->setChecked(m_layout.second.value_or(m_marksSecond));
    fillLists();
}

void TableLayoutForm::fillLists() {
    const auto fill = [this](OrderedList* list, const QStringList& labels) {
        QList<OrderedList::Item> items;
        for (const QString& label : labels) {
            const std::string key = label.toStdString();
            const auto renamed = m_layout.renamed.find(key);
            const bool hidden = std::find(m_layout.hidden.begin(), m_layout.hidden.end(), key) !=
                                m_layout.hidden.end();
            items.append({label,
                          renamed == m_layout.renamed.end()
                              ? label
                              : QString::fromStdString(renamed->second),
                          !hidden});
        }
        list->setItems(items);
    };
    fill(m_rows, m_rowLabels);
    fill(m_columns, m_columnLabels);
    m_second->setEnabled(m_best->isChecked());
    m_reset->setEnabled(!m_layout.rowOrder.empty() || !m_layout.columnOrder.empty() ||
                        !m_layout.hidden.empty() || !m_layout.renamed.empty());
}

void TableLayoutForm::takeOver() {
    if (m_quiet) {
        return;
    }
    m_layout.decimals.reset();
    if (m_decimals->value() != kOwnDigits) {
        m_layout.decimals = m_decimals->value();
    }
    m_layout.best = m_best->isChecked();
    m_layout.deviations = m_deviations->isChecked();
    m_layout.directions = m_directions->isChecked();
    m_layout.caption = m_caption->text().trimmed().toStdString();
    m_layout.label = m_label->text().trimmed().toStdString();
    // Only what a hand has moved is an order.
    if (m_rows->keys() != m_rowLabels) {
        m_rowLabels = m_rows->keys();
        m_layout.rowOrder = wordsOf(m_rowLabels);
    }
    if (m_columns->keys() != m_columnLabels) {
        m_columnLabels = m_columns->keys();
        m_layout.columnOrder = wordsOf(m_columnLabels);
    }
    // What is hidden elsewhere, in a table that these runs do not make now, stays so.
    std::erase_if(m_layout.hidden, [this](const std::string& label) {
        const QString name = QString::fromStdString(label);
        return m_rowLabels.contains(name) || m_columnLabels.contains(name);
    });
    for (const std::string& label : wordsOf(m_rows->uncheckedKeys() + m_columns->uncheckedKeys())) {
        m_layout.hidden.push_back(label);
    }
    m_second->setEnabled(m_best->isChecked());
    emit changed();
}

void TableLayoutForm::rename(const QString& shown, const QString& wanted) {
    std::string own = shown.toStdString();
    for (const auto& [old, name] : m_layout.renamed) {
        if (name == own) {  // a second time: it is known by its first name
            own = old;
            break;
        }
    }
    const std::string name = wanted.trimmed().toStdString();
    if (name.empty() || name == own) {
        m_layout.renamed.erase(own);
    } else {
        m_layout.renamed[own] = name;
    }
    emit changed();
}

}  // namespace cospadi::ui
