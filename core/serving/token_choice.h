// From logits to a token and its score. Pure functions of one column of logits; no threads inside.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <random>

#include "core/serving/completion.h"

namespace cospadi {

using Logits = Eigen::Ref<const Eigen::VectorXf>;

// The likeliest token (the smallest id of equals), or one drawn with softmax(logits/temperature)
// cut to topP. The same generator state and logits give the same token on every machine.
std::int32_t chooseToken(const Logits& logits, const SamplingOptions& sampling,
                         std::mt19937_64& random);

// log-softmax of `id` and of the `topTokens` likeliest tokens (equals: smaller id first), the sum
// in double. Throws Error where the logits are not finite numbers.
TokenScore scoreToken(const Logits& logits, std::int32_t id, int topTokens);

}  // namespace cospadi
