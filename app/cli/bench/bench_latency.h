// `cospadi bench latency`: seconds to the first token and between two tokens of one user's text,
// head included, with llama.cpp beside it on the same weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/session.h"

namespace cospadi::cli {

struct LatencyBench {
    std::string model = "default";
    std::string peerPython;             // one that has llama-cpp-python; empty: nothing beside
    std::vector<std::int32_t> prompts;  // tokens; empty: the synchronous study's
    std::int64_t tokens = 64;           // generated of each prompt, at least 2
    std::int64_t rounds = 3;            // both programs in turn, in each
    bool quick = false;
};

int benchLatency(const Session& session, const LatencyBench& options);

}  // namespace cospadi::cli
