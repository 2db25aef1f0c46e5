// The runs that a table or figure needs of a model, what there is of them, and what the rest will
// cost: told before anything begins.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/reproduce/reproduction.h"
#include "core/store/run_store.h"
#include "core/sweep/sweep.h"
#include "core/sweep/sweep_estimate.h"

namespace cospadi {

struct PlannedRun {
    // Of one that is made of another and is not there yet, without a directory: that is named when
    // it is made.
    SweepJob job;
    std::string description;
    std::string refusal;  // why it cannot begin; empty: it can
    JobEstimate estimate;
    double evaluationSeconds = 0;          // perplexity and tasks; 0 where they are recorded
    std::optional<DerivedStep> step = {};  // that makes it, of the run `source`; else it is solved
    std::size_t source = 0;                // its place in the plan, before this one
    bool isTabled = true;  // false: neither measured nor tabled, only others are made of it
    std::vector<std::string> untimed = {};  // tasks that lm-eval is still to ask, in no known time
    bool isMadeAgain = false;  // finished, but measuring takes matrices that it lacks (asBegun())

    bool isDone() const {
        return job.state == JobState::Finished && evaluationSeconds == 0 && untimed.empty();
    }
    bool isSolved() const { return job.state == JobState::Finished && !isMadeAgain; }
    double secondsLeft() const {
        return refusal.empty() ? estimate.seconds + estimate.calibrationSeconds + evaluationSeconds
                               : 0;
    }
};

struct ReproductionPlan {
    std::vector<PlannedRun> runs;
    // What runs are asked, with the data that there were when it was planned; null: nothing.
    std::shared_ptr<const PlannedTasks> tasks;
    // Whether all that is left rests on earlier runs and evaluations of this machine, and on no
    // assumed rate of arithmetic.
    bool isMeasured = true;

    double secondsLeft() const;  // without what is untimed
    double bytesLeft() const;    // of files that are to be written
    double memoryBytes() const;  // at the peak
    std::int64_t missing() const;
    std::int64_t untimed() const;  // runs that lm-eval is still to ask
};

// jobs: of the protocol's grid with a model (planSweep()). Derived runs stand behind those of the
// grid; they count as no work, as nothing is solved for them. Runs are described by the settings
// that the entry's tables tell them apart by. Throws Error where none of the compressed runs can
// begin (the model lacks the layers), and for tasks without data.
ReproductionPlan planReproduction(const Reproduction& entry, const Protocol& protocol,
                                  const std::vector<SweepJob>& jobs, const RunStore& store,
                                  const MeasuredRates& rates, int cores);

}  // namespace cospadi
