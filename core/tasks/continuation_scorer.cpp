#include "core/tasks/continuation_scorer.h"

#include <algorithm>
#include <utility>

#include "core/model/key_value_cache.h"

namespace cospadi {

namespace {

constexpr std::int64_t kBatchTokens = 2048;                     // columns of one pass
constexpr std::int64_t kCacheBytes = std::int64_t{512} << 20U;  // keys and values of a batch

// The last id is predicted and never read.
std::span<const std::int32_t> inputOf(const ContinuationRequest& request) {
    return std::span(request.ids).first(request.ids.size() - 1);
}

// Ids that the inputs of all requests begin with.
std::int64_t commonLength(const ContinuationGroup& group) {
    std::span<const std::int32_t> common = inputOf(group.front());
    for (const ContinuationRequest& request : group) {
        const auto input = inputOf(request);
        const auto differ =
            std::mismatch(common.begin(), common.end(), input.begin(), input.end()).first;
        common = common.first(static_cast<std::size_t>(differ - common.begin()));
    }
    return static_cast<std::int64_t>(common.size());
}

struct GroupSize {
    std::int64_t common = 0, columns = 0, cached = 0;  // cached: tokens held in caches
};

GroupSize sizeOf(const ContinuationGroup& group) {
    GroupSize size;
    size.common = commonLength(group);
    size.columns = size.common;
    size.cached = size.common;
    for (const ContinuationRequest& request : group) {
        const auto length = static_cast<std::int64_t>(inputOf(request).size());
        size.columns += length - size.common;
        size.cached += length > size.common ? length : 0;
    }
    return size;
}

// Which tokens are asked for after which hidden states, and by whom; the states are put side by
// side. Requests of a group share the state that stands before their first own token.
class Questions {
  public:
    void ask(const float* state, std::int32_t token, std::size_t group, std::size_t request) {
        if (m_states.empty() || m_states.back() != state) {
            m_states.push_back(state);
        }
        m_queries.push_back({static_cast<std::int64_t>(m_states.size()) - 1, token});
        m_askers.emplace_back(group, request);
    }

    void answer(ForwardPass& pass, std::int64_t hiddenSize,
                std::vector<std::vector<ContinuationScore>>& scores) const {
        Eigen::MatrixXf hidden(hiddenSize, static_cast<Eigen::Index>(m_states.size()));
        for (std::size_t i = 0; i < m_states.size(); ++i) {
            hidden.col(static_cast<Eigen::Index>(i)) =
                Eigen::Map<const Eigen::VectorXf>(m_states[i], hiddenSize);
        }
        const std::vector<TokenLikelihood> answers = pass.likelihoods(hidden, m_queries);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            ContinuationScore& score = scores[m_askers[i].first][m_askers[i].second];
            score.logLikelihood += answers[i].logProbability;
            score.isGreedy = score.isGreedy && answers[i].isLikeliest;
        }
    }

  private:
    std::vector<const float*> m_states;
    std::vector<TokenQuery> m_queries;
    std::vector<std::pair<std::size_t, std::size_t>> m_askers;  // (group, request)
};

Eigen::MatrixXf extended(ForwardPass& pass, std::span<const Continuation> parts) {
    return parts.empty() ? Eigen::MatrixXf() : pass.extend(parts);
}

}  // namespace

// What all requests of a group begin with.
struct ContinuationScorer::Trunk {
    KeyValueCache cache;
    std::int64_t length = 0;
    std::int64_t column = 0;  // of its first token in the hidden states of all trunks
};

// What follows the trunk in one request.
struct ContinuationScorer::Branch {
    std::size_t group = 0, request = 0;
    KeyValueCache cache;
    std::int64_t column = 0;  // in the hidden states of all branches
};

ContinuationScorer::ContinuationScorer(const Model& model, ThreadPool& pool,
                                       DeviceProducts* products)
    : m_model(model), m_pass(model, pool, products) {}

