#include "core/serving/completion_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/serving/decoding_step.h"

namespace cospadi {

namespace {

// A prompt waits for another that is being computed where that saves it at least this much.
constexpr std::int64_t kWorthWaitingFor = 8;  // tokens

}  // namespace

struct CompletionScheduler::Impl {
    const Model& model;
    SchedulerOptions options;
    PrefixCache prefixes;
    DecodingStep decoding;

    mutable std::mutex mutex;
    std::condition_variable_any wake;
    std::condition_variable idle;
    std::deque<SequencePointer> waiting;  // under the mutex, as all that follows
    SchedulerCounts counts;               // but for `finished`
    bool closing = false;
    std::atomic<std::int64_t> finished{0};  // also while the mutex is held

    std::vector<SequencePointer> active;  // of the thread alone
    std::jthread thread;                  // last: it uses all of the above

    Impl(const Model& m, const SchedulerOptions& o)
        : model(m), options(o), prefixes(o.cacheBytes), decoding(m, o.threads, prefixes) {
        m.tokenizer();  // an Error now, not in the thread
        if (options.workingBytes <= 0) {
            const std::int64_t half = availableMemory() / 2;
            options.workingBytes = half > 0 ? half : KeyValueCache::kNoBound;
        }
        active.reserve(static_cast<std::size_t>(std::max(options.activeSequences, 1)));
        thread = std::jthread([this](const std::stop_token& stop) { work(stop); });
    }

    void work(const std::stop_token& stop) {
        while (true) {
            {
                std::unique_lock lock(mutex);
                counts.active = static_cast<std::int64_t>(active.size());
                if (active.empty()) {
                    if (waiting.empty()) {
                        idle.notify_all();
                    }
                    wake.wait(lock, stop, [&] { return !waiting.empty(); });
                }
                if (stop.stop_requested()) {
                    break;
                }
                admit();
            }
            dropCancelled();
            step();
        }
        for (const auto& sequence : active) {
            endSequence(*sequence, FinishReason::Cancelled);
        }
        for (const auto& sequence : waiting) {
            endSequence(*sequence, FinishReason::Cancelled);
        }
    }

    std::int64_t mostBytes(const Sequence& sequence) const {
        return sequence.mostTokens() * Sequence::bytesOfToken(model);
    }

    // Whether a prompt that is being computed begins like this one, for longer than what is cached.
    bool isBetterLater(const Sequence& candidate, std::int64_t cached) const {
        return std::any_of(active.begin(), active.end(), [&](const SequencePointer& other) {
            if (!other->isInPrompt() || other->isCancelled()) {
                return false;
            }
            const auto mine = candidate.ids();
            const auto theirs = std::span(other->request().prompt);
            const auto common =
                std::mismatch(mine.begin(), mine.end(), theirs.begin(), theirs.end()).first -
                mine.begin();
            return common >= cached + kWorthWaitingFor;
        });
    }

    // Under the mutex. In order: a long one that has no room yet is not overtaken for ever.
    void admit() {
        const bool sharing = options.cacheBytes > 0;
        std::int64_t room = options.workingBytes;
        for (const auto& sequence : active) {
            room -= mostBytes(*sequence);
        }
        for (auto next = waiting.begin();
             next != waiting.end() &&
             active.size() < static_cast<std::size_t>(options.activeSequences);) {
            Sequence& sequence = **next;
            const PrefixCache::Match match = prefixes.longest(sequence.ids());
            if (!sequence.isCancelled() && sharing && isBetterLater(sequence, match.length)) {
                ++next;
                continue;
            }
            if (!sequence.isCancelled() && !active.empty() && mostBytes(sequence) > room) {
                break;
            }
            try {
                if (match.length > 0 && !sequence.isCancelled()) {
                    sequence.startFrom(*match.sequence, match.length);
                    counts.cachedTokens += match.length;
                }
                room -= mostBytes(sequence);
                active.push_back(std::move(*next));
            } catch (const std::exception& error) {  // no memory for the copy
                endSequence(sequence, FinishReason::Failed, error.what());
            }
            next = waiting.erase(next);
        }
        counts.active = static_cast<std::int64_t>(active.size());
        counts.waiting = static_cast<std::int64_t>(waiting.size());
    }

