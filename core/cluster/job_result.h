// What stands in jobs/ID/result.json of a sweep's folder once a job is done (docs/cluster.md).
// Sweeps in one folder share the runs that are the same, and so their results: one that measures
// something else keeps what the others have measured.
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

// Under the job's lease, as it keeps what the result there says of other measures. perplexity:
// where the contract has a text to measure it on. Throws Error where the file cannot be written.
void writeJobResult(const SweepContract& contract, std::size_t job, const RunSummary& run,
                    std::optional<double> perplexity);

}  // namespace cospadi
