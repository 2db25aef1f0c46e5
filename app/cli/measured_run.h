// A run that a command makes for a comparison of its own, as the demo and benchmarks do: found
// again among those it made before, done as far as it is missing, and measured on WikiText-2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/session.h"
#include "core/run/run_summary.h"
#include "core/store/run_specification.h"

namespace cospadi::cli {

struct MeasuredRun {
    RunSummary run;
    double perplexity = 0;
};

// full: resolved. tag: marks the run, and its directory's name begins with it. What was recorded
// is not measured again. nullopt when cancelled.
std::optional<MeasuredRun> measuredRun(const Session& session, const RunSpecification& full,
                                       const std::string& tag, std::int64_t maxTokens,
                                       const std::string& text = "wikitext2");

}  // namespace cospadi::cli