std::size_t ContinuationScorer::batch(std::span<const ContinuationGroup> groups) const {
    const ModelConfig& config = m_model.config();
    const std::int64_t tokenBytes =
        2 * config.blocks * config.keyValueHeads * config.headDim * std::int64_t{sizeof(float)};
    std::int64_t columns = 0;
    std::int64_t cached = 0;
    std::size_t count = 0;
    for (; count < groups.size(); ++count) {
        const GroupSize size = sizeOf(groups[count]);
        columns += size.columns;
        cached += size.cached;
        if (count > 0 && (columns > kBatchTokens || cached * tokenBytes > kCacheBytes)) {
            break;
        }
    }
    return std::max<std::size_t>(count, 1);
}

// Hidden states of all trunks, one after the other.
Eigen::MatrixXf ContinuationScorer::computeTrunks(std::span<const ContinuationGroup> groups,
                                                  std::vector<Trunk>& trunks) {
    for (const ContinuationGroup& group : groups) {
        const std::int64_t column =
            trunks.empty() ? 0 : trunks.back().column + trunks.back().length;
        trunks.push_back({KeyValueCache(m_model.config()), commonLength(group), column});
    }
    std::vector<Continuation> parts;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (trunks[g].length > 0) {
            parts.push_back(
                {&trunks[g].cache,
                 inputOf(groups[g].front()).first(static_cast<std::size_t>(trunks[g].length))});
        }
    }
    Eigen::MatrixXf states = extended(m_pass, parts);
    m_computed += states.cols();
    return states;
}

// Hidden states of all branches, one after the other, in the order of groups and requests.
Eigen::MatrixXf ContinuationScorer::computeBranches(std::span<const ContinuationGroup> groups,
                                                    const std::vector<Trunk>& trunks,
                                                    std::vector<Branch>& branches) {
    std::int64_t column = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        for (std::size_t r = 0; r < groups[g].size(); ++r) {
            const std::int64_t rest =
                static_cast<std::int64_t>(inputOf(groups[g][r]).size()) - trunks[g].length;
            if (rest > 0) {
                branches.push_back({g, r, trunks[g].cache.firstTokens(trunks[g].length), column});
                column += rest;
            }
        }
    }
    std::vector<Continuation> parts;
    for (Branch& branch : branches) {
        parts.push_back(
            {&branch.cache, inputOf(groups[branch.group][branch.request])
                                .subspan(static_cast<std::size_t>(trunks[branch.group].length))});
    }
    Eigen::MatrixXf states = extended(m_pass, parts);
    m_computed += states.cols();
    return states;
}

std::vector<std::vector<ContinuationScore>> ContinuationScorer::score(
    std::span<const ContinuationGroup> groups) {
    std::vector<Trunk> trunks;
    std::vector<Branch> branches;
    const Eigen::MatrixXf common = computeTrunks(groups, trunks);
    const Eigen::MatrixXf own = computeBranches(groups, trunks, branches);

    Questions questions;
    auto branch = branches.begin();
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const std::int64_t trunk = trunks[g].length;
        for (std::int64_t position = 0; position < trunk; ++position) {
            for (std::size_t r = 0; r < groups[g].size(); ++r) {
                if (position >= groups[g][r].context - 1) {
                    questions.ask(common.col(trunks[g].column + position).data(),
                                  groups[g][r].ids[static_cast<std::size_t>(position + 1)], g, r);
                }
            }
        }
        for (; branch != branches.end() && branch->group == g; ++branch) {
            const ContinuationRequest& request = groups[g][branch->request];
            const auto length = static_cast<std::int64_t>(request.ids.size()) - 1;
            for (std::int64_t position = std::max(trunk, request.context - 1); position < length;
                 ++position) {
                questions.ask(own.col(branch->column + position - trunk).data(),
                              request.ids[static_cast<std::size_t>(position + 1)], g,
                              branch->request);
            }
        }
    }
    std::vector<std::vector<ContinuationScore>> scores;
    for (const ContinuationGroup& group : groups) {
        scores.emplace_back(group.size());
    }
    questions.answer(m_pass, m_model.config().hiddenSize, scores);
    return scores;
}

}  // namespace cospadi
