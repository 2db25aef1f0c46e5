// Makes the runs of a plan, one after the other, by the same code as a sweep, and asks each the
// protocol's tasks. What is done is passed over, what was interrupted goes on, what fails leaves a
// hole and the next begins; so the same call again does what is left.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/reproduce/reproduced_table.h"
#include "core/reproduce/reproduction_plan.h"

namespace cospadi {

struct ReproductionOptions {
    SweepOptions sweep;  // execution and callbacks; what is evaluated and asked is the plan's
    LoadProgram load;    // of an asynchronous study of the throughput; empty: in this process
    // With the run's number in the plan; `directory` may be taken into the store.
    std::function<void(std::size_t run)> onStart;
    std::function<void(std::size_t run, const std::filesystem::path& directory)> onRecorded;
    std::function<void(std::size_t run, const JobOutcome& outcome, const std::string& hole)>
        onFinish;
};

struct ReproductionOutcome {
    JobOutcome job;
    std::string hole;  // why the run, or an evaluation of it, is missing; empty: nothing is
};

// One outcome a run of the plan. Never throws for what goes wrong inside a run; what onRecorded
// throws goes through. Throws Error before any run begins where lm-eval could not ask its tasks of
// any (requireAskable()): runs would be compressed in vain.
std::vector<ReproductionOutcome> runReproduction(const ReproductionPlan& plan,
                                                 const Protocol& protocol,
                                                 const ReproductionOptions& options,
                                                 const std::stop_token& stop = {});

// Of those that are tabled, with what the store has of them: onRecorded has to have taken them in.
std::vector<ReproducedRun> reproducedRuns(const ReproductionPlan& plan,
                                          const std::vector<ReproductionOutcome>& outcomes,
                                          const RunStore& store);

}  // namespace cospadi
