// Completes many prompts at once with one model: continuous batching over ForwardPass::extend().
//
// One thread of its own computes in steps. In each step every active sequence goes on: those that
// generate by one token, those whose prompt is not through by a piece of it, together at most
// stepTokens columns, so that a long prompt does not hold up the others. Sequences come and go
// between steps. A prompt that begins like a sequence computed before (prefix_cache.h), or like one
// that is being computed now, is computed only from where it differs.
//
// Thread-safety: all public functions may be called from any thread. Errors of one sequence are
// told to its listener; the others go on.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "core/serving/completion.h"

namespace cospadi {

struct SchedulerOptions {
    int threads = 0;            // of the forward pass; < 1: one a core
    int activeSequences = 16;   // computed at the same time
    int waitingPrompts = 1024;  // beyond these, submit() refuses
    std::int64_t stepTokens = 512;
    std::int64_t cacheBytes = std::int64_t{1} << 30U;  // of the prefix cache; 0: none
    // Of keys, values and hidden states of the completions under way. Each counts with all that it
    // may come to; others wait. 0: half of the memory that is free at the beginning.
    std::int64_t workingBytes = 0;
};

struct SchedulerCounts {
    std::int64_t active = 0, waiting = 0;
    std::int64_t finished = 0;        // completions since the beginning
    std::int64_t computedTokens = 0;  // columns through the layers
    std::int64_t cachedTokens = 0;    // of prompts, that were not computed
};

// Ends the completions that were submitted together, at the next step; they are told Cancelled.
class CompletionTicket {
  public:
    CompletionTicket() = default;
    explicit CompletionTicket(std::shared_ptr<std::atomic<bool>> flag) : m_flag(std::move(flag)) {}
    void cancel() {
        if (m_flag) {
            m_flag->store(true);
        }
    }

  private:
    std::shared_ptr<std::atomic<bool>> m_flag;
};

class CompletionScheduler {
  public:
    // The model must outlive the scheduler and must have a tokenizer.
    CompletionScheduler(const Model& model, const SchedulerOptions& options);
    ~CompletionScheduler();  // cancels what is left
    CompletionScheduler(const CompletionScheduler&) = delete;
    CompletionScheduler& operator=(const CompletionScheduler&) = delete;

    enum class Refusal { None, Busy, Closing };
    // All of them or none. The listener hears of each request, by its index, until its last event.
    // Throws Error for a request that cannot be computed: no tokens, unknown ids, longer than
    // contextLength(), or more than workingBytes by itself. Generation ends at the model's context
    // length even before maxTokens.
    Refusal submit(std::vector<CompletionRequest> requests, const CompletionListener& listener,
                   CompletionTicket& ticket);

    // Takes nothing new, finishes what was submitted, and returns then.
    void drain();

    std::int64_t contextLength() const;
    SchedulerCounts counts() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace cospadi
