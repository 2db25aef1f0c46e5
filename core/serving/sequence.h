// One completion on its way: private to CompletionScheduler and used on its thread only.
#pragma once

#include <Eigen/Core>
#include <atomic>
#include <memory>
#include <random>

#include "core/model/model.h"
#include "core/serving/completion.h"
#include "core/serving/prefix_cache.h"
#include "core/serving/stop_text.h"
#include "core/tokenizer/decode_stream.h"

namespace cospadi {

// A score that has to be computed: of `target` after the tokens up to `position`, or of a token
// that is to be chosen there.
struct ScoreTask {
    std::int64_t position = 0;  // column of Sequence::hidden()
    std::int32_t target = -1;   // -1: choose
    TokenScore score;
    std::string failure;
};

class Sequence {
  public:
    Sequence(const Model& model, CompletionRequest request, std::size_t index,
             CompletionListener listener, std::shared_ptr<std::atomic<bool>> cancelled);

    const CompletionRequest& request() const { return m_request; }
    std::span<const std::int32_t> ids() const { return m_ids; }
    bool isCancelled() const { return m_cancelled->load(); }
    bool isInPrompt() const { return computed() < promptLength(); }
    std::int64_t computed() const { return m_cache.length(); }
    // Of the request, however it goes: prompt and answer, within the context.
    static std::int64_t mostTokens(const Model& model, const CompletionRequest& request);
    // What one token keeps in memory while its sequence is under way.
    static std::int64_t bytesOfToken(const Model& model);
    std::int64_t mostTokens() const { return m_mostTokens; }
    // Ids that are known but not computed.
    std::span<const std::int32_t> pending() const {
        return std::span(m_ids).subspan(static_cast<std::size_t>(computed()));
    }

    KeyValueCache& cache() { return m_cache; }
    Eigen::Ref<const Eigen::VectorXf> hidden(std::int64_t position) const {
        return m_hidden.col(position);
    }
    // Columns of extend() for the ids that the cache has gained.
    void appendHidden(const Eigen::Ref<const Eigen::MatrixXf>& columns);

    // Takes over what is known of its first `length` ids.
    void startFrom(const ComputedSequence& known, std::int64_t length);
    // Everything that can be scored now and is wanted.
    std::vector<ScoreTask> scoreTasks() const;
    // Picks the token at a task whose target is −1.
    std::int32_t choose(const Eigen::Ref<const Eigen::VectorXf>& logits);
    // In the order of scoreTasks(). Returns false once the completion is over, and told.
    bool take(std::vector<ScoreTask>& tasks);
    void end(FinishReason reason, const std::string& failure = {});

    bool isFailed() const { return m_failed; }
    bool isShared() const { return m_shared; }  // its prompt went to the prefix cache
    void setShared() { m_shared = true; }
    // What it has computed, for the prefix cache: a copy, or what is left of a finished sequence.
    ComputedSequence copyOfComputed() const;
    ComputedSequence releaseComputed();
    std::int64_t bytesOfComputed() const;

  private:
    std::int64_t promptLength() const { return static_cast<std::int64_t>(m_request.prompt.size()); }
    bool isEnd(std::int32_t id) const;
    std::string textOf(std::int32_t id);
    bool takeGenerated(TokenScore score, CompletionEvent& event);
    void tell(CompletionEvent event);

    const Model& m_model;
    CompletionRequest m_request;
    std::size_t m_index;
    CompletionListener m_listener;
    std::shared_ptr<std::atomic<bool>> m_cancelled;
    std::vector<std::int32_t> m_ids;  // the prompt, then what was generated
    std::int64_t m_mostTokens;
    KeyValueCache m_cache;
    Eigen::MatrixXf m_hidden;          // (hidden, ≥ computed)
    std::vector<TokenScore> m_scores;  // of the prompt's ids, as far as they are known
    std::int64_t m_generated = 0;
    std::int64_t m_cachedTokens = 0;
    bool m_promptTold = false;
    bool m_shared = false;
    bool m_failed = false;
    std::mt19937_64 m_random;
    DecodeStream m_decoder;
    StopText m_stop;
};

}  // namespace cospadi
