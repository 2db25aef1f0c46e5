// One step of the completions under way (completion_scheduler.h): the forward pass over a piece of
// each, then the scores and tokens that follow from it. Private to CompletionScheduler and used on
// its thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/model/forward.h"
#include "core/serving/prefix_cache.h"
#include "core/serving/sequence.h"

namespace cospadi {

using SequencePointer = std::unique_ptr<Sequence>;

// Where there is no memory left to say so, the listener hears nothing, and the others go on.
void endSequence(Sequence& sequence, FinishReason reason, const std::string& failure = {});

class DecodingStep {
  public:
    // Finished sequences and prompts go to `prefixes`. All must outlive it.
    DecodingStep(const Model& model, int threads, PrefixCache& prefixes)
        : m_model(model), m_pool(threads), m_pass(model, m_pool), m_prefixes(prefixes) {}

    // Through the layers, at most `columns` of them: generating sequences first, one token each;
    // what is left goes to prompts, oldest first. Returns how many were computed. Throws what all
    // of them have a share in, such as a lack of memory.
    std::int64_t extend(const std::vector<SequencePointer>& active, std::int64_t columns);

    // Scores what was computed and takes it; completions that are over by it, or fail by
    // themselves, are told so and leave. Throws as extend().
    void score(std::vector<SequencePointer>& active);

  private:
    using Scored = std::pair<Sequence*, ScoreTask*>;

    void scoreTile(std::span<const Scored> tile);
    bool takeScores(Sequence& sequence, std::vector<ScoreTask>& tasks);
    void share(Sequence& sequence);
    void retire(Sequence& sequence);

    const Model& m_model;
    ThreadPool m_pool;
    ForwardPass m_pass;
    PrefixCache& m_prefixes;
};

}  // namespace cospadi
