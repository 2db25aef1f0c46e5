#include "core/cluster/contracted_job.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/allocation/allocation_rule.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/calibration/calibration.h"
#include "core/calibration/gram_cache.h"
#include "core/cluster/lease.h"
#include "core/exports/compressed_model.h"
#include "core/model/device_products.h"
#include "core/run/evaluate_run.h"
#include "core/run/resolve_specification.h"
#include "core/run/run_summary.h"
#include "core/store/run_annotations.h"
#include "core/store/run_lock.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/bounded_json.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kLargestResult = 64 << 10;  // bytes
constexpr int kDeepestResult = 4;
constexpr std::chrono::milliseconds kLookAgain{500};  // at a calibration of another process
constexpr std::array kStages{JobStage::All, JobStage::Calibrate, JobStage::Compress,
                             JobStage::Evaluate};

// What no later start of the same file and program would change.
struct NeverSucceeds : Error {
    using Error::Error;
    explicit NeverSucceeds(const Error& error) : Error(error) {}
};

template <class Check>
auto orNever(Check&& check) -> decltype(check()) {
    try {
        return check();
    } catch (const Error& error) {
        throw NeverSucceeds(error);
    }
}

AttemptEnd attemptEnd(JobEnd end) {
    switch (end) {
        case JobEnd::Done:
            return AttemptEnd::Done;
        case JobEnd::Again:
            return AttemptEnd::Again;
        case JobEnd::Never:
            return AttemptEnd::Never;
        case JobEnd::Failed:
            return AttemptEnd::Failed;
    }
    return AttemptEnd::Failed;
}

std::string atWork(const fs::path& state) {
    const auto holder = newestAttempt(state);
    return holder ? fmt::format("process {} on {} is at work on it", holder->process.pid,
                                holder->process.host)
                  : "another process is at work on it";
}

// Asked to stop where either of two is.
class EitherStop {
  public:
    EitherStop(const std::stop_token& first, const std::stop_token& second)
        : m_first(first, Ask{m_source}), m_second(second, Ask{m_source}) {}
    std::stop_token token() const { return m_source.get_token(); }

  private:
    struct Ask {
        std::stop_source source;
        void operator()() { source.request_stop(); }
    };
    std::stop_source m_source;
    std::stop_callback<Ask> m_first;
    std::stop_callback<Ask> m_second;
};

class Worker {
  public:
    Worker(const SweepContract& contract, std::size_t job, const JobHooks& hooks)
        : m_contract(contract), m_job(job), m_hooks(hooks) {}

    // Runs `work` under the lease of `state`.
    template <class Work>
    JobReport underLease(const fs::path& state, const std::stop_token& stop, Work&& work) const {
        std::unique_ptr<Lease> lease;
        JobReport report;
        try {
            lease = Lease::tryTake(state, m_contract.execution.leaseSeconds);
            if (!lease) {
                return {JobEnd::Again, atWork(state), false};
            }
            const EitherStop either(stop, lease->takenOver());
            report = work(*lease, either.token());
        } catch (const NeverSucceeds& error) {
            report = {JobEnd::Never, error.what(), false};
        } catch (const std::exception& error) {
            report = {JobEnd::Failed, error.what(), false};
        }
        if (lease && !lease->isMine()) {
            return {JobEnd::Again, atWork(state), false};
        }
        if (lease) {
            lease->end(attemptEnd(report.end), report.reason);
        }
        return report;
    }

    // The job's specification, on this machine.
    RunSpecification specification() const {
        const RunSpecification contracted = orNever([&] {
            requireOwnRevision(m_contract);
            return jobSpecification(m_contract, m_job);
        });
        RunSpecification here = resolved(contracted);
        if (contractedJobId(here, m_contract.revision) != m_contract.jobs[m_job].id) {
            throw NeverSucceeds(
                here.modelSha256 != contracted.modelSha256 ? "the model is another one than when "
                                                             "the sweep was written"
                                                           : "the calibration text is another one "
                                                             "than when the sweep was written",
                here.modelSha256 != contracted.modelSha256 ? here.model : here.calibration.text,
                "put the file of then there, or write the sweep again into another folder");
        }
        orNever([&] { requireRunnable(here); });
        return here;
    }

