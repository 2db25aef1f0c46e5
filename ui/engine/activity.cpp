#include "ui/engine/activity.h"

#include <utility>

#include "ui/engine/curve_source.h"
#include "ui/engine/data_fetch.h"
#include "ui/engine/matrix_lab.h"
#include "ui/engine/perplexity_measurement.h"
#include "ui/engine/reproduction_work.h"
#include "ui/engine/run_controller.h"
#include "ui/engine/run_queue.h"
#include "ui/engine/task_queue.h"

namespace cospadi::ui {

Activity::Activity(const Parts& parts, QObject* parent) : QObject(parent), m_parts(parts) {
    connect(parts.run, &RunController::stateChanged, this, &Activity::look);
    connect(parts.queue, &RunQueue::changed, this, &Activity::look);
    connect(parts.reproduction, &ReproductionWork::changed, this, &Activity::look);
    connect(parts.tasks, &TaskQueue::changed, this, &Activity::look);
    connect(parts.fetch, &DataFetch::changed, this, &Activity::look);
    connect(parts.perplexity, &PerplexityMeasurement::changed, this, &Activity::look);
    connect(parts.curves, &CurveSource::changed, this, &Activity::look);
    for (const auto signal : {&MatrixLab::calibrationStarted, &MatrixLab::calibrated}) {
        connect(parts.lab, signal, this, &Activity::look);
    }
    connect(parts.lab, &MatrixLab::calibrationFailed, this, &Activity::look);
}

void Activity::look() {
    const Kind now = kind();
    if (std::exchange(m_told, now) != now) {
        emit changed();
    }
}

Activity::Kind Activity::kind() const {
    return m_parts.run->isActive()            ? Kind::Run
           : m_parts.reproduction->isActive() ? Kind::Reproduction
           : m_parts.tasks->isActive()        ? Kind::Tasks
           : m_parts.fetch->isActive()        ? Kind::Fetch
           : m_parts.perplexity->isActive()   ? Kind::Perplexity
           : m_parts.lab->isCalibrating()     ? Kind::Calibration
           : m_parts.curves->isMeasuring()    ? Kind::Curves
           : m_parts.queue->goesOn()          ? Kind::Queue
                                              : Kind::None;
}

bool Activity::isRunAlone() const {
    return m_parts.run->isActive() && !m_parts.reproduction->isActive() &&
           !m_parts.tasks->isActive() && !m_parts.fetch->isActive() &&
           !m_parts.perplexity->isActive();
}

QString Activity::words() const {
    switch (kind()) {
        case Kind::Run:
            return tr("A run is in progress.");
        case Kind::Reproduction:
            return tr("A table of the paper is being reproduced.");
        case Kind::Tasks:
            return tr("Tasks are being evaluated.");
        case Kind::Fetch:
            return tr("Data sets are being fetched.");
        case Kind::Perplexity:
            return tr("Perplexity is being measured.");
        case Kind::Calibration:
            return tr("A calibration is in progress.");
        case Kind::Curves:
            return tr("The curves of the whole model are being measured.");
        case Kind::Queue:
            return tr("A run is about to start.");
        case Kind::None:
            break;
    }
    return {};
}

QString Activity::wordsOfStop() const {
    switch (kind()) {
        case Kind::Run:
        case Kind::Queue:
            return tr(
                "Finished matrices are kept either way; waiting runs are kept for the next start.");
        case Kind::Reproduction:
            return tr(
                "Finished runs and matrices are kept; starting again continues with the rest.");
        case Kind::Tasks:
            return tr("Finished tasks are recorded; the current one would start over.");
        case Kind::Fetch:
            return tr("Tasks already fetched are kept.");
        case Kind::Perplexity:
            return tr("It would have to be measured again.");
        case Kind::Calibration:
            return tr("Finished blocks are kept.");
        case Kind::Curves:
            return tr("Curves measured so far are kept.");
        case Kind::None:
            break;
    }
    return {};
}

}  // namespace cospadi::ui
