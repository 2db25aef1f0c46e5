// Evaluations of tasks, one after another, through the engine: what waits, what is asked now with
// its accuracy so far, and what has ended. Answers are recorded with the run by the engine, task by
// task; this is only what the window shows of it. What waits survives the window: waitingAsText()
// and restore().
#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QStringList>

#include "ui/engine/engine_client.h"

namespace cospadi::ui {

struct TaskMetricValue {
    QString metric;
    double value = 0;
    double standardError = 0;  // NaN where unknown
};

// One task of a job as far as it has come.
struct TaskLine {
    QString task;
    qint64 items = 0;
    QList<TaskMetricValue> metrics;
    bool isFinished = false;
    bool wasThere = false;  // evaluated before, not asked again
};

struct TaskJob {
    enum class State { Waiting, Running, Finished, Cancelled, Failed };

    QString name;   // given by the queue
    QString model;  // path, run directory or "default"
    QString label;  // as people know it
    QStringList tasks;
    QString data;      // folder; empty: what was fetched, else the samples that ship
    double limit = 0;  // items a task; 0: all
    bool again = false;
    // Asked because a run is finished: RunQueue keeps it over a restart.
    bool followsRun = false;

    State state = State::Waiting;
    QString problem;  // why it failed, or, of a finished one, was not recorded
    qint64 done = 0, total = 0;
    double etaSeconds = -1;
    QList<TaskLine> lines;
    bool isHeld = false;  // waits for a word

    bool isOver() const { return state > State::Running; }
};

// The `cospadi evaluate` command that does the same.
QString taskCommand(const TaskJob& job);

class TaskQueue : public QObject {
    Q_OBJECT

  public:
    explicit TaskQueue(EngineClient* engine, QObject* parent = nullptr);

    void add(const QList<TaskJob>& jobs);
    // One that waits is forgotten, the one that goes on is stopped: what has ended stays recorded.
    void cancel(const QString& name);
    void cancelAll();
    void forgetEnded();

    // What waits is held, and so is what is asked now, which is stopped: for the next start.
    void putOff();
    int held() const;
    void startHeld();
    void forgetHeld();
    // Of those that wait or are asked now, a JSON line each. Restored ones are held.
    QString waitingAsText() const;
    void restore(const QString& text);

    const QList<TaskJob>& jobs() const { return m_jobs; }
    bool isActive() const { return EngineReply::isOpen(m_reply); }

  signals:
    void changed();
    // A job has ended with results in this run directory, as far as it took them.
    void recorded(const QString& directory);
    // These tasks of it had the few items that ship with the program.
    void sampled(const QString& label, const QStringList& tasks);
    // It was answered, but the run or the index could not take the results.
    void unrecorded(const QString& label, const QString& warning);
    void failed(const QString& label, const cospadi::ui::EngineError& error);

  private:
    void append(TaskJob job);
    TaskJob* running();
    void startNext();
    void takeEvent(const QJsonObject& event);
    void takeResult(const QJsonObject& result);
    void takeFailure(const EngineError& error);
    void end(TaskJob::State state, const QString& problem = {});

    EngineClient* m_engine;
    QList<TaskJob> m_jobs;
    QPointer<EngineReply> m_reply;  // to the running job
    int m_nextName = 1;
    bool m_cancelling = false;
};

}  // namespace cospadi::ui
