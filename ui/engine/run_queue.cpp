#include "ui/engine/run_queue.h"

#include <QStringList>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ui/base/string_list.h"

namespace cospadi::ui {

namespace {

const QString kWaiting = QStringLiteral("waiting");
const QString kRunning = QStringLiteral("running");
const QString kFinished = QStringLiteral("finished");
const char* const kSweepField = "sweep_name";  // no setting of a specification
const char* const kAfterField = "after_run";   // likewise
const char* const kFinishedField = "finished_in";

nlohmann::json asJson(const AfterRun& after) {
    return {{"perplexity", after.perplexity},
            {"tasks", wordsOf(after.tasks)},
            {"data", after.data.toStdString()},
            {"limit", after.limit}};
}

AfterRun afterRunFromJson(const nlohmann::json& saved) {
    AfterRun after;
    after.perplexity = saved.at("perplexity").get<bool>();
    after.tasks = listOf(saved.at("tasks").get<std::vector<std::string>>());
    after.data = QString::fromStdString(saved.at("data").get<std::string>());
    after.limit = saved.at("limit").get<double>();
    return after;
}

QString asLine(const Job& job) {
    nlohmann::json line = toJson(job.specification);
    if (!job.sweep.isEmpty()) {
        line[kSweepField] = job.sweep.toStdString();
    }
    if (!job.after.isNothing()) {
        line[kAfterField] = asJson(job.after);
    }
    if (!job.directory.isEmpty()) {
        line[kFinishedField] = job.directory.toStdString();
    }
    return QString::fromStdString(line.dump());
}

}  // namespace

RunQueue::RunQueue(RunController* run, QObject* parent) : QObject(parent), m_run(run) {
    connect(run, &RunController::runFinished, this, [this](const QString& status) {
        if (Job* job = running()) {
            job->state = status;
            job->seconds = m_run->trace().seconds();
        }
        if (status == kFinished) {
            askForMeasures();
        }
        emit changed();
    });
    connect(run, &RunController::failed, this, [this] {
        // Only where the run is over: a refused pause changes nothing.
        if (Job* job = running(); job != nullptr && !m_run->isActive()) {
            job->state = QStringLiteral("failed");
            m_held = waiting() > 0;  // what broke one run may break them all
            emit changed();
        }
    });
    connect(run, &RunController::begun, this, [this](const QString& directory) {
        if (const Job* job = running(); job != nullptr && !job->sweep.isEmpty()) {
            emit sweepRunBegun(directory, job->sweep);
        }
    });
    connect(run, &RunController::stateChanged, this, [this](RunController::State state) {
        if (state == RunController::State::Running) {
            if (Job* job = running()) {
                job->run = m_run->runId();
                emit changed();
            }
        }
        if (state == RunController::State::Idle) {
            // After everybody has heard of the end of this one.
            QMetaObject::invokeMethod(this, &RunQueue::startNext, Qt::QueuedConnection);
        }
    });
}

void RunQueue::add(const QList<Job>& jobs) {
    for (Job job : jobs) {
        job.id = m_nextId++;
        job.state = kWaiting;
        job.run.clear();
        m_jobs.append(job);
    }
    emit changed();
    startNext();
}

void RunQueue::clear() {
    m_jobs.removeIf([](const Job& job) { return job.state == kWaiting; });
    m_held = false;
    emit changed();
}

void RunQueue::remove(int id) {
    m_jobs.removeIf([id](const Job& job) { return job.id == id && job.state != kRunning; });
    emit changed();
}

void RunQueue::move(int id, int by) {
    const auto found =
        std::find_if(m_jobs.begin(), m_jobs.end(), [id](const Job& job) { return job.id == id; });
    const int first = firstWaiting();
    if (found == m_jobs.end() || found->state != kWaiting || first < 0) {
        return;
    }
    const int from = static_cast<int>(found - m_jobs.begin());
    const int to = std::clamp(from + by, first, static_cast<int>(m_jobs.size()) - 1);
    m_jobs.move(from, to);
    emit changed();
}

void RunQueue::setHeld(bool held) {
    m_held = held;
    emit changed();
    startNext();
}

void RunQueue::setMeasuring(bool measuring) {
    if (!measuring) {
        m_measured.clear();
    }
    if (std::exchange(m_measuring, measuring) && !measuring) {
        // After everybody has heard of the end of what was measured.
        QMetaObject::invokeMethod(this, &RunQueue::startNext, Qt::QueuedConnection);
    }
}

void RunQueue::endMeasures(Measure kind) {
    for (Job& job : m_measured) {
        if (kind == Measure::Perplexity) {
            job.after.perplexity = false;
        } else {
            job.after.tasks.clear();
        }
    }
    m_measured.removeIf([](const Job& job) { return job.after.isNothing(); });
}

int RunQueue::waiting() const {
    return static_cast<int>(std::count_if(m_jobs.begin(), m_jobs.end(),
                                          [](const Job& job) { return job.state == kWaiting; }));
}

bool RunQueue::goesOn() const {
    return !m_held && std::any_of(m_jobs.begin(), m_jobs.end(), [](const Job& job) {
        return job.state == kWaiting && job.directory.isEmpty();
    });
}

double RunQueue::secondsLeft() const {
    double seconds = 0;
    for (const Job& job : m_jobs) {
        if (job.state == kWaiting) {
            if (job.seconds < 0) {
                return -1;
            }
            seconds += job.seconds;
        }
    }
    return seconds;
}

int RunQueue::firstWaiting() const {
    for (int i = 0; i < m_jobs.size(); ++i) {
        if (m_jobs[i].state == kWaiting) {
            return i;
        }
    }
    return -1;
}

Job* RunQueue::running() {
    for (Job& job : m_jobs) {
        if (job.state == kRunning) {
            return &job;
        }
    }
    return nullptr;
}

// By its run, as one that was resumed is no running job; a job that was asked for again goes on
// with the unfinished run of an earlier one, and the latest says what follows.
void RunQueue::askForMeasures() {
    const auto job = std::find_if(m_jobs.rbegin(), m_jobs.rend(), [this](const Job& candidate) {
        return !candidate.run.isEmpty() && candidate.run == m_run->runId();
    });
    if (job != m_jobs.rend() && !job->after.isNothing()) {
        measure(*job, m_run->directory());
    }
}

void RunQueue::measure(Job& job, const QString& directory) {
    Job measured = job;
    measured.directory = directory;
    m_measured.append(measured);
    job.after = {};
    emit measuresDue(directory, measured.after);
}

void RunQueue::startNext() {
    const int next = firstWaiting();
    if (next < 0 || m_held || m_measuring || m_run->isActive() || running() != nullptr) {
        return;
    }
    if (Job& job = m_jobs[next]; !job.directory.isEmpty()) {
        job.state = kFinished;
        measure(job, job.directory);
        // The next one, where nothing could be begun.
        QMetaObject::invokeMethod(this, &RunQueue::startNext, Qt::QueuedConnection);
        emit changed();
        return;
    }
    m_jobs[next].state = kRunning;
    const RunSpecification specification = m_jobs[next].specification;
    m_run->start(specification);
    emit changed();  // not sooner: neither waiting nor active, it would look as if nothing went on
}

QString RunQueue::waitingAsText() const {
    QStringList lines;
    for (const Job& job : m_measured) {
        lines << asLine(job);
    }
    for (const Job& job : m_jobs) {
        // One that is only just being started has no directory yet to go on from.
        if (job.state == kWaiting || (job.state == kRunning && m_run->runId().isEmpty())) {
            lines << asLine(job);
        }
    }
    return lines.join(QLatin1Char('\n'));
}

void RunQueue::restore(const QString& text) {
    QList<Job> jobs;
    for (const QString& line : text.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        try {
            Job job;
            nlohmann::json saved = nlohmann::json::parse(line.toStdString());
            job.sweep = QString::fromStdString(saved.value(kSweepField, std::string()));
            saved.erase(kSweepField);
            if (const auto after = saved.find(kAfterField); after != saved.end()) {
                job.after = afterRunFromJson(*after);
                saved.erase(after);
            }
            job.directory = QString::fromStdString(saved.value(kFinishedField, std::string()));
            saved.erase(kFinishedField);
            job.specification = runSpecificationFromJson(saved);
            jobs.append(job);
        } catch (const std::exception&) {
            // of an older program: passed over
        }
    }
    if (!jobs.isEmpty()) {
        m_held = true;  // the user says when
        add(jobs);
    }
}

}  // namespace cospadi::ui
