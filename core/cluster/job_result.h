// What stands in jobs/ID/result.json of a sweep's folder once a job is done (docs/formats.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/cluster/sweep_contract.h"
#include "core/run/run_summary.h"

namespace cospadi {

struct JobResult {
    std::string run;  // its id
    std::optional<double> perplexity;
};
// Empty where there is none, a damaged one, or one that answers less than the contract asks.
std::optional<JobResult> jobResult(const SweepContract& contract, std::size_t job);

// perplexity: where the contract has a text to measure it on. Throws Error where the file cannot be
// written.
void writeJobResult(const SweepContract& contract, std::size_t job, const RunSummary& run,
                    std::optional<double> perplexity);

}  // namespace cospadi
