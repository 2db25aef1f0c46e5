#include "core/cluster/contracted_job.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>

#include "core/base/error.h"
#include "core/cluster/either_stop.h"
#include "core/cluster/job_result.h"
#include "core/cluster/lease.h"
#include "core/store/run_lock.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr std::array kStages{JobStage::All, JobStage::Calibrate, JobStage::Compress,
                             JobStage::Evaluate};

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
    return holder ? fmt::format("process {} on {} is working on it", holder->process.pid,
                                holder->process.host)
                  : "another process is working on it";
}

// Runs `work` under the lease of `state`.
template <class Work>
JobReport underLease(const fs::path& state, double leaseSeconds, const std::stop_token& stop,
                     Work&& work) {
    std::unique_ptr<Lease> lease;
    JobReport report;
    try {
        lease = Lease::tryTake(state, leaseSeconds);
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
    throw Error("\"" + word + "\" is not a stage of a job", "--stage",
                "use all, calibrate, compress or evaluate");
}

JobReport doJob(const SweepContract& contract, std::size_t job, JobStage stage,
                const JobHooks& hooks, const std::stop_token& stop) {
    const JobSteps steps(contract, job, hooks);
    if (jobResult(contract, job)) {
        return {JobEnd::Done, "", true};
    }
    if (stage == JobStage::Calibrate) {  // not the job's lease: the job itself may begin elsewhere
        try {
            return steps.calibrated(steps.specification(), stop) ? JobReport{} : stopped();
        } catch (const NeverSucceeds& error) {
            return {JobEnd::Never, error.what(), false};
        } catch (const std::exception& error) {
            return {JobEnd::Failed, error.what(), false};
        }
    }
    return underLease(
        contract.stateOf(job), contract.execution.leaseSeconds, stop,
        [&](Lease& lease, const std::stop_token& either) -> JobReport {
            const RunSpecification s = steps.specification();
            if (isBeingWritten(contract.runOf(job))) {  // by one that was taken for lost
                return {JobEnd::Again, "another process is writing the run", false};
            }
            if (stage != JobStage::Compress) {
                steps.requireOwnTexts();
            }
            if (stage == JobStage::Evaluate) {
                if (!steps.isCompressed(s)) {
                    throw Error("the run is not finished", contract.runOf(job).string(),
                                "compress it first with the same command without --stage");
                }
            } else if (!steps.isCompressed(s) &&
                       (!steps.calibrated(s, either) || !steps.compressed(s, either))) {
                return stopped();
            }
            steps.writeTags();
            const bool measures = contract.evaluation.has_value();
            if (measures && stage == JobStage::Compress) {
                return {};
            }
            if (measures && !steps.evaluated(either)) {
                return stopped();
            }
            if (lease.isMine()) {
                steps.writeResult();
            }
            return {};
        });
}

}  // namespace cospadi
