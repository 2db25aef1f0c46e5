// What is measured of runs because somebody asked, because a plan wants it of each once it is
// finished, or because it was predicted; told through the message bar. While something of a run
// that has just finished is measured, the next of the queue waits. What the window's end leaves
// undone of that waits in the queue at the next start; what is recorded is not measured again.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <vector>

#include "core/store/run_row.h"
#include "ui/engine/run_queue.h"

namespace cospadi::ui {

class MessageBar;
class PerplexityMeasurement;
class TaskQueue;

class RunMeasures : public QObject {
    Q_OBJECT

  public:
    struct Parts {  // none is null
        RunController* run;
        RunQueue* queue;
        PerplexityMeasurement* perplexity;
        TaskQueue* tasks;
        MessageBar* messages;
    };

    explicit RunMeasures(const Parts& parts, QObject* parent = nullptr);

    // Their perplexities, one after another. Runs that have one by this measure are left out,
    // unless all have.
    void evaluate(const std::vector<RunRow>& runs);
    // Tasks that an earlier window did not come to. Once.
    void offerWhatWasLeft();
    // The engine is about to be stopped: what ends from now on has not come to its end.
    void stopListening();

  signals:
    void storedChanged();  // a run has a perplexity; TaskQueue::recorded() tells of tasks

  private:
    void connectPerplexity();
    void takeFinished(const QString& directory, const AfterRun& after);
    // Of a run whose matrices have ratios of their own, as the page Whole makes them, on the text
    // that its perplexity was predicted of.
    void holdAgainstPrediction();
    void measure(const QStringList& directories, int tokens, const QString& text);
    void askTasks(const QString& directory, const AfterRun& after);
    bool isAskingTasks() const;
    void letQueueGoOn();  // where nothing is measured any more
    void tellMeasured(int measured);

    Parts m_parts;
    double m_perplexity = 0;   // the latest
    bool m_isRecorded = true;  // each of those since nothing was measured
    bool m_looked = false;     // for what was left
};

}  // namespace cospadi::ui
