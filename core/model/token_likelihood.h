// How likely tokens are after hidden states, by the model's head: the log-softmax sums in double,
// part by part of the vocabulary, so that the (vocabulary, n) logits never exist whole.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/model/model.h"

namespace cospadi {

// How likely is `token` after column `column` of hidden states?
struct TokenQuery {
    std::int64_t column = 0;
    std::int32_t token = 0;
};

struct TokenLikelihood {
    double logProbability = 0;  // natural logarithm
    bool isLikeliest = false;   // no token has a larger logit
};

// hidden (hidden, n): after the final norm. Queries stand in ascending order of column; a column's
// logits are computed once, whatever the number of its queries. The pool must not run anything else
// meanwhile.
std::vector<TokenLikelihood> tokenLikelihoods(const Model& model, ThreadPool& pool,
                                              const Eigen::Ref<const Eigen::MatrixXf>& hidden,
                                              std::span<const TokenQuery> queries);

}  // namespace cospadi
