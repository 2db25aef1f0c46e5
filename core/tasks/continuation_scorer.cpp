#include "core/tasks/continuation_scorer.h"

#include <algorithm>

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

// What follows the common part of one request.
struct Branch {
    std::size_t group = 0, request = 0;
    KeyValueCache cache;
    std::int64_t column = 0;  // in the hidden states of all branches
};

}  // namespace

ContinuationScorer::ContinuationScorer(const Model& model, ThreadPool& pool)
    : m_model(model), m_pass(model, pool) {}

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

std::vector<std::vector<ContinuationScore>> ContinuationScorer::score(
    std::span<const ContinuationGroup> groups) {
    std::vector<KeyValueCache> caches(groups.size(), KeyValueCache(m_model.config()));
    std::vector<std::int64_t> commonLengths;
    std::vector<std::int64_t> commonColumns;
    std::vector<Continuation> parts;
    std::int64_t columns = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        commonLengths.push_back(commonLength(groups[g]));
        commonColumns.push_back(columns);
        columns += commonLengths.back();
        if (commonLengths.back() > 0) {
            parts.push_back(
                {&caches[g],
                 inputOf(groups[g].front()).first(static_cast<std::size_t>(commonLengths[g]))});
        }
    }
    const Eigen::MatrixXf common = parts.empty() ? Eigen::MatrixXf() : m_pass.extend(parts);

    std::vector<Branch> branches;
    std::int64_t branchColumns = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        for (std::size_t r = 0; r < groups[g].size(); ++r) {
            const std::int64_t rest =
                static_cast<std::int64_t>(inputOf(groups[g][r]).size()) - commonLengths[g];
            if (rest > 0) {
                branches.push_back({g, r, caches[g].firstTokens(commonLengths[g]), branchColumns});
                branchColumns += rest;
            }
        }
    }
    parts.clear();
    for (Branch& branch : branches) {
        parts.push_back(
            {&branch.cache, inputOf(groups[branch.group][branch.request])
                                .subspan(static_cast<std::size_t>(commonLengths[branch.group]))});
    }
    const Eigen::MatrixXf own = parts.empty() ? Eigen::MatrixXf() : m_pass.extend(parts);
    m_computed += columns + branchColumns;

    // Queries into the hidden states that are needed, side by side; the requests of a group share
    // the column that stands before their first own token.
    struct Place {
        std::size_t group, request;
    };
    std::vector<TokenQuery> queries;
    std::vector<Place> places;
    std::vector<const float*> needed;
    const auto ask = [&](const float* column, std::int32_t token, const Place& place) {
        if (needed.empty() || needed.back() != column) {
            needed.push_back(column);
        }
        queries.push_back({static_cast<std::int64_t>(needed.size()) - 1, token});
        places.push_back(place);
    };
    auto branch = branches.begin();
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto before = branch;
        for (std::int64_t position = 0; position < commonLengths[g]; ++position) {
            for (std::size_t r = 0; r < groups[g].size(); ++r) {
                if (position >= groups[g][r].context - 1) {
                    ask(common.col(commonColumns[g] + position).data(),
                        groups[g][r].ids[static_cast<std::size_t>(position + 1)], {g, r});
                }
            }
        }
        for (branch = before; branch != branches.end() && branch->group == g; ++branch) {
            const ContinuationRequest& request = groups[g][branch->request];
            const auto length = static_cast<std::int64_t>(request.ids.size()) - 1;
            for (std::int64_t position = std::max(commonLengths[g], request.context - 1);
                 position < length; ++position) {
                ask(own.col(branch->column + position - commonLengths[g]).data(),
                    request.ids[static_cast<std::size_t>(position + 1)], {g, branch->request});
            }
        }
    }
    Eigen::MatrixXf hidden(m_model.config().hiddenSize, static_cast<Eigen::Index>(needed.size()));
    for (std::size_t i = 0; i < needed.size(); ++i) {
        hidden.col(static_cast<Eigen::Index>(i)) =
            Eigen::Map<const Eigen::VectorXf>(needed[i], hidden.rows());
    }
    const std::vector<TokenLikelihood> answers = m_pass.likelihoods(hidden, queries);

    std::vector<std::vector<ContinuationScore>> scores;
    for (const ContinuationGroup& group : groups) {
        scores.emplace_back(group.size());
    }
    for (std::size_t i = 0; i < answers.size(); ++i) {
        ContinuationScore& score = scores[places[i].group][places[i].request];
        score.logLikelihood += answers[i].logProbability;
        score.isGreedy = score.isGreedy && answers[i].isLikeliest;
    }
    return scores;
}

}  // namespace cospadi
