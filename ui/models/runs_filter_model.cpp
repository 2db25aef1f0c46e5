#include "ui/models/runs_filter_model.h"

#include <algorithm>

#include "ui/models/grouped_runs_model.h"
#include "ui/models/runs_table_model.h"

namespace cospadi::ui {

RunsFilterModel::RunsFilterModel(RunsTableModel* runs, GroupedRunsModel* groups, QObject* parent)
    : QSortFilterProxyModel(parent), m_runs(runs), m_groups(groups) {
    setSortRole(RunsTableModel::SortRole);
    setRecursiveFilteringEnabled(true);
    setSourceModel(groups);
}

void RunsFilterModel::setFilter(const QString& text) {
    std::vector<RunCondition> conditions = conditionsIn(text.toStdString());
    requireFields(conditions, m_runs->fieldNames());
    m_words.clear();
    for (const RunCondition& condition : conditions) {
        if (condition.field.empty()) {
            m_words << QString::fromStdString(condition.values.front()).toLower();
        }
    }
    std::erase_if(conditions, [](const RunCondition& one) { return one.field.empty(); });
    m_conditions = std::move(conditions);
    invalidateFilter();
}

void RunsFilterModel::setShowArchived(bool on) {
    m_archived = on;
    invalidateFilter();
}

void RunsFilterModel::setBrushed(const std::optional<QSet<QString>>& runs) {
    if (m_brushed != runs) {
        m_brushed = runs;
        invalidateFilter();
    }
}

bool RunsFilterModel::passes(int sourceRow) const {
    const QString& text = m_runs->texts(sourceRow).search;
    return (m_archived || !m_runs->run(sourceRow).archived) &&
           std::all_of(m_words.begin(), m_words.end(),
                       [&](const QString& word) { return text.contains(word); }) &&
           (m_conditions.empty() ||
            std::all_of(m_conditions.begin(), m_conditions.end(),
                        [&, &fields = m_runs->fields(sourceRow)](const RunCondition& condition) {
                            return fits(condition, fields);
                        }));
}

bool RunsFilterModel::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex index = m_groups->index(row, 0, parent);
    if (m_groups->isGroup(index)) {
        return false;  // its runs speak for it
    }
    const int source = m_groups->mapToSource(index).row();
    return passes(source) && (!m_brushed || m_brushed->contains(m_runs->texts(source).id));
}

// A tree asks for those of every row whenever some go: mapping each to its run takes longer than
// the rest of its layout.
Qt::ItemFlags RunsFilterModel::flags(const QModelIndex& index) const {
    return index.isValid() && !m_groups->isGrouped() ? RunsTableModel::flagsIn(index.column())
                                                     : QSortFilterProxyModel::flags(index);
}

int RunsFilterModel::runRow(const QModelIndex& index) const {
    return m_groups->mapToSource(mapToSource(index)).row();
}

QList<int> RunsFilterModel::runRowsIn(const QModelIndex& index) const {
    const QModelIndex first = index.siblingAtColumn(0);
    if (!m_groups->isGroup(mapToSource(first))) {
        return {runRow(first)};
    }
    QList<int> rows;
    for (int row = 0; row < rowCount(first); ++row) {
        rows << runRow(this->index(row, 0, first));
    }
    return rows;
}

}  // namespace cospadi::ui
