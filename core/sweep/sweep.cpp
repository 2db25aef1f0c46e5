#include "core/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/json_text.h"
#include "core/base/sha256.h"
#include "core/run/earlier_runs.h"
#include "core/run/run_beginning.h"
#include "core/store/idle_settings.h"
#include "core/store/locations.h"
#include "core/store/matrix_folders.h"
#include "core/store/named_settings.h"
#include "core/store/run_lock.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void flatten(const json& object, const std::string& prefix, std::map<std::string, json>& fields) {
    for (const auto& [key, value] : object.items()) {
        if (value.is_object()) {
            flatten(value, prefix + key + ".", fields);
        } else {
            fields[prefix + key] = value;
        }
    }
}

EvaluationRequest requestOf(const fs::path& run, const SweepOptions& options) {
    EvaluationRequest request;
    request.model = run.string();
    request.text = options.text;
    request.options = *options.evaluate;
    return request;
}

// A finished run of which a model folder is asked for that it does not have.
bool lacksModel(const SweepOptions& options, const SweepJob& job, const RunSummary& run) {
    const RunExecution& execution = options.execution;
    return execution.writeModel && execution.partialModel && run.modelBytes == 0 &&
           !isDense(job.specification);
}

class Sweep {
  public:
    Sweep(const SweepOptions& options, const std::stop_token& stop)
        : m_options(options), m_stop(stop) {}

    JobOutcome run(const SweepJob& job) const {
        JobOutcome outcome;
        outcome.state = job.state;
        SweepJob begun = job;
        try {
            outcome.run = execute(begun, outcome.skipped);
            outcome.state = outcome.run.termination == Termination::Cancelled ? JobState::Cancelled
                                                                              : JobState::Finished;
            if (outcome.state == JobState::Finished && m_options.evaluate) {
                measurePerplexity(outcome);
            }
            if (outcome.state == JobState::Finished && m_options.tasks != nullptr) {
                askTasks(outcome);
            }
        } catch (const std::exception& error) {
            outcome.error = error.what();
            outcome.state = isBeingWritten(begun.directory) ? JobState::Busy : JobState::Failed;
        }
        return outcome;
    }

    // After the stop: what was not begun keeps the state it had, what earlier runs have done
    // counts.
    JobOutcome leave(const SweepJob& job) const {
        JobOutcome outcome;
        outcome.state = job.state == JobState::Finished ? JobState::Interrupted : job.state;
        try {
            if (job.state == JobState::Finished && leftToMeasure(job, m_options).empty()) {
                const auto before = solved(job);
                if (before && !lacksModel(m_options, job, *before)) {
                    return run(job);
                }
            }
        } catch (const std::exception& error) {
            outcome.state = JobState::Failed;
            outcome.error = error.what();
        }
        return outcome;
    }

  private:
    std::optional<RunSummary> solved(const SweepJob& job) const {
        return solvedRun(job.directory, [&] {
            return job.state == JobState::Finished && leftToMeasure(job, m_options).empty();
        });
    }

    // job becomes what it is by now: another process may have begun, or finished, an equal run.
    RunSummary execute(SweepJob& job, bool& skipped) const {
        std::optional<RunBeginning> beginning;
        if (job.state != JobState::Finished) {
            beginning.emplace(job.specification, job.runs, FinishedRuns::Count);
            if (const auto& earlier = beginning->earlier()) {
                job.specification = goingOn(*earlier, job.specification);
                job.directory = earlier->directory;
            }
            beginning->requireIdle();
        }
        const auto before = solved(job);
        if (before && !lacksModel(m_options, job, *before)) {
            skipped = true;
            return *before;
        }
        RunExecution execution = m_options.execution;
        execution.onOpened = [&] {
            beginning.reset();
            if (m_options.execution.onOpened) {
                m_options.execution.onOpened();
            }
        };
        return executeRun(job.specification, job.directory, execution, m_stop);
    }

    void measurePerplexity(JobOutcome& outcome) const {
        EvaluationRequest request = requestOf(outcome.run.directory, m_options);
        request.threads = m_options.execution.threads;
        request.device = m_options.execution.device;
        outcome.perplexity = recordedPerplexity(request);
        if (outcome.perplexity) {
            return;
        }
        outcome.skipped = false;
        const auto measured = evaluateAndRecord(request, m_options.evaluationProgress, m_stop);
        if (measured) {
            outcome.perplexity = measured->result.perplexity;
        } else {
            outcome.state = JobState::Cancelled;
        }
    }

    void askTasks(JobOutcome& outcome) const {
        const fs::path& run = outcome.run.directory;
        if (!m_options.tasks->missing(run).empty()) {
            outcome.skipped = false;
            const TaskAsking asking{m_options.execution.device, m_options.execution.threads,
                                    m_options.evaluationProgress, m_options.evaluationNote};
            if (!m_options.tasks->ask(run, asking, m_stop)) {
                outcome.state = JobState::Cancelled;
            }
        }
        outcome.taskResults = m_options.tasks->results(run);
    }

    const SweepOptions& m_options;
    const std::stop_token& m_stop;
};

}  // namespace

