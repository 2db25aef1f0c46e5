#include "core/tasks/continuation_batch.h"

#include <algorithm>

#include "core/model/key_value_cache.h"

namespace cospadi {

namespace {

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

}  // namespace

ContinuationSize sizeOf(const ContinuationGroup& group) {
    ContinuationSize size;
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

ContinuationBatch::ContinuationBatch(const ForwardPass& pass,
                                     std::span<const ContinuationGroup> groups)
    : m_groups(groups) {
    std::vector<std::int32_t> common;
    std::vector<std::int32_t> own;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        m_trunks.push_back({commonLength(groups[g]), std::ssize(common)});
        const auto trunk = trunkOf(g);
        common.insert(common.end(), trunk.begin(), trunk.end());
        for (std::size_t r = 0; r < groups[g].size(); ++r) {
            const Branch branch{g, r, std::ssize(own)};
            const auto rest = restOf(branch);
            if (!rest.empty()) {
                m_branches.push_back(branch);
                own.insert(own.end(), rest.begin(), rest.end());
            }
        }
    }
    m_common = pass.embed(common);
    m_own = pass.embed(own);
}

std::span<const std::int32_t> ContinuationBatch::trunkOf(std::size_t group) const {
    return inputOf(m_groups[group].front()).first(static_cast<std::size_t>(m_trunks[group].length));
}

std::span<const std::int32_t> ContinuationBatch::restOf(const Branch& branch) const {
    return inputOf(m_groups[branch.group][branch.request])
        .subspan(static_cast<std::size_t>(m_trunks[branch.group].length));
}

void ContinuationBatch::runBlock(ForwardPass& pass, const ModelConfig& config, std::int64_t block) {
    std::vector<KeyValueCache> trunks(m_trunks.size(), KeyValueCache::ofOneBlock(config));
    std::vector<Continuation> parts;
    for (std::size_t g = 0; g < trunks.size(); ++g) {
        if (m_trunks[g].length > 0) {
            parts.push_back({&trunks[g], trunkOf(g)});
        }
    }
    if (!parts.empty()) {
        pass.extendBlock(block, parts, m_common);
    }
    std::vector<KeyValueCache> branches;
    branches.reserve(m_branches.size());
    parts.clear();
    for (const Branch& branch : m_branches) {
        const KeyValueCache& trunk = trunks[branch.group];
        parts.push_back(
            {&branches.emplace_back(trunk.firstTokens(trunk.length())), restOf(branch)});
    }
    if (!parts.empty()) {
        pass.extendBlock(block, parts, m_own);
    }
}

std::vector<std::vector<ContinuationScore>> ContinuationBatch::scores(ForwardPass& pass) {
    const Eigen::MatrixXf common = pass.finalNorm(m_common);
    const Eigen::MatrixXf own = pass.finalNorm(m_own);
    Questions questions;
    auto branch = m_branches.begin();
    for (std::size_t g = 0; g < m_groups.size(); ++g) {
        const std::int64_t trunk = m_trunks[g].length;
        for (std::int64_t position = 0; position < trunk; ++position) {
            for (std::size_t r = 0; r < m_groups[g].size(); ++r) {
                if (position >= m_groups[g][r].context - 1) {
                    questions.ask(common.col(m_trunks[g].column + position).data(),
                                  m_groups[g][r].ids[static_cast<std::size_t>(position + 1)], g, r);
                }
            }
        }
        for (; branch != m_branches.end() && branch->group == g; ++branch) {
            const ContinuationRequest& request = m_groups[g][branch->request];
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
    for (const ContinuationGroup& group : m_groups) {
        scores.emplace_back(group.size());
    }
    questions.answer(pass, std::max(common.rows(), own.rows()), scores);
    return scores;
}

}  // namespace cospadi
