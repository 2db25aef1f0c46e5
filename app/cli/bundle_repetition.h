// The runs of a bundle, and how each is made again on this machine.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/bundle/bundle.h"
#include "core/run/derived_step.h"
#include "core/sweep/sweep.h"
#include "core/sweep/sweep_estimate.h"

namespace cospadi::cli {

struct Repetition {
    const RunRow* given = nullptr;
    std::optional<SweepJob> job;      // that solves it,
    std::optional<DerivedStep> step;  // or what makes it of another run of the bundle
    std::size_t source = 0;           // of a step: that run's place in the plan, after this one's
    JobEstimate estimate;
    std::filesystem::path directory;  // of the run here; empty before it is made
    std::string hole;                 // why it, or a number of it, is missing; empty: nothing is

    std::string state() const;  // of its job, "derived" or "impossible"
};

using BundlePlan = std::vector<Repetition>;

// As the bundle has its runs, the newest first. Runs that are equal here share a job, and those of
// one calibration its time. model: as relocated().
BundlePlan planOf(const Bundle& bundle, const std::string& model, const std::string& device);

std::string planText(const BundlePlan& plan);

}  // namespace cospadi::cli