std::vector<std::string> leftToMeasure(const SweepJob& job, const SweepOptions& options) {
    std::vector<std::string> left;
    if (options.evaluate && (job.state != JobState::Finished ||
                             !recordedPerplexity(requestOf(job.directory, options)))) {
        left.emplace_back(kPerplexityLeft);
    }
    if (options.tasks != nullptr) {
        const std::vector<std::string> tasks = options.tasks->missing(job.directory);
        left.insert(left.end(), tasks.begin(), tasks.end());
    }
    return left;
}

SweepJob asBegun(SweepJob job, const std::vector<std::string>& left, const SweepOptions& options) {
    if (job.state != JobState::Finished) {
        return job;
    }
    const auto run = solvedRun(job.directory, [&] { return left.empty(); });
    const bool isRecord = job.finishedMatrices == 0;
    if (run && !(isRecord && lacksModel(options, job, *run))) {
        return job;
    }
    job.state = JobState::Incomplete;
    // Factors that were refined together are made again together, from those before that.
    std::error_code failed;
    if (isRefined(job.specification) && !fs::exists(solvedFolder(job.directory), failed)) {
        job.finishedMatrices = 0;
    }
    return job;
}

const char* name(JobState state) {
    switch (state) {
        case JobState::New:
            return "new";
        case JobState::Interrupted:
            return "interrupted";
        case JobState::Finished:
            return "finished";
        case JobState::Incomplete:
            return "incomplete";
        case JobState::Failed:
            return "failed";
        case JobState::Busy:
            return "busy";
        case JobState::Cancelled:
            return "cancelled";
    }
    return "";
}

std::vector<SweepJob> planSweep(const std::vector<RunSpecification>& specifications,
                                const fs::path& runs, const std::vector<fs::path>& others) {
    EarlierRuns earlier;
    earlier.addFolder(runs);
    for (const fs::path& directory : others) {
        earlier.add(directory);
    }
    std::vector<SweepJob> jobs;
    std::set<std::string> seen;
    for (const RunSpecification& specification : specifications) {
        SweepJob job;
        job.specification = resolved(specification);
        job.runs = runs;
        const std::string key = runKey(job.specification);
        if (!seen.insert(key).second) {
            continue;
        }
        if (const EarlierRun* run = earlier.find(key)) {
            if (!run->finished) {
                job.specification = goingOn(*run, job.specification);
            }
            job.directory = run->directory;
            job.finishedMatrices = run->matrices;
            job.state = run->finished                    ? JobState::Finished
                        : isBeingWritten(run->directory) ? JobState::Busy
                                                         : JobState::Interrupted;
        } else {
            job.directory = runs / fmt::format("sweep-{}-{}", shortLabel(job.specification),
                                               sha256OfString(key).substr(0, 12));
        }
        jobs.push_back(std::move(job));
    }
    return jobs;
}

std::vector<SweepJob> planSweepHere(const std::vector<RunSpecification>& specifications,
                                    const RunStore& store) {
    const fs::path runs = runsDirectory();
    return planSweep(specifications, runs, runsElsewhere(store, runs));
}

std::vector<std::string> describeJobs(const std::vector<SweepJob>& jobs) {
    std::vector<std::map<std::string, json>> fields(jobs.size());
    std::map<std::string, std::set<json>> values;
    std::map<std::string, json> usual;
    for (const Option& option : sharedOptions()) {
        usual[option.name] = settingOf(RunSpecification(), option.name);
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        flatten(toJson(jobs[i].specification), "", fields[i]);
        for (const Option& option : sharedOptions()) {
            if (!counts(jobs[i].specification, option.name)) {
                fields[i].erase(option.name);
            } else {  // those that JSON leaves out, too
                fields[i].try_emplace(option.name, settingOf(jobs[i].specification, option.name));
            }
        }
        std::erase_if(fields[i], [&](const auto& entry) {
            return entry.first.ends_with("sha256") || (entry.first.starts_with("calibration.") &&
                                                       !isCalibrated(jobs[i].specification));
        });
        for (const auto& [field, value] : fields[i]) {
            values[field].insert(value);
        }
    }
    std::vector<std::string> descriptions;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        std::string text = methodOf(jobs[i].specification).name();
        text += hasRatio(jobs[i].specification) ? ", CR " + fields[i].at("cr").dump() : "";
        for (const auto& [field, value] : fields[i]) {
            const bool isOff = value == 0 && usual[field] == 0;  // the others tell what they have
            if (values[field].size() > 1 && field != "method" && field != "cr" && !isOff) {
                text += fmt::format(", {} {}", field, plainText(value));
            }
        }
        descriptions.push_back(text);
    }
    return descriptions;
}

std::vector<JobOutcome> runSweep(const std::vector<SweepJob>& jobs, const SweepOptions& options,
                                 const std::stop_token& stop) {
    const Sweep sweep(options, stop);
    std::vector<JobOutcome> outcomes;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (stop.stop_requested()) {
            const JobOutcome& left = outcomes.emplace_back(sweep.leave(jobs[i]));
            if (left.state == JobState::Finished && options.onFinish) {
                options.onFinish(i, left);
            }
            continue;
        }
        if (options.onStart) {
            options.onStart(i);
        }
        JobOutcome outcome = sweep.run(jobs[i]);
        if (options.onFinish) {
            options.onFinish(i, outcome);
        }
        outcomes.push_back(std::move(outcome));
    }
    return outcomes;
}

}  // namespace cospadi
