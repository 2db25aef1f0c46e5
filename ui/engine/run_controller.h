// One run at a time as the window sees it: starts, pauses, resumes and cancels it through the
// EngineClient, keeps its RunTrace, and can take up a run that was interrupted.
// Signals come at ≤ 30 Hz however fast the engine is.
#pragma once

#include <QJsonObject>
#include <QList>
#include <QObject>
#include <QStringList>
#include <functional>

#include "ui/base/latest_work.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/event_coalescer.h"
#include "ui/engine/run_follower.h"
#include "ui/engine/run_trace.h"

namespace cospadi {
struct RunSpecification;
}

namespace cospadi::ui {

// A run of another machine, as a program tells it.
struct FollowedElsewhere {
    QString specification;  // as JSON text; may be empty
    QString directory;      // there; it may be no place of this machine
    QString id;
    QStringList command;           // RunFollower::followThrough()
    std::function<void()> cancel;  // asks its scheduler
};

class RunController : public QObject {
    Q_OBJECT

  public:
    enum class State { Idle, Starting, Running, Paused, Cancelling };
    Q_ENUM(State)

    explicit RunController(EngineClient* engine, QObject* parent = nullptr);

    void start(const RunSpecification& specification);
    // Goes on from the last finished matrix of a run that was cancelled or lost its engine.
    bool canResumeInterrupted() const;
    void resumeInterrupted();
    // The same for a stored run: its specification as JSON text.
    void resumeStored(const QString& specification, const QString& directory);
    // The arguments of `cospadi` that go on with this run without the window; empty before it
    // began.
    QStringList commandToGoOn() const;
    // Watches a stored run that another process does, as if it were this one's; ends with
    // runFinished(), "interrupted" where that process dies. A start or resume ends it.
    void follow(const QString& specification, const QString& directory, const QString& id);
    // The same of a job of a cluster.
    void followElsewhere(const FollowedElsewhere& job);
    bool isFollowing() const { return m_follower.isFollowing(); }
    void togglePause();
    // Ends the run after its current iteration, so that it can go on later; also one that is
    // followed, where its process is this machine's and this user's, else failed() says why not.
    void cancel();
    bool canCancel() const;
    bool isCancelling() const { return m_state == State::Cancelling || m_follower.wasAskedToEnd(); }

    State state() const { return m_state; }
    // How the latest start ended: finished, cancelled, failed, interrupted (its engine or process
    // is gone), refused (it never began); empty while one goes on and before the first.
    const QString& ending() const { return m_ending; }
    bool isActive() const { return m_state != State::Idle; }
    const RunTrace& trace() const { return m_trace; }
    const QString& runId() const { return m_runId; }
    const QString& directory() const { return m_directory; }
    const QJsonObject& specification() const { return m_specification; }  // of the latest start

  signals:
    void stateChanged(cospadi::ui::RunController::State state);
    void traceChanged();
    void logged(const QStringList& lines);
    void followingBegun();
    // The run is at work in its directory (the engine has its lock).
    void begun(const QString& directory);
    void matrixFinished(const QString& directory);
    // status: finished, cancelled, failed; interrupted for a run that was followed.
    void runFinished(const QString& status, const QString& message);
    // The run, a pause or a cancel was refused, or the engine went with the run.
    void failed(const cospadi::ui::EngineError& error);

  private:
    void showFollowed(const QString& specification, const QString& directory, const QString& id);
    void send(const QJsonObject& specification, const QString& directory);
    void control(const QString& method);
    void setState(State state);
    void recallEarlierStarts();
    void takeBatch(const QList<QJsonObject>& events);
    void takeBeginning(const QJsonObject& result);
    void takeFailure(const EngineError& error);
    void finish(const QJsonObject& event);
    void endAs(const QString& ending);

    EngineClient* m_engine;
    EventCoalescer m_coalescer;
    RunFollower m_follower;
    LatestWork m_history;
    RunTrace m_trace;
    State m_state = State::Idle;
    QString m_runId;
    QString m_directory;
    QString m_ending;
    QJsonObject m_specification;
    bool m_interrupted = false;
    bool m_isResumed = false;  // the latest start went on in a directory that was there
    std::function<void()> m_cancelElsewhere;  // of one that is followed there
};

}  // namespace cospadi::ui
