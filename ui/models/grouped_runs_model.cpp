#include "ui/models/grouped_runs_model.h"

#include <QFont>
#include <QHash>
#include <cmath>
#include <limits>

#include "ui/base/format.h"
#include "ui/models/perplexity_column.h"
#include "ui/models/runs_table_model.h"

namespace cospadi::ui {

namespace {

constexpr quintptr kTop = 0;  // internal id of groups and of ungrouped runs; else group + 1
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void keepLeast(double& least, double value) {
    if (std::isfinite(value) && value < least) {
        least = value;
    }
}

}  // namespace

GroupedRunsModel::GroupedRunsModel(RunsTableModel* runs, QObject* parent)
    : QAbstractProxyModel(parent), m_runs(runs) {
    QAbstractProxyModel::setSourceModel(runs);
    connect(runs, &QAbstractItemModel::modelAboutToBeReset, this,
            &GroupedRunsModel::beginResetModel);
    connect(runs, &QAbstractItemModel::modelReset, this, [this] {
        rebuild();
        endResetModel();
    });
    connect(runs, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex& first, const QModelIndex& last) {
                for (int row = first.row(); row <= last.row(); ++row) {
                    const QModelIndex left = mapFromSource(m_runs->index(row, first.column()));
                    emit dataChanged(left, left.siblingAtColumn(last.column()));
                }
            });
}

void GroupedRunsModel::setGroupColumn(int column) {
    if (column != m_column) {
        beginResetModel();
        m_column = column;
        rebuild();
        endResetModel();
    }
}

void GroupedRunsModel::regroup() {
    beginResetModel();
    rebuild();
    endResetModel();
}

void GroupedRunsModel::setWaiting(const QHash<QString, int>& bySweep) {
    if (bySweep != m_waiting) {
        m_waiting = bySweep;
        if (!m_groups.isEmpty()) {
            emit dataChanged(index(0, 0), index(static_cast<int>(m_groups.size()) - 1, 0));
        }
    }
}

bool GroupedRunsModel::groupsSweeps() const {
    return m_runs->columnKey(m_column) == QLatin1String(kSweepKey);
}

int GroupedRunsModel::waitingIn(const Group& group) const {
    return groupsSweeps() ? m_waiting.value(group.name) : 0;
}

QVariant GroupedRunsModel::progressOf(const Group& group) const {
    if (!groupsSweeps() || group.name == kMissing) {
        return {};
    }
    return static_cast<double>(group.finished) /
           static_cast<double>(group.rows.size() + waitingIn(group));
}

void GroupedRunsModel::rebuild() {
    m_groups.clear();
    m_places.clear();
    if (m_column >= m_runs->columnCount()) {
        m_column = kNoGroups;  // a setting that no run has any more
    }
    if (m_column == kNoGroups) {
        return;
    }
    QHash<QString, int> known;
    for (int row = 0; row < m_runs->rowCount(); ++row) {
        const QModelIndex cell = m_runs->index(row, m_column);
        const QString name = cell.data().toString();
        const auto place = known.constFind(name);
        const int group = place == known.constEnd() ? static_cast<int>(m_groups.size()) : *place;
        if (place == known.constEnd()) {
            known.insert(name, group);
            m_groups.append(
                {name, cell.data(RunsTableModel::SortRole), {}, 0, kInfinity, kInfinity});
        }
        Group& mine = m_groups[group];
        m_places.append({group, static_cast<int>(mine.rows.size())});
        mine.rows.append(row);
        mine.finished += m_runs->run(row).status == "finished" ? 1 : 0;
        keepLeast(mine.bestError, errorOf(m_runs->run(row)));
        keepLeast(mine.bestPerplexity, m_runs->perplexity(row));
    }
}

bool GroupedRunsModel::isGroup(const QModelIndex& index) const {
    return index.isValid() && m_column != kNoGroups && index.internalId() == kTop;
}

QModelIndex GroupedRunsModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= columnCount() || row >= rowCount(parent)) {
        return {};
    }
    return createIndex(row, column,
                       parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : kTop);
}

