// The life of runs as the window tells it: queued, ended, found again at the next start, resumed,
// watched, and what went wrong with them or the engine (what is measured of them: run_measures.h).
// Speaks through the message bar; what pages are to do about it are signals.
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <vector>

#include "core/store/run_row.h"
#include "core/store/run_specification.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/run_queue.h"

namespace cospadi::ui {

class MessageBar;

class RunLife : public QObject {
    Q_OBJECT

  public:
    struct Parts {  // none is null
        EngineClient* engine;
        RunController* run;
        RunQueue* queue;
        MessageBar* messages;
    };

    explicit RunLife(const Parts& parts, QObject* parent = nullptr);

    // All or none: where a specification is wrong, or data of a task that follows is not there,
    // that is told instead.
    void queue(const QList<Job>& jobs);
    // Where what is queued next finishes, that is told with what its figures mean.
    void explainNext() { m_explains = true; }
    void resume(const RunRow& run);
    // Watches a run that another process does.
    void follow(const RunRow& run);
    // Ends in planned().
    void planFrom(const RunRow& run);

    // What an earlier window left: a run that another process goes on with, one that was
    // interrupted, runs that wait. Once, until lookAgain().
    void offerWhatWasLeft(const std::vector<RunRow>& runs);
    void lookAgain() { m_looked = false; }  // the runs are others now
    // Closing stops the run that goes on: the next start offers to go on with it. What a user
    // cancels is not offered again. leavesRunning: another process was started to go on with it,
    // and the next start, which may be quicker, waits for that.
    void noteClosing(bool leavesRunning) const;

  signals:
    void monitorWanted();
    void runsWanted();
    // The settings of a stored run as a user would fill them in.
    void planned(const cospadi::RunSpecification& specification);
    void storedChanged();  // something of the stored runs
    // The last of the runs in a row has ended; every one ends in RunController::runFinished.
    void allEnded(const QString& status);

  private:
    void connectEnds();
    // With the offer to go on with what can: a run that was interrupted, runs that are held.
    void tellProblem(const EngineError& error, const QString& topic);
    void offerToGoOn();
    void takeRecovery();  // of the engine
    void takeEnd(const QString& status, const QString& message);
    void tellEnd(const QString& status, int ended, int whole);
    // Work is taken up again: what was told of the runs before it has passed.
    void withdrawOffers();
    void withdrawEnds();

    Parts m_parts;
    int m_endedInRow = 0;  // runs of the queue, since it last stood still
    int m_finishedInRow = 0;
    bool m_explains = false;  // the next end, to who has seen none
    bool m_looked = false;    // for what was left
    int m_looks = 0;          // until a run that was left running went on
};

}  // namespace cospadi::ui
