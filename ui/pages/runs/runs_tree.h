// The table of the Runs page: a row a run, or groups with their runs below them. Which runs are
// selected and on show, in the order on screen; what is asked of one by click and key. What stands
// in it is RunsFilterModel's.
#pragma once

#include <QAbstractItemDelegate>
#include <QStringList>
#include <QTreeView>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi::ui {

class RunsFilterModel;
class RunsTableModel;

class RunsTree : public QTreeView {
    Q_OBJECT

  public:
    // runs: what `sorted` sorts, for the rows below. Both outlive it.
    RunsTree(const RunsTableModel* runs, RunsFilterModel* sorted, QWidget* parent = nullptr);

    void select(const QStringList& ids);  // these and no others
    // Rows of the RunsTableModel. A selected group stands for its runs.
    std::vector<int> selectedRows() const;
    std::vector<int> rowsOnShow() const;
    QStringList selectedIds() const;

    // Where the keyboard is, by the run or group; empty: nowhere. To move it selects nothing.
    QString currentId() const;
    void setCurrent(const QString& id, int column);
    bool isEditing() const;

    QStringList foldedGroups() const;
    void fold(const QStringList& groups);  // those of them that are there

  signals:
    void opened(const cospadi::RunRow& run);  // double click, or Return on a single one
    void starsWanted(const QStringList& runs, bool starred);
    void menuWanted(const QPoint& place);        // of the selected runs; on the screen
    void columnMenuWanted(const QPoint& place);  // on the screen
    void editingEnded();                         // whether anything was written or not

  protected:
    void closeEditor(QWidget* editor, QAbstractItemDelegate::EndEditHint hint) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    const RunsTableModel* m_runs;
    RunsFilterModel* m_sorted;
};

}  // namespace cospadi::ui
