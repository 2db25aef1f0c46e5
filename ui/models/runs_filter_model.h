// Sorts and filters the grouped runs: by what is typed (core/store/run_condition.h), by the archive
// mark, and by a set of names that a chart's brush has left. A group stands as long as one of its
// runs does.
#pragma once

#include <QSet>
#include <QSortFilterProxyModel>
#include <QString>
#include <optional>
#include <vector>

#include "core/store/run_condition.h"

namespace cospadi::ui {

class GroupedRunsModel;
class RunsTableModel;

class RunsFilterModel : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    RunsFilterModel(RunsTableModel* runs, GroupedRunsModel* groups, QObject* parent = nullptr);

    // All of it is true of a run; words occur in what its row shows. Throws Error naming the term
    // that is none or has a field that no run has, and then filters as before.
    void setFilter(const QString& text);
    void setShowArchived(bool on);
    bool showsArchived() const { return m_archived; }
    // Only these runs; without a value all of them.
    void setBrushed(const std::optional<QSet<QString>>& runs);

    // Whether filter and archive mark let the run through, whatever is brushed.
    bool passes(int sourceRow) const;
    int runRow(const QModelIndex& index) const;  // in the RunsTableModel; −1 for a group
    QList<int> runRowsIn(const QModelIndex& index) const;  // the run, or those of a group on show

    Qt::ItemFlags flags(const QModelIndex& index) const override;

  protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

  private:
    RunsTableModel* m_runs;
    GroupedRunsModel* m_groups;
    QStringList m_words;                     // in small letters
    std::vector<RunCondition> m_conditions;  // of fields
    bool m_archived = false;
    std::optional<QSet<QString>> m_brushed;
};

}  // namespace cospadi::ui
