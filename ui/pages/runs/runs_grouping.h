// By which column the table of runs is grouped: of the user's choice, which the settings remember
// (runs/group: its key). Until there is one, runs of sweeps stand together: a sweep is one thing
// with a row of its own.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <vector>

#include "core/store/run_row.h"

class QMenu;

namespace cospadi::ui {

class GroupedRunsModel;
class RunsTableModel;
class RunsTree;

class RunsGrouping : public QObject {
    Q_OBJECT

  public:
    // groups: of `runs`, shown by `table`. All three outlive it.
    RunsGrouping(const RunsTableModel* runs, GroupedRunsModel* groups, RunsTree* table,
                 QObject* parent);

    const QString& key() const { return m_key; }  // of the column; empty: nothing is grouped
    void choose(const QString& key);              // and remembers it
    // Again, where columns may have moved. All groups are unfolded, what is selected stays so.
    void apply();
    // settings: that runs have. Before the first choice their sweeps are what is grouped by.
    void groupSweepsAtFirst(const QStringList& settings);
    // Those of sweeps that wait, with the status kWaitingStatus: their sweep counts them.
    void setAsked(const std::vector<RunRow>& asked);
    void fillMenu(QMenu* menu);

  signals:
    void applied();

  private:
    const RunsTableModel* m_runs;
    GroupedRunsModel* m_groups;
    RunsTree* m_table;
    QString m_key;
};

}  // namespace cospadi::ui