QModelIndex GroupedRunsModel::parent(const QModelIndex& child) const {
    return child.isValid() && child.internalId() != kTop
               ? createIndex(static_cast<int>(child.internalId() - 1), 0, kTop)
               : QModelIndex();
}

int GroupedRunsModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) {
        return m_column == kNoGroups ? m_runs->rowCount() : static_cast<int>(m_groups.size());
    }
    return isGroup(parent) && parent.column() == 0
               ? static_cast<int>(m_groups[parent.row()].rows.size())
               : 0;
}

int GroupedRunsModel::columnCount(const QModelIndex& /*parent*/) const {
    return m_runs->columnCount();
}

bool GroupedRunsModel::hasChildren(const QModelIndex& parent) const { return rowCount(parent) > 0; }

QModelIndex GroupedRunsModel::mapToSource(const QModelIndex& index) const {
    if (!index.isValid() || isGroup(index)) {
        return {};
    }
    const int row =
        m_column == kNoGroups
            ? index.row()
            : m_groups[static_cast<qsizetype>(index.internalId() - 1)].rows[index.row()];
    return m_runs->index(row, index.column());
}

QModelIndex GroupedRunsModel::mapFromSource(const QModelIndex& index) const {
    if (!index.isValid()) {
        return {};
    }
    if (m_column == kNoGroups) {
        return createIndex(index.row(), index.column(), kTop);
    }
    const auto& [group, row] = m_places[index.row()];
    return createIndex(row, index.column(), static_cast<quintptr>(group) + 1);
}

QVariant GroupedRunsModel::data(const QModelIndex& index, int role) const {
    if (!isGroup(index)) {
        return QAbstractProxyModel::data(index, role);
    }
    const Group& group = m_groups[index.row()];
    const bool error = index.column() == RunsTableModel::ErrorColumn;
    const bool perplexity = index.column() == RunsTableModel::PerplexityColumn;
    const double best = error ? group.bestError : perplexity ? group.bestPerplexity : kInfinity;
    switch (role) {
        case Qt::DisplayRole:
            if (index.column() == RunsTableModel::NameColumn) {
                const bool isNamed = group.name != kMissing && !group.name.isEmpty();
                const QString name = isNamed          ? group.name
                                     : groupsSweeps() ? tr("no sweep")
                                                      : tr("none");
                const auto runs = group.rows.size() + waitingIn(group);
                return group.finished == runs
                           ? tr("%1 (%2)").arg(name).arg(runs)
                           : tr("%1 (%2 of %3 finished)").arg(name).arg(group.finished).arg(runs);
            }
            return !error && !perplexity  ? QVariant()
                   : !std::isfinite(best) ? kMissing
                   : error                ? formatError(best)
                                          : formatPerplexity(best);
        case RunsTableModel::IdRole:  // whatever is in it
            return QStringLiteral("group:") + group.name;
        case ProgressRole:
            return index.column() == RunsTableModel::NameColumn ? progressOf(group) : QVariant();
        case RunsTableModel::SortRole:
            return error || perplexity ? QVariant(best) : group.sortValue;
        case Qt::ToolTipRole:
            return error || perplexity
                       ? tr("The best of the group")
                       : tr("%1: %n run(s)", nullptr, static_cast<int>(group.rows.size()))
                             .arg(group.name);
        case Qt::FontRole: {
            QFont font;
            font.setBold(true);
            return font;
        }
        case Qt::TextAlignmentRole:
            return m_runs->headerData(index.column(), Qt::Horizontal, role);
        default:
            return {};
    }
}

// The base asks the first row, which may be a group.
QVariant GroupedRunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    return m_runs->headerData(section, orientation, role);
}

Qt::ItemFlags GroupedRunsModel::flags(const QModelIndex& index) const {
    return isGroup(index) ? Qt::ItemIsEnabled | Qt::ItemIsSelectable
                          : QAbstractProxyModel::flags(index);
}

}  // namespace cospadi::ui
