// How likely given tokens are after the columns of hidden states, one a column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/forward.h"

namespace oracle {

inline std::vector<double> logProbabilities(cospadi::ForwardPass& pass,
                                            const Eigen::Ref<const Eigen::MatrixXf>& hidden,
                                            std::span<const std::int32_t> targets) {
    std::vector<cospadi::TokenQuery> queries;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        queries.push_back({static_cast<std::int64_t>(i), targets[i]});
    }
    std::vector<double> result;
    for (const cospadi::TokenLikelihood& token : pass.likelihoods(hidden, queries)) {
        result.push_back(token.logProbability);
    }
    return result;
}

}  // namespace oracle