    void dropCancelled() {
        std::erase_if(active, [](const SequencePointer& sequence) {
            if (sequence->isCancelled()) {
                endSequence(*sequence, FinishReason::Cancelled);
                return true;
            }
            return false;
        });
    }

    // An end is counted before it is told: whoever has an answer finds it among the counts.
    CompletionListener counting(const CompletionListener& listener) {
        return [this, listener](CompletionEvent event) {
            finished += event.finish ? 1 : 0;
            listener(std::move(event));
        };
    }

    void step() {
        try {
            const std::int64_t computed = decoding.extend(active, options.stepTokens);
            {
                const std::scoped_lock lock(mutex);
                counts.computedTokens += computed;
            }
            decoding.score(active);
        } catch (const std::exception& error) {
            // Whatever all of them share is broken (memory, most likely): none can go on.
            for (const auto& sequence : active) {
                endSequence(*sequence, FinishReason::Failed, error.what());
            }
            active.clear();
        }
    }
};

CompletionScheduler::CompletionScheduler(const Model& model, const SchedulerOptions& options)
    : m_impl(std::make_unique<Impl>(model, options)) {}

CompletionScheduler::~CompletionScheduler() = default;

CompletionScheduler::Refusal CompletionScheduler::submit(std::vector<CompletionRequest> requests,
                                                         const CompletionListener& listener,
                                                         CompletionTicket& ticket) {
    const ModelConfig& config = m_impl->model.config();
    for (CompletionRequest& request : requests) {
        const auto length = static_cast<std::int64_t>(request.prompt.size());
        if (length == 0) {
            throw Error("the prompt has no tokens", "prompt", "give at least one token");
        }
        if (length > config.contextLength) {
            throw Error(fmt::format("the prompt has {} tokens, but the model's context {}", length,
                                    config.contextLength),
                        "prompt", "shorten the prompt");
        }
        const std::int64_t bytes = Sequence::bytesOfToken(m_impl->model);
        const std::int64_t most = m_impl->options.workingBytes / bytes;
        if (request.takesWhatFits) {
            request.maxTokens =
                std::min(request.maxTokens, std::max<std::int64_t>(1, most - length));
        }
        if (Sequence::mostTokens(m_impl->model, request) > most) {
            throw Error(fmt::format("prompt and answer may have {} tokens, but only {} fit into "
                                    "the {} MB for keys and values",
                                    Sequence::mostTokens(m_impl->model, request), most,
                                    m_impl->options.workingBytes / 1'000'000),
                        length >= most ? "prompt" : "max_tokens", "request fewer");
        }
        for (const std::int32_t id : request.prompt) {
            if (id < 0 || id >= config.vocabularySize) {
                throw Error(fmt::format("token id {} is outside the vocabulary of {}", id,
                                        config.vocabularySize),
                            "prompt", "tokenise with this model's own tokenizer");
            }
        }
    }
    const auto cancelled = std::make_shared<std::atomic<bool>>(false);
    const CompletionListener counting = m_impl->counting(listener);
    std::vector<SequencePointer> sequences;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        sequences.push_back(std::make_unique<Sequence>(m_impl->model, std::move(requests[i]), i,
                                                       counting, cancelled));
    }
    {
        const std::scoped_lock lock(m_impl->mutex);
        if (m_impl->closing) {
            return Refusal::Closing;
        }
        if (m_impl->waiting.size() + sequences.size() >
            static_cast<std::size_t>(m_impl->options.waitingPrompts)) {
            return Refusal::Busy;
        }
        std::move(sequences.begin(), sequences.end(), std::back_inserter(m_impl->waiting));
        m_impl->counts.waiting = static_cast<std::int64_t>(m_impl->waiting.size());
    }
    ticket = CompletionTicket(cancelled);
    m_impl->wake.notify_one();
    return Refusal::None;
}

void CompletionScheduler::drain() {
    std::unique_lock lock(m_impl->mutex);
    m_impl->closing = true;
    m_impl->idle.wait(lock, [&] { return m_impl->waiting.empty() && m_impl->counts.active == 0; });
}

std::int64_t CompletionScheduler::contextLength() const {
    return m_impl->model.config().contextLength;
}

SchedulerCounts CompletionScheduler::counts() const {
    const std::scoped_lock lock(m_impl->mutex);
    SchedulerCounts counts = m_impl->counts;
    counts.finished = m_impl->finished;
    return counts;
}

}  // namespace cospadi