    // False where it was stopped. Waits for another process that is at the same calibration.
    bool calibrated(const RunSpecification& s, const std::stop_token& stop) const {
        if (!needsGrams(s)) {
            return true;
        }
        const std::string key = gramCacheKey(s.modelSha256, calibrationOptionsOf(s));
        const fs::path state = m_contract.calibrationState(key);
        const auto isThere = [&] { return isGramCached(key); };
        while (!isThere()) {
            if (auto lease = Lease::tryTake(state, m_contract.execution.leaseSeconds, isThere)) {
                return calibrate(s, *lease, stop);
            }
            if (!isThere() && waits(stop)) {
                return false;
            }
        }
        return true;
    }

    // False where it was stopped.
    bool compressed(const RunSpecification& s, const std::stop_token& stop) const {
        RunExecution execution = m_hooks.execution;
        execution.writeModel = m_contract.execution.models;
        execution.partialModel = m_contract.execution.models;
        execution.id = fmt::format("{}-{}", shortLabel(s), m_contract.jobs[m_job].id);
        return executeRun(s, m_contract.runOf(m_job), execution, stop).termination !=
               Termination::Cancelled;
    }

    // False where it was stopped. What was measured before stays.
    bool evaluated(const std::stop_token& stop) const {
        return (m_contract.evaluation->text.empty() || measured(stop)) &&
               (m_contract.evaluation->tasks.tasks.empty() || asked(stop));
    }

    // The sweep's tags, which whoever takes the run into a store finds there. People may have added
    // something by now: that stays, and the store adds what is missing.
    void writeTags() const {
        const fs::path file = m_contract.runOf(m_job) / kAnnotationsFile;
        std::error_code failed;
        if (!m_contract.tags.empty() && !fs::exists(file, failed)) {
            RunAnnotations annotations;
            annotations.tags = m_contract.tags;
            writeFileAtomically(file, annotationsText(annotations));
        }
    }

    bool isCompressed() const { return wholeRun(m_contract.runOf(m_job)).has_value(); }

    // Last: from now on the job is done.
    void writeResult() const {
        const fs::path run = m_contract.runOf(m_job);
        const std::optional<RunSummary> summary = wholeRun(run);
        if (!summary) {
            throw Error("the run has no result that can be read", run.string(),
                        "start the job again");
        }
        json result{{"format", 1},
                    {"id", m_contract.jobs[m_job].id},
                    {"run", summary->id},
                    {"bytes", summary->bytes},
                    {"dense_bytes", summary->denseBytes},
                    {"relative_error", summary->relativeError},
                    {"seconds", summary->seconds}};
        if (m_contract.evaluation) {
            if (!m_contract.evaluation->text.empty()) {
                result["perplexity"] = recordedPerplexity(perplexityRequest()).value();
            }
            if (!m_contract.evaluation->tasks.tasks.empty()) {
                result["tasks"] = toJson(m_contract.evaluation->tasks);
            }
        }
        writeFileAtomically(m_contract.stateOf(m_job) / "result.json", result.dump(1) + "\n");
    }

  private:
    EvaluationRequest perplexityRequest() const {
        EvaluationRequest request;
        request.model = m_contract.runOf(m_job).string();
        request.text = m_contract.evaluation->text;
        request.options = m_contract.evaluation->options;
        request.threads = m_hooks.execution.threads;
        request.device = m_hooks.execution.device;
        return request;
    }

    bool measured(const std::stop_token& stop) const {
        const EvaluationRequest request = perplexityRequest();
        if (sha256OfFile(request.text) != m_contract.evaluation->textSha256) {
            throw NeverSucceeds("the text is another one than when the sweep was written",
                                m_contract.evaluation->text, "put the text of then there");
        }
        if (recordedPerplexity(request)) {
            return true;
        }
        const auto outcome = evaluateAndRecord(request, m_hooks.progress, stop);
        if (outcome && outcome->recordedAs.empty()) {
            throw Error("the perplexity is not recorded: " + outcome->unrecorded, request.model,
                        "start the job again");
        }
        return outcome.has_value();
    }

    bool asked(const std::stop_token& stop) const {
        const PlannedTasks tasks(m_contract.evaluation->tasks);
        if (tasks.data() != m_contract.evaluation->taskData) {
            throw NeverSucceeds("the data of the tasks is another than when the sweep was written",
                                fmt::format("{}", fmt::join(tasks.plan().tasks, ", ")),
                                "put the data sets of then there, or name their folder with --data "
                                "when the sweep is written");
        }
        return tasks.ask(
            m_contract.runOf(m_job),
            {m_hooks.execution.device, m_hooks.execution.threads, m_hooks.progress, {}}, stop);
    }

