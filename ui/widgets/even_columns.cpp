#include "ui/widgets/even_columns.h"

#include <QAbstractItemModel>
#include <QEvent>
#include <QHeaderView>
#include <QTableView>
#include <QTimer>
#include <algorithm>
#include <vector>

#include "ui/base/font_units.h"

namespace cospadi::ui {

namespace {

constexpr int kAroundCell = 10;      // pixels between what two columns hold
constexpr int kLeastStretched = 18;  // characters of the column that takes the rest
constexpr int kPatienceMilliseconds = 30;

bool isNumber(const QAbstractItemModel& model, int column) {
    const int alignment = model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
    return (alignment & Qt::AlignRight) != 0;
}

}  // namespace

EvenColumns::EvenColumns(QTableView& table, int stretched)
    : QObject(&table), m_table(table), m_stretched(stretched), m_soon(new QTimer(this)) {
    m_soon->setSingleShot(true);
    m_soon->setInterval(kPatienceMilliseconds);
    connect(m_soon, &QTimer::timeout, this, &EvenColumns::fit);
    const QAbstractItemModel* model = table.model();
    const auto later = [this] {
        if (!m_soon->isActive()) {
            m_soon->start();
        }
    };
    connect(model, &QAbstractItemModel::modelReset, this, later);
    connect(model, &QAbstractItemModel::rowsInserted, this, later);
    connect(model, &QAbstractItemModel::dataChanged, this, later);
    table.viewport()->installEventFilter(this);
    table.horizontalHeader()->setStretchLastSection(false);
    table.horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    fit();
}

bool EvenColumns::eventFilter(QObject* watched, QEvent* event) {
    // A table that is hidden takes the room of its vertical header without an event.
    if (event->type() == QEvent::Resize || event->type() == QEvent::Show) {
        fit();
    }
    return QObject::eventFilter(watched, event);
}

void EvenColumns::fit() {
    const QAbstractItemModel& model = *m_table.model();
    const QHeaderView& header = *m_table.horizontalHeader();
    std::vector<int> widths(static_cast<std::size_t>(model.columnCount()), 0);
    int widest = 0;
    int numbers = 0;
    int others = 0;  // widths of all but the stretched column and the numbers, as they need it
    for (int column = 0; column < model.columnCount(); ++column) {
        if (m_table.isColumnHidden(column) || column == m_stretched) {
            continue;
        }
        int& width = widths[static_cast<std::size_t>(column)];
        // Through the base class: the table's own keeps the hints to itself.
        width = std::max(static_cast<QAbstractItemView&>(m_table).sizeHintForColumn(column),
                         header.sectionSizeHint(column)) +
                kAroundCell;
        if (isNumber(model, column)) {
            widest = std::max(widest, width);
            ++numbers;
        } else {
            others += width;
        }
    }
    const int least =
        m_stretched == kNoColumn ? 0 : charactersWide(m_table.font(), kLeastStretched);
    const int room = m_table.viewport()->width() - least - others;
    const bool even = widest * numbers <= room;
    for (int column = 0; column < model.columnCount(); ++column) {
        if (!m_table.isColumnHidden(column) && column != m_stretched) {
            m_table.setColumnWidth(column, even && isNumber(model, column)
                                               ? widest
                                               : widths[static_cast<std::size_t>(column)]);
        }
    }
    if (m_stretched == kNoColumn) {
        return;
    }
    // Last, of the width there is then: the viewport may have changed with the others.
    int taken = 0;
    for (int column = 0; column < model.columnCount(); ++column) {
        taken += column == m_stretched ? 0 : m_table.columnWidth(column);  // 0 where hidden
    }
    m_table.setColumnWidth(m_stretched, std::max(m_table.viewport()->width() - taken, least));
}

}  // namespace cospadi::ui
