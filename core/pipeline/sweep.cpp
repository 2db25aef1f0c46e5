#include "core/pipeline/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/methods/compress_matrix.h"
#include "core/pipeline/json_file.h"
#include "core/store/run_directory.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct EarlierRun {
    fs::path directory;
    RunSpecification specification;
    bool finished = false;
    std::int64_t matrices = 0;
};

std::int64_t matrixFilesIn(const fs::path& run) {
    std::error_code failed;
    std::int64_t count = 0;
    for (const auto& entry : fs::directory_iterator(run / "matrices", failed)) {
        count += entry.path().extension() == ".safetensors" ? 1 : 0;
    }
    return count;
}

// What makes two runs the same: files count by their hashes, wherever they lie.
std::string keyOf(RunSpecification specification) {
    if (!specification.modelSha256.empty()) {
        specification.model.clear();
    }
    if (!specification.calibration.textSha256.empty()) {
        specification.calibration.text.clear();
    }
    return toJson(specification).dump();
}

// Runs by their keys; of several with the same one, the furthest.
class EarlierRuns {
  public:
    void addFolder(const fs::path& runs) {
        std::error_code failed;
        for (const auto& entry : fs::directory_iterator(runs, failed)) {
            add(entry.path());
        }
    }

    void add(const fs::path& directory) {
        std::error_code failed;
        if (!fs::exists(directory / "run.json", failed)) {
            return;
        }
        EarlierRun run{
            directory, {}, fs::exists(directory / "result.json", failed), matrixFilesIn(directory)};
        try {
            const json file = readJsonFile(directory / "run.json", "");
            run.specification = runSpecificationFromJson(file.at("specification"));
        } catch (const std::exception&) {
            return;  // damaged, or of another version: not a run that could be gone on with
        }
        const auto [known, isNew] = m_runs.try_emplace(keyOf(run.specification), run);
        if (!isNew && std::pair(run.finished, run.matrices) >
                          std::pair(known->second.finished, known->second.matrices)) {
            known->second = run;
        }
    }

    const EarlierRun* find(const std::string& key) const {
        const auto found = m_runs.find(key);
        return found == m_runs.end() ? nullptr : &found->second;
    }

  private:
    std::map<std::string, EarlierRun> m_runs;
};

void flatten(const json& object, const std::string& prefix, std::map<std::string, json>& fields) {
    for (const auto& [key, value] : object.items()) {
        if (value.is_object()) {
            flatten(value, prefix + key + ".", fields);
        } else {
            fields[prefix + key] = value;
        }
    }
}

RunSummary summaryOfFinished(const fs::path& directory) {
    const json result = readJsonFile(directory / "result.json", "delete the run and start again");
    RunSummary summary;
    summary.id = readJsonFile(directory / "run.json", "delete the run").at("id").get<std::string>();
    summary.directory = directory;
    summary.termination = Termination::Converged;
    summary.matrices = static_cast<std::int64_t>(result.at("matrices").size());
    summary.bytes = result.at("bytes").get<std::int64_t>();
    summary.denseBytes = result.at("dense_bytes").get<std::int64_t>();
    summary.relativeError = result.at("relative_error").get<double>();
    summary.seconds = result.at("seconds").get<double>();
    return summary;
}

class Sweep {
  public:
    Sweep(const SweepOptions& options, const std::stop_token& stop)
        : m_options(options), m_stop(stop) {}

    JobOutcome run(const SweepJob& job) const {
        JobOutcome outcome;
        outcome.state = job.state;
        try {
            outcome.run =
                job.state == JobState::Finished
                    ? summaryOfFinished(job.directory)
                    : executeRun(job.specification, job.directory, m_options.execution, m_stop);
            outcome.state = outcome.run.termination == Termination::Cancelled ? JobState::Cancelled
                                                                              : JobState::Finished;
            outcome.skipped = job.state == JobState::Finished;
            if (outcome.state == JobState::Finished && m_options.evaluate) {
                evaluate(job, outcome);
            }
        } catch (const std::exception& error) {
            outcome.error = error.what();
            outcome.state = isBeingWritten(job.directory) ? JobState::Busy : JobState::Failed;
        }
        return outcome;
    }

  private:
    void evaluate(const SweepJob& job, JobOutcome& outcome) const {
        EvaluationRequest request;
        request.model = job.directory.string();
        request.text = m_options.text;
        request.options = *m_options.evaluate;
        request.threads = m_options.execution.threads;
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

    const SweepOptions& m_options;
    const std::stop_token& m_stop;
};

}  // namespace

const char* name(JobState state) {
    switch (state) {
        case JobState::New:
            return "new";
        case JobState::Interrupted:
            return "interrupted";
        case JobState::Finished:
            return "finished";
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
        const std::string key = keyOf(job.specification);
        if (!seen.insert(key).second) {
            continue;
        }
        if (const EarlierRun* run = earlier.find(key)) {
            job.specification = run->specification;  // its files may lie elsewhere
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

std::vector<std::string> describeJobs(const std::vector<SweepJob>& jobs) {
    std::vector<std::map<std::string, json>> fields(jobs.size());
    std::map<std::string, std::set<json>> values;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        flatten(toJson(jobs[i].specification), "", fields[i]);
        std::erase_if(fields[i], [&](const auto& entry) {
            return entry.first.ends_with("sha256") ||
                   (entry.first.starts_with("calibration.") &&
                    !needsCalibration(methodFromName(jobs[i].specification.method)));
        });
        for (const auto& [field, value] : fields[i]) {
            values[field].insert(value);
        }
    }
    std::vector<std::string> descriptions;
    for (const auto& own : fields) {
        std::string text = own.at("method").get<std::string>() + ", CR " + own.at("cr").dump();
        for (const auto& [field, value] : own) {
            if (values[field].size() > 1 && field != "method" && field != "cr") {
                text += fmt::format(", {} {}", field,
                                    value.is_string() ? value.get<std::string>() : value.dump());
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
        JobOutcome outcome;
        outcome.state = jobs[i].state;
        if (stop.stop_requested()) {  // what was not begun keeps the state it had
            outcomes.push_back(outcome);
            continue;
        }
        if (options.onStart) {
            options.onStart(i);
        }
        outcome = sweep.run(jobs[i]);
        if (options.onFinish) {
            options.onFinish(i, outcome);
        }
        outcomes.push_back(std::move(outcome));
    }
    return outcomes;
}

}  // namespace cospadi
