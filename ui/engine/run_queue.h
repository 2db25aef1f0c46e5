// Runs one after another: what the window was asked to run, in order. The next begins when the
// RunController is idle and nothing is being measured of the one before. Cancelling one run goes on
// with the next; clear() forgets those that wait. The waiting ones survive the window, and so does
// what is being measured: waitingAsText() and restore().
#pragma once

#include <QList>
#include <QObject>
#include <QString>

#include "core/store/run_specification.h"
#include "ui/engine/after_run.h"
#include "ui/engine/run_controller.h"

namespace cospadi::ui {

struct Job {
    int id = 0;
    RunSpecification specification;
    double bytes = -1;    // of the plan; negative while unknown
    double seconds = -1;  // predicted, measured once it is done; negative while unknown
    QString state;        // "planned", "waiting", "running", "finished", "cancelled", "failed"
    QString run;          // id of its run; empty before it began
    QString sweep;        // name of the sweep that it belongs to; empty: of none
    AfterRun after;       // asked for once: nothing is left of it when that has happened
    QString directory;    // of its run, where that is finished and only what follows waits
};

class RunQueue : public QObject {
    Q_OBJECT

  public:
    explicit RunQueue(RunController* run, QObject* parent = nullptr);

    void add(const QList<Job>& jobs);
    void clear();  // of those that wait
    void remove(int id);
    void move(int id, int by);  // among those that wait; −1 is earlier
    // Holds the queue after the run that goes on; resume with setHeld(false).
    void setHeld(bool held);
    bool isHeld() const { return m_held; }
    // The next run waits until what was asked for by measuresDue() is over: the engine does one
    // thing at a time, and what waits inside it would look as if it went on.
    void setMeasuring(bool measuring);
    // All of this kind is over, however it ended: a restart does not ask for it again.
    enum class Measure { Perplexity, Tasks };
    void endMeasures(Measure kind);

    const QList<Job>& jobs() const { return m_jobs; }  // done, running, waiting, in this order
    int waiting() const;
    bool goesOn() const;         // with another run, when it can
    double secondsLeft() const;  // predicted, of those that wait; negative while unknown

    // The specifications of those that wait, as JSON lines, with the name of their sweep and what
    // follows them. Runs that are being measured come first: as jobs that only wait for that.
    QString waitingAsText() const;
    void restore(const QString& text);

  signals:
    void changed();
    // A run of a sweep that has a name is at work in this directory.
    void sweepRunBegun(const QString& directory, const QString& sweep);
    // A run is finished in this directory that something is to be measured of; also where it was
    // cancelled before, and resumed.
    void measuresDue(const QString& directory, const cospadi::ui::AfterRun& after);

  private:
    void startNext();
    void askForMeasures();
    void measure(Job& job, const QString& directory);
    Job* running();
    int firstWaiting() const;

    RunController* m_run;
    QList<Job> m_jobs;
    QList<Job> m_measured;  // being so; apart from the jobs, which the user may remove
    int m_nextId = 1;
    bool m_held = false;
    bool m_measuring = false;
};

}  // namespace cospadi::ui
