// What a user sets on stored runs: stars, archive marks, tags, names and notes. Each stands in the
// table at once and is written to the store off the GUI thread, one after another (run_marks.h), as
// deleting runs is. Says when the table shows runs as they were before. GUI thread only.
#pragma once

#include <QObject>
#include <QStringList>
#include <functional>

#include "core/base/error.h"
#include "core/store/run_row.h"
#include "ui/base/ordered_work.h"

namespace cospadi::ui {

class RunsTableModel;

class MarkWriter : public QObject {
    Q_OBJECT

  public:
    explicit MarkWriter(RunsTableModel* runs, QObject* parent = nullptr);

    void star(const QStringList& runs, bool starred);
    void archive(const QStringList& runs, bool archived);
    void addTag(const QStringList& runs, const QString& tag);
    void replaceTags(const QString& run, const QStringList& tags);  // by these and no others
    void setName(const RunRow& run, const QString& name);  // empty: it has none of its own any more
    void setNote(const QStringList& runs, const QString& text);
    // This run, which may not be in the table yet, belongs to the sweep of that name.
    void addToSweep(const QString& directory, const QString& sweep);
    void deleteRuns(const QStringList& runs);

    // The table has what was read: where marks are being written, perhaps from before them.
    void takeRead() { m_shownMeanwhile = m_writes.isWorking(); }

  signals:
    void marked();    // in the table
    void written();   // one of them, or failed: what is being read may be from before it
    void outdated();  // the table, now that all is written: it is to be read again
    void failed(const cospadi::Error& error);

  private:
    // change: what the mark does to a row, at once; write: the same in the store.
    void mark(const QStringList& runs, const std::function<void(RunRow&)>& change,
              const std::function<void()>& write);

    RunsTableModel* m_runs;
    OrderedWork m_writes;
    bool m_shownMeanwhile = false;  // runs as they were before a mark that is being written
};

}  // namespace cospadi::ui
