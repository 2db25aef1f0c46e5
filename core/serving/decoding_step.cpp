#include "core/serving/decoding_step.h"

#include <algorithm>
#include <cstddef>
#include <exception>

#include "core/base/error.h"
#include "core/serving/token_choice.h"

namespace cospadi {

namespace {

constexpr std::int64_t kLogitTile = 128;  // columns of logits that exist at once

}  // namespace

void endSequence(Sequence& sequence, FinishReason reason, const std::string& failure) {
    try {
        sequence.end(reason, failure);
    } catch (const std::exception&) {
    }
}

std::int64_t DecodingStep::extend(const std::vector<SequencePointer>& active,
                                  std::int64_t columns) {
    std::vector<Continuation> batch;
    std::vector<Sequence*> parts;
    std::int64_t room = columns;
    for (const bool prompts : {false, true}) {
        for (const auto& sequence : active) {
            const auto pending = sequence->pending();
            if (sequence->isInPrompt() != prompts || pending.empty() || room <= 0) {
                continue;
            }
            const auto count = std::min(pending.size(), static_cast<std::size_t>(room));
            room -= static_cast<std::int64_t>(count);
            batch.push_back({&sequence->cache(), pending.first(count)});
            parts.push_back(sequence.get());
        }
    }
    if (batch.empty()) {
        return 0;
    }
    const Eigen::MatrixXf hidden = m_pass.extend(batch);
    std::int64_t column = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto count = static_cast<std::int64_t>(batch[i].ids.size());
        parts[i]->appendHidden(hidden.middleCols(column, count));
        column += count;
    }
    return column;
}

void DecodingStep::score(std::vector<SequencePointer>& active) {
    std::vector<std::vector<ScoreTask>> tasks;
    std::vector<Scored> all;
    for (const auto& sequence : active) {
        tasks.push_back(sequence->scoreTasks());
    }
    for (std::size_t i = 0; i < active.size(); ++i) {
        for (ScoreTask& task : tasks[i]) {
            all.emplace_back(active[i].get(), &task);
        }
    }
    for (std::size_t begin = 0; begin < all.size(); begin += kLogitTile) {
        const auto count = std::min<std::size_t>(kLogitTile, all.size() - begin);
        scoreTile(std::span(all).subspan(begin, count));
    }
    // From here on each stands for itself: what fails for one is told to it alone.
    std::size_t next = 0;
    std::erase_if(active, [&](const SequencePointer& sequence) {
        return !takeScores(*sequence, tasks[next++]);
    });
}

// Whether the sequence goes on.
bool DecodingStep::takeScores(Sequence& sequence, std::vector<ScoreTask>& tasks) {
    bool goesOn = false;
    try {
        goesOn = sequence.take(tasks);
    } catch (const std::exception& error) {
        endSequence(sequence, FinishReason::Failed, error.what());
    }
    try {
        goesOn ? share(sequence) : retire(sequence);
    } catch (const std::exception&) {
        // No memory for what others might have begun with: they compute it themselves.
    }
    return goesOn;
}

void DecodingStep::scoreTile(std::span<const Scored> tile) {
    const auto columns = static_cast<Eigen::Index>(tile.size());
    Eigen::MatrixXf hidden(m_model.config().hiddenSize, columns);
    for (Eigen::Index i = 0; i < columns; ++i) {
        const auto& [sequence, task] = tile[static_cast<std::size_t>(i)];
        hidden.col(i) = sequence->hidden(task->position);
    }
    const Eigen::MatrixXf logits = m_pass.logits(hidden);
    m_pool.run(columns, [&](std::int64_t i) {
        const auto& [sequence, task] = tile[static_cast<std::size_t>(i)];
        try {
            const std::int32_t id =
                task->target >= 0 ? task->target : sequence->choose(logits.col(i));
            task->score = scoreToken(logits.col(i), id, sequence->request().topTokens);
        } catch (const Error& error) {
            task->failure = error.what();
        }
    });
}

// A prompt that has just been computed, while its sequence goes on: others may begin alike.
void DecodingStep::share(Sequence& sequence) {
    if (!sequence.isInPrompt() && !sequence.isShared()) {
        sequence.setShared();
        if (m_prefixes.wants(sequence.ids().first(static_cast<std::size_t>(sequence.computed())),
                             sequence.bytesOfComputed())) {
            m_prefixes.insert(sequence.copyOfComputed());
        }
    }
}

void DecodingStep::retire(Sequence& sequence) {
    if (!sequence.isFailed() && !sequence.isInPrompt()) {
        m_prefixes.insert(sequence.releaseComputed());
    }
}

}  // namespace cospadi
