#include "ui/pages/pattern/chosen_entries.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>
#include <vector>

#include "core/patterns/pattern_values.h"
#include "ui/base/format.h"
#include "ui/widgets/even_columns.h"
#include "ui/widgets/row_table.h"

namespace cospadi::ui {

using Kind = PatternChoice::Kind;

ChosenEntries::ChosenEntries(QWidget* parent)
    : QWidget(parent),
      m_pattern(std::make_shared<PatternData>()),
      m_kind(new QComboBox),
      m_place(new QSpinBox),
      m_none(new QPushButton(tr("Show all"))),
      m_facts(new QLabel),
      m_entries(new QStandardItemModel(this)) {
    m_kind->setObjectName(QStringLiteral("chosenKind"));
    m_kind->setAccessibleName(tr("Kind of selection"));
    m_kind->addItem(tr("none"), static_cast<int>(Kind::None));
    m_kind->addItem(tr("atom"), static_cast<int>(Kind::Atom));
    m_kind->addItem(tr("column"), static_cast<int>(Kind::Column));
    m_place->setObjectName(QStringLiteral("chosenPlace"));
    m_place->setAccessibleName(tr("Number of the atom or column"));
    m_none->setObjectName(QStringLiteral("chooseNone"));
    m_none->setToolTip(tr("Clears the selection: the whole map is highlighted"));
    m_facts->setWordWrap(true);
    m_facts->setObjectName(QStringLiteral("chosenFacts"));
    m_table =
        makeRowTable(QStringLiteral("chosenEntries"), tr("Entries of the selection"), m_entries);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    fitColumns(*m_table, EvenColumns::kNoColumn);
    m_table->setToolTip(tr("Double click or Enter: select the atom or column in this row"));
    auto* row = new QHBoxLayout;
    row->addWidget(m_kind);
    row->addWidget(m_place, 1);
    row->addWidget(m_none);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 6, 0, 0);
    column->addLayout(row);
    column->addWidget(m_facts);
    column->addWidget(m_table, 1);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &ChosenEntries::takeFields);
    connect(m_place, &QSpinBox::valueChanged, this, &ChosenEntries::takeFields);
    connect(m_none, &QPushButton::clicked, this, [this] { choose({}); });
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        const auto place = index.siblingAtColumn(0).data().toLongLong();
        choose({m_choice.kind == Kind::Atom ? Kind::Column : Kind::Atom, place});
    });
    list();
}

void ChosenEntries::setPattern(std::shared_ptr<const PatternData> pattern) {
    m_pattern = std::move(pattern);
    m_choice = {};
    list();
    emit chosen();
}

void ChosenEntries::choose(const PatternChoice& choice) {
    const std::int64_t count =
        choice.kind == Kind::Atom ? m_pattern->pattern.k : m_pattern->pattern.d2;
    const bool isThere = choice.kind != Kind::None && choice.place >= 0 && choice.place < count;
    const PatternChoice next = isThere ? choice : PatternChoice{};
    if (next != m_choice) {
        m_choice = next;
        list();
        emit chosen();
    }
}

void ChosenEntries::takeFields() {
    choose({static_cast<Kind>(m_kind->currentData().toInt()), m_place->value()});
}

void ChosenEntries::fillFields() {
    const QSignalBlocker quietKind(m_kind);
    const QSignalBlocker quietPlace(m_place);
    const bool any = m_choice.kind != Kind::None;
    const std::int64_t count =
        m_choice.kind == Kind::Column ? m_pattern->pattern.d2 : m_pattern->pattern.k;
    m_kind->setCurrentIndex(m_kind->findData(static_cast<int>(m_choice.kind)));
    m_kind->setEnabled(m_pattern->pattern.k > 0);
    m_place->setRange(0, static_cast<int>(std::max<std::int64_t>(count - 1, 0)));
    m_place->setValue(static_cast<int>(m_choice.place));
    m_place->setEnabled(any);
    m_none->setEnabled(any);
}

void ChosenEntries::list() {
    fillFields();
    m_entries->clear();
    m_table->setVisible(m_choice.kind != Kind::None);
    if (m_choice.kind == Kind::None) {
        m_facts->setText(
            tr("Click an entry or the row of an atom in the map: the columns that use "
               "the atom are listed here. With Shift, or above and below the map: a "
               "column and its atoms."));
        return;
    }
    const bool isAtom = m_choice.kind == Kind::Atom;
    const std::vector<PatternEntry> entries =
        isAtom ? entriesOfAtom(m_pattern->pattern, m_pattern->values, m_choice.place)
               : entriesOfColumn(m_pattern->pattern, m_pattern->values, m_choice.place);
    const int count = static_cast<int>(entries.size());
    m_facts->setText(
        isAtom ? tr("atom %1 is used by %n column(s), the largest value first", nullptr, count)
                     .arg(m_choice.place)
               : tr("column %1 uses %n atom(s), the largest value first", nullptr, count)
                     .arg(m_choice.place));
    m_entries->setHorizontalHeaderLabels({isAtom ? tr("column") : tr("atom"), tr("value")});
    m_entries->horizontalHeaderItem(1)->setToolTip(tr("the coefficient × the length of its atom"));
    constexpr int kRight = int(Qt::AlignRight | Qt::AlignVCenter);
    for (int heading = 0; heading < m_entries->columnCount(); ++heading) {
        m_entries->horizontalHeaderItem(heading)->setData(kRight, Qt::TextAlignmentRole);
    }
    for (const PatternEntry& entry : entries) {
        auto* place = new QStandardItem;
        place->setData(static_cast<qlonglong>(entry.place), Qt::DisplayRole);
        auto* value = new QStandardItem(formatNumber(static_cast<double>(entry.value)));
        place->setData(kRight, Qt::TextAlignmentRole);
        value->setData(kRight, Qt::TextAlignmentRole);
        m_entries->appendRow({place, value});
    }
}

}  // namespace cospadi::ui
