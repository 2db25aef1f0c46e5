// The steps of a job of a sweep file, each of which does what is missing of it: calibrate,
// compress, evaluate, write the result. None takes the lease of the job; a calibration, which jobs
// share, has one of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/cluster/lease.h"
#include "core/cluster/sweep_contract.h"
#include "core/lm_eval/planned_tasks.h"
#include "core/run/compression_run.h"
#include "core/run/evaluate_run.h"

namespace cospadi {

struct JobHooks {
    RunExecution execution;     // device, threads, events; the rest is the contract's
    ProgressCallback progress;  // of what is no part of the run: calibration, evaluation
};

// What no later start of the same file and program would change.
struct NeverSucceeds : Error {
    using Error::Error;
    explicit NeverSucceeds(const Error& error) : Error(error) {}
};

class JobSteps {
  public:
    // All must outlive it.
    JobSteps(const SweepContract& contract, std::size_t job, const JobHooks& hooks)
        : m_contract(contract), m_job(job), m_hooks(hooks) {}

    // The job's, on this machine. Throws NeverSucceeds where this program or machine has not what
    // the file names.
    RunSpecification specification() const;

    // That the text and the data of tasks which the contract measures on are those of when it was
    // written: before work, not after it. Throws NeverSucceeds where they have changed.
    void requireOwnTexts() const;

    // False where it was stopped. Waits for another process that is at the same calibration.
    bool calibrated(const RunSpecification& specification, const std::stop_token& stop) const;

    // Whether nothing is left to solve, and the model folder is there where the contract wants one.
    bool isCompressed(const RunSpecification& specification) const;
    // False where it was stopped.
    bool compressed(const RunSpecification& specification, const std::stop_token& stop) const;

    // The sweep's tags, which whoever takes the run into a store finds there. People may have added
    // something by now: that stays, and the store adds what is missing.
    void writeTags() const;

    // Of a contract that has an evaluation. False where it was stopped; what was measured before
    // stays.
    bool evaluated(const std::stop_token& stop) const;

    // Last: from now on the job is done.
    void writeResult() const;

  private:
    std::optional<RunSummary> solved() const;  // what the run came to, where that is settled
    bool isMeasured() const;                   // as the contract asks
    EvaluationRequest perplexityRequest() const;
    void requireOwnText() const;
    PlannedTasks ownTasks() const;
    bool measured(const std::stop_token& stop) const;
    bool asked(const std::stop_token& stop) const;
    bool calibrate(const RunSpecification& specification, Lease& lease,
                   const std::stop_token& stop) const;

    const SweepContract& m_contract;
    std::size_t m_job;
    const JobHooks& m_hooks;
};

}  // namespace cospadi
