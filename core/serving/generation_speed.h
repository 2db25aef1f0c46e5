// How fast a model generates for one user without a server in between: the paper's synchronous
// study. A prompt through all blocks, then the likeliest token after another, head included.
#pragma once

#include <optional>
#include <span>
#include <stop_token>

#include "core/base/thread_pool.h"
#include "core/model/model.h"
#include "core/store/throughput.h"

namespace cospadi {

struct GenerationStudy {
    std::int64_t prompt = 1;   // tokens
    std::int64_t tokens = 64;  // generated of each prompt, whatever they are: no text ends early
    std::int64_t rounds = 3;   // prompts that are timed; one before them is not
};

// ids: what prompts are taken from, each from another place. Throws Error where these, or the
// model's context, are shorter than the study asks. nullopt where a stop was asked for.
std::optional<ThroughputPoint> generationSpeed(const Model& model, ThreadPool& pool,
                                               std::span<const std::int32_t> ids,
                                               const GenerationStudy& study,
                                               const std::stop_token& stop = {});

}  // namespace cospadi
