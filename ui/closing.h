// What becomes of what goes on when the window closes: the question about it in the message bar,
// and a run that goes on in a process of its own. The question stands until it is answered. Where
// the last run finishes first there is nothing left to ask, and the window closes; where it ends
// otherwise the question says so and stays.
#pragma once

#include <QObject>

#include "ui/engine/activity.h"

namespace cospadi::ui {

class EngineClient;
class MessageBar;
class RunController;
class RunMeasures;
class TaskQueue;

class Closing : public QObject {
    Q_OBJECT

  public:
    struct Parts {  // none is null
        EngineClient* engine;
        RunController* run;
        TaskQueue* tasks;
        RunMeasures* measures;
        const Activity* activity;
        MessageBar* messages;
    };

    explicit Closing(const Parts& parts, QObject* parent = nullptr);

    // True where the window stays open for now, for the answer.
    bool asks();
    bool leftRunning() const { return m_leftRunning; }  // to a process of its own

  signals:
    void closeWanted();

  private:
    void ask();
    void askOn();  // something has ended or begun meanwhile
    // Hands the run to a `cospadi compress` of its own, which goes on without the window.
    void handOver();

    Parts m_parts;
    bool m_asked = false;
    Activity::Kind m_askedAbout = Activity::Kind::None;  // what went on at the latest question
    bool m_leftRunning = false;
};

}  // namespace cospadi::ui
