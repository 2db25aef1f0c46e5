#include "core/serving/sequence.h"

#include <algorithm>
#include <utility>

#include "core/serving/token_choice.h"

namespace cospadi {

Sequence::Sequence(const Model& model, CompletionRequest request, std::size_t index,
                   CompletionListener listener, std::shared_ptr<std::atomic<bool>> cancelled)
    : m_model(model),
      m_request(std::move(request)),
      m_index(index),
      m_listener(std::move(listener)),
      m_cancelled(std::move(cancelled)),
      m_ids(m_request.prompt),
      m_mostTokens(mostTokens(model, m_request)),
      m_cache(model.config(), m_mostTokens),
      m_random(m_request.sampling.seed),
      m_decoder(model.tokenizer(), true),
      m_stop(m_request.stop) {
    if (m_request.continuesText) {  // what begins a text loses the space before its first word
        for (const std::int32_t id : m_request.prompt) {
            textOf(id);
        }
        m_decoder.settle();  // a newline in bytes is the prompt's, not the answer's
    }
}

std::int64_t Sequence::mostTokens(const Model& model, const CompletionRequest& request) {
    const auto prompt = static_cast<std::int64_t>(request.prompt.size());
    const std::int64_t room = std::max<std::int64_t>(0, model.config().contextLength - prompt);
    return prompt + std::min(request.maxTokens, room);
}

std::int64_t Sequence::bytesOfToken(const Model& model) {
    return KeyValueCache::bytesOfToken(model.config()) +
           static_cast<std::int64_t>(sizeof(float)) * model.config().hiddenSize;
}

void Sequence::appendHidden(const Eigen::Ref<const Eigen::MatrixXf>& columns) {
    const std::int64_t before = computed() - columns.cols();
    if (m_hidden.cols() < computed()) {
        const std::int64_t capacity = std::max(
            computed(),
            isInPrompt() || before == 0 ? promptLength() : std::min(2 * computed(), m_mostTokens));
        Eigen::MatrixXf larger(columns.rows(), capacity);
        if (before > 0) {
            larger.leftCols(before) = m_hidden.leftCols(before);
        }
        m_hidden = std::move(larger);
    }
    m_hidden.middleCols(before, columns.cols()) = columns;
}

void Sequence::startFrom(const ComputedSequence& known, std::int64_t length) {
    m_cache = known.cache.firstTokens(length, m_mostTokens);
    m_hidden = known.hidden.leftCols(length);
    m_cachedTokens = length;
    if (m_request.scorePrompt && known.topTokens >= m_request.topTokens) {
        const auto scored = std::min(static_cast<std::size_t>(length), known.scores.size());
        m_scores.assign(known.scores.begin(),
                        known.scores.begin() + static_cast<std::ptrdiff_t>(scored));
        for (TokenScore& score : m_scores) {
            score.top.resize(
                std::min(score.top.size(), static_cast<std::size_t>(m_request.topTokens)));
        }
    }
}

std::vector<ScoreTask> Sequence::scoreTasks() const {
    std::vector<ScoreTask> tasks;
    if (m_request.scorePrompt) {
        const std::int64_t end = std::min(promptLength(), computed() + 1);
        for (auto id = std::max<std::int64_t>(1, static_cast<std::int64_t>(m_scores.size()));
             id < end; ++id) {
            tasks.push_back({id - 1, m_ids[static_cast<std::size_t>(id)], {}, {}});
        }
    }
    if (pending().empty() && m_request.maxTokens > 0) {
        tasks.push_back({computed() - 1, -1, {}, {}});
    }
    return tasks;
}

std::int32_t Sequence::choose(const Eigen::Ref<const Eigen::VectorXf>& logits) {
    return chooseToken(logits, m_request.sampling, m_random);
}

bool Sequence::take(std::vector<ScoreTask>& tasks) {
    CompletionEvent event;
    if (m_request.scorePrompt && m_scores.empty()) {
        m_scores.push_back({m_ids.front(), TokenScore().logProbability, {}});
    }
    bool goesOn = true;
    for (ScoreTask& task : tasks) {
        if (!task.failure.empty()) {
            end(FinishReason::Failed, task.failure);
            return false;
        }
        if (task.target >= 0) {
            m_scores.push_back(std::move(task.score));
        } else {
            goesOn = takeGenerated(std::move(task.score), event);
        }
    }
    if (!isInPrompt() && !m_promptTold) {
        m_promptTold = true;
        event.prompt = m_scores;
        if (m_request.maxTokens == 0) {
            event.finish = FinishReason::Length;
            goesOn = false;
        }
    }
    if (!event.prompt.empty() || !event.generated.empty() || event.finish) {
        tell(std::move(event));
    }
    return goesOn;
}

bool Sequence::takeGenerated(TokenScore score, CompletionEvent& event) {
    const std::int32_t id = score.id;
    event.generated.push_back(std::move(score));
    ++m_generated;
    if (isEnd(id)) {
        event.finish = FinishReason::Stop;
    } else {
        event.text = m_stop.add(textOf(id));
        const auto length = static_cast<std::int64_t>(m_ids.size()) + 1;
        if (m_stop.found()) {
            event.finish = FinishReason::Stop;
        } else if (m_generated >= m_request.maxTokens || length > m_model.config().contextLength) {
            event.finish = FinishReason::Length;
        }
    }
    if (event.finish) {
        event.text += m_stop.add(m_decoder.finish());
        event.text += m_stop.finish();
        // Only now may text have come out that was held back, with a stop string in it.
        event.finish = m_stop.found() ? FinishReason::Stop : event.finish;
        return false;
    }
    m_ids.push_back(id);
    return true;
}

// An embedding may have more rows than the tokenizer has tokens; those have no text.
std::string Sequence::textOf(std::int32_t id) {
    return id < m_model.tokenizer().vocabularySize() ? m_decoder.add(id) : std::string();
}

bool Sequence::isEnd(std::int32_t id) const {
    const auto isAmong = [id](const std::vector<std::int32_t>& ends) {
        return std::find(ends.begin(), ends.end(), id) != ends.end();
    };
    return isAmong(m_model.config().eosIds) || isAmong(m_request.ends) ||
           id == m_model.tokenizer().eosId();
}

void Sequence::end(FinishReason reason, const std::string& failure) {
    m_failed = reason == FinishReason::Failed;
    CompletionEvent event;
    event.finish = reason;
    event.failure = failure;
    tell(std::move(event));
}

void Sequence::tell(CompletionEvent event) {
    event.index = m_index;
    event.cachedTokens = m_cachedTokens;
    m_listener(std::move(event));
}

ComputedSequence Sequence::copyOfComputed() const {
    std::vector<std::int32_t> ids(m_ids.begin(),
                                  m_ids.begin() + static_cast<std::ptrdiff_t>(computed()));
    return {std::move(ids), m_cache.firstTokens(computed()), m_hidden.leftCols(computed()),
            m_scores, m_request.scorePrompt ? m_request.topTokens : 0};
}

ComputedSequence Sequence::releaseComputed() {
    m_ids.resize(static_cast<std::size_t>(computed()));
    if (m_hidden.cols() > computed()) {
        m_hidden.conservativeResize(Eigen::NoChange, computed());
    }
    return {std::move(m_ids), std::move(m_cache), std::move(m_hidden), std::move(m_scores),
            m_request.scorePrompt ? m_request.topTokens : 0};
}

std::int64_t Sequence::bytesOfComputed() const {
    return m_cache.bytes() + static_cast<std::int64_t>(sizeof(float)) * m_hidden.size();
}

}  // namespace cospadi
