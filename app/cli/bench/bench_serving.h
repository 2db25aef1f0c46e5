// `cospadi bench serving RUN…`: the paper's two throughput studies on stored runs. What is measured
// is kept with each run, and what a run has an answer to is not measured again.
#pragma once

#include <string>
#include <vector>

#include "app/cli/session.h"

namespace cospadi::cli {

struct ServingBench {
    std::vector<std::string> runs;             // ids, directories, or models for their dense runs
    std::string mode = "both";                 // synchronous, asynchronous or both
    std::vector<std::int32_t> users, prompts;  // empty: the paper's
    std::int64_t tokens = 64;
    std::int64_t rounds = 3;
    bool quick = false;
};

int benchServing(const Session& session, const ServingBench& options);

}  // namespace cospadi::cli
