#include "core/cluster/job_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/sha256.h"
#include "core/base/thread_pool.h"
#include "core/calibration/calibration.h"
#include "core/calibration/gram_cache.h"
#include "core/cluster/either_stop.h"
#include "core/cluster/job_calibrations.h"
#include "core/cluster/job_result.h"
#include "core/exports/compressed_model.h"
#include "core/model/device_products.h"
#include "core/run/resolve_specification.h"
#include "core/run/run_summary.h"
#include "core/store/run_annotations.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLookAgain{500};  // at a calibration of another process

template <class Check>
auto orNever(Check&& check) -> decltype(check()) {
    try {
        return check();
    } catch (const Error& error) {
        throw NeverSucceeds(error);
    }
}

// Whether it was stopped meanwhile.
bool waits(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any woken;
    woken.wait_for(lock, stop, kLookAgain, [] { return false; });
    return stop.stop_requested();
}

}  // namespace

RunSpecification JobSteps::specification() const {
    const RunSpecification contracted = orNever([&] {
        requireOwnRevision(m_contract);
        return jobSpecification(m_contract, m_job);
    });
    RunSpecification here = resolved(contracted);
    if (contractedJobId(here, m_contract.revision) != m_contract.jobs[m_job].id) {
        throw NeverSucceeds(
            here.modelSha256 != contracted.modelSha256
                ? "the model has changed since the sweep was written"
                : "the calibration text has changed since the sweep was written",
            here.modelSha256 != contracted.modelSha256 ? here.model : here.calibration.text,
            "restore the original file, or write the sweep again to another folder");
    }
    orNever([&] { requireRunnable(here); });
    return here;
}

bool JobSteps::calibrated(const RunSpecification& s, const std::stop_token& stop) const {
    const std::string key = calibrationKeyOf(s);
    if (key.empty()) {
        return true;
    }
    const fs::path state = m_contract.calibrationState(key);
    const auto isThere = [&] { return areGramsCached(key); };
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

std::optional<RunSummary> JobSteps::solved() const {
    return solvedRun(m_contract.runOf(m_job), [this] { return isMeasured(); });
}

bool JobSteps::isMeasured() const {
    if (!m_contract.evaluation) {
        return true;
    }
    const ContractedEvaluation& evaluation = *m_contract.evaluation;
    return (evaluation.text.empty() || recordedPerplexity(perplexityRequest())) &&
           (evaluation.tasks.tasks.empty() ||
            PlannedTasks(evaluation.tasks).missing(m_contract.runOf(m_job)).empty());
}

bool JobSteps::isCompressed(const RunSpecification& s) const {
    const std::optional<RunSummary> run = solved();
    const bool wantsModel = m_contract.execution.models && !isDense(s);
    return run && (run->modelBytes > 0 || !wantsModel);
}

bool JobSteps::compressed(const RunSpecification& s, const std::stop_token& stop) const {
    RunExecution execution = m_hooks.execution;
    execution.writeModel = m_contract.execution.models;
    execution.partialModel = m_contract.execution.models;
    execution.id = fmt::format("{}-{}", shortLabel(s), m_contract.jobs[m_job].id);
    return executeRun(s, m_contract.runOf(m_job), execution, stop).termination !=
           Termination::Cancelled;
}

void JobSteps::writeTags() const {
    const fs::path file = m_contract.runOf(m_job) / kAnnotationsFile;
    std::error_code failed;
    if (!m_contract.tags.empty() && !fs::exists(file, failed)) {
        RunAnnotations annotations;
        annotations.tags = m_contract.tags;
        writeFileAtomically(file, annotationsText(annotations));
    }
}

bool JobSteps::evaluated(const std::stop_token& stop) const {
    return (m_contract.evaluation->text.empty() || measured(stop)) &&
           (m_contract.evaluation->tasks.tasks.empty() || asked(stop));
}

void JobSteps::writeResult() const {
    const fs::path run = m_contract.runOf(m_job);
    const std::optional<RunSummary> summary = solved();
    if (!summary) {
        throw Error("the run has no readable result", run.string(), "start the job again");
    }
    const bool measures = m_contract.evaluation && !m_contract.evaluation->text.empty();
    writeJobResult(m_contract, m_job, *summary,
                   measures ? recordedPerplexity(perplexityRequest()) : std::nullopt);
}

EvaluationRequest JobSteps::perplexityRequest() const {
    EvaluationRequest request;
    request.model = m_contract.runOf(m_job).string();
    request.text = m_contract.evaluation->text;
    request.options = m_contract.evaluation->options;
    request.threads = m_hooks.execution.threads;
    request.device = m_hooks.execution.device;
    return request;
}

void JobSteps::requireOwnTexts() const {
    if (m_contract.evaluation && !m_contract.evaluation->text.empty()) {
        requireOwnText();
    }
    if (m_contract.evaluation && !m_contract.evaluation->tasks.tasks.empty()) {
        static_cast<void>(ownTasks());
    }
}

void JobSteps::requireOwnText() const {
    const ContractedEvaluation& evaluation = *m_contract.evaluation;
    if (sha256OfFile(evaluation.text) != evaluation.textSha256) {
        throw NeverSucceeds("the text has changed since the sweep was written", evaluation.text,
                            "restore the original text");
    }
}

PlannedTasks JobSteps::ownTasks() const {
    PlannedTasks tasks(m_contract.evaluation->tasks);
    if (tasks.data() != m_contract.evaluation->taskData) {
        throw NeverSucceeds("the data of the tasks has changed since the sweep was written",
                            fmt::format("{}", fmt::join(tasks.plan().tasks, ", ")),
                            "restore the original data sets, or give their folder with --data when "
                            "writing the sweep");
    }
    return tasks;
}

bool JobSteps::measured(const std::stop_token& stop) const {
    requireOwnText();
    const EvaluationRequest request = perplexityRequest();
    if (recordedPerplexity(request)) {
        return true;
    }
    const auto outcome = evaluateAndRecord(request, m_hooks.progress, stop);
    if (outcome && outcome->recordedAs.empty()) {
        throw Error("the perplexity was not recorded: " + outcome->unrecorded, request.model,
                    "start the job again");
    }
    return outcome.has_value();
}

bool JobSteps::asked(const std::stop_token& stop) const {
    return ownTasks().ask(
        m_contract.runOf(m_job),
        {m_hooks.execution.device, m_hooks.execution.threads, m_hooks.progress, {}}, stop);
}

bool JobSteps::calibrate(const RunSpecification& s, Lease& lease,
                         const std::stop_token& stop) const {
    const EitherStop either(stop, lease.takenOver());
    try {
        const Model model = loadModelOrRun(s.model, {.deferredAbove = 0});
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

}  // namespace cospadi
