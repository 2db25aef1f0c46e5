#include "ui/models/report_table_model.h"

#include <QFont>

#include "core/report/report.h"

namespace cospadi::ui {

ReportTableModel::ReportTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void ReportTableModel::setTable(ReportTable table) {
    beginResetModel();
    m_table = std::move(table);
    m_ranks = rankCells(m_table);
    endResetModel();
}

int ReportTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int ReportTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

Qt::Alignment ReportTableModel::alignmentOf(int column) const {
    const bool text = m_table.columns[static_cast<std::size_t>(column)].kind == ColumnKind::Text;
    return (text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter;
}

bool ReportTableModel::isText(const QModelIndex& index) const {
    const auto& row = m_table.rows[static_cast<std::size_t>(index.row())];
    return std::holds_alternative<std::string>(row.cells[static_cast<std::size_t>(index.column())]);
}

QVariant ReportTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount()) {
        return {};
    }
    const auto row = static_cast<std::size_t>(index.row());
    const auto column = static_cast<std::size_t>(index.column());
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole:
            return QString::fromStdString(
                displayText(m_table.rows[row].cells[column], m_table.columns[column]));
        case Qt::TextAlignmentRole:
            return int(alignmentOf(index.column()));
        case RuleAboveRole:
            return beginsBlock(m_table, row);
        case Qt::FontRole: {
            QFont font(QStringLiteral("serif"));
            font.setStyleHint(QFont::Serif);
            font.setBold(m_ranks[row][column] == 1);
            font.setUnderline(m_ranks[row][column] == 2 && m_table.markSecond);
            return font;
        }
        case Qt::ToolTipRole:
            return m_ranks[row][column] == 1 ? tr("The best of its group")
                   : m_ranks[row][column] == 2 && m_table.markSecond
                       ? tr("The second best of its group")
                   : isText(index) ? tr("Double click or F2: rename it in this table")
                                   : QVariant();
        default:
            return {};
    }
}

bool ReportTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !index.isValid() || !isText(index)) {
        return false;
    }
    const QString shown = index.data().toString();
    if (shown == value.toString()) {
        return false;
    }
    emit renamed(shown, value.toString());
    return true;
}

QVariant ReportTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) {
        return {};
    }
    const ReportColumn& column = m_table.columns[static_cast<std::size_t>(section)];
    switch (role) {
        case Qt::DisplayRole:
            return QString::fromStdString(
                printedHeading(column.over.empty() ? column.name : column.under));
        case SharedHeadingRole:
            return QString::fromStdString(printedHeading(column.over));
        case Qt::AccessibleTextRole:
            return QString::fromStdString(printedHeading(column.name));
        case Qt::TextAlignmentRole:
            return int(alignmentOf(section));
        case Qt::FontRole: {
            QFont font(QStringLiteral("serif"));
            font.setStyleHint(QFont::Serif);
            return font;
        }
        default:
            return {};
    }
}

Qt::ItemFlags ReportTableModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() && isText(index) ? flags | Qt::ItemIsEditable : flags;
}

}  // namespace cospadi::ui