    bool calibrate(const RunSpecification& s, Lease& lease, const std::stop_token& stop) const {
        const EitherStop either(stop, lease.takenOver());
        try {
            const Model model = loadModelOrRun(s.model);
            ThreadPool pool(m_hooks.execution.threads);
            const auto products = productsOn(m_hooks.execution.device, pool.threadCount());
            const auto grams = cospadi::calibrate(model, pool, calibrationOptionsOf(s),
                                                  m_hooks.progress, either.token(), products.get());
            lease.end(grams ? AttemptEnd::Done : AttemptEnd::Again, grams ? "" : "stopped");
            // Taken over: the other one's sums will do.
            return grams || (!stop.stop_requested() && calibrated(s, stop));
        } catch (const std::exception& error) {
            lease.end(AttemptEnd::Failed, error.what());
            throw;
        }
    }

    // Whether it was stopped meanwhile.
    static bool waits(const std::stop_token& stop) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any woken;
        woken.wait_for(lock, stop, kLookAgain, [] { return false; });
        return stop.stop_requested();
    }

    const SweepContract& m_contract;
    std::size_t m_job;
    const JobHooks& m_hooks;
};

JobReport stopped() { return {JobEnd::Again, "stopped", false}; }

}  // namespace

const char* name(JobStage stage) {
    switch (stage) {
        case JobStage::All:
            return "all";
        case JobStage::Calibrate:
            return "calibrate";
        case JobStage::Compress:
            return "compress";
        case JobStage::Evaluate:
            return "evaluate";
    }
    return "";
}

JobStage jobStageFromName(const std::string& word) {
    for (const JobStage stage : kStages) {
        if (word == name(stage)) {
            return stage;
        }
    }
    throw Error("\"" + word + "\" is no stage of a job", "--stage",
                "there are all, calibrate, compress and evaluate");
}

bool needsGrams(const RunSpecification& s) {
    return isCalibrated(s) &&
           (s.propagation == PropagationKind::Off || s.allocation->needs().grams);
}

std::optional<JobResult> jobResult(const SweepContract& contract, std::size_t job) {
    const fs::path file = contract.stateOf(job) / "result.json";
    std::error_code failed;
    if (!fs::exists(file, failed)) {
        return std::nullopt;
    }
    try {
        const json object = readBoundedJson(file, kLargestResult, kDeepestResult);
        JobResult result;
        result.run = object.at("run").get<std::string>();
        if (contract.evaluation && !contract.evaluation->text.empty()) {
            result.perplexity = object.at("perplexity").get<double>();
        }
        // Another sweep in the same folder may have asked other tasks of the run.
        if (contract.evaluation && !contract.evaluation->tasks.tasks.empty() &&
            object.at("tasks") != toJson(contract.evaluation->tasks)) {
            return std::nullopt;
        }
        return result;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

JobReport doJob(const SweepContract& contract, std::size_t job, JobStage stage,
                const JobHooks& hooks, const std::stop_token& stop) {
    const Worker worker(contract, job, hooks);
    if (jobResult(contract, job)) {
        return {JobEnd::Done, "", true};
    }
    if (stage == JobStage::Calibrate) {  // not the job's lease: the job itself may begin elsewhere
        try {
            return worker.calibrated(worker.specification(), stop) ? JobReport{} : stopped();
        } catch (const NeverSucceeds& error) {
            return {JobEnd::Never, error.what(), false};
        } catch (const std::exception& error) {
            return {JobEnd::Failed, error.what(), false};
        }
    }
    return worker.underLease(
        contract.stateOf(job), stop, [&](Lease& lease, const std::stop_token& either) -> JobReport {
            const RunSpecification s = worker.specification();
            if (isBeingWritten(contract.runOf(job))) {  // by one that was taken for lost
                return {JobEnd::Again, "another process is writing the run", false};
            }
            if (stage == JobStage::Evaluate) {
                if (!worker.isCompressed()) {
                    throw Error("the run is not finished", contract.runOf(job).string(),
                                "compress it first: the same command without --stage");
                }
            } else if (!worker.isCompressed() &&
                       (!worker.calibrated(s, either) || !worker.compressed(s, either))) {
                return stopped();
            }
            worker.writeTags();
            const bool measures = contract.evaluation.has_value();
            if (measures && stage == JobStage::Compress) {
                return {};
            }
            if (measures && !worker.evaluated(either)) {
                return stopped();
            }
            if (lease.isMine()) {
                worker.writeResult();
            }
            return {};
        });
}

}  // namespace cospadi
