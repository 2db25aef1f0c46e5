// The two factors of a weight that low-rank methods stored.
#pragma once

#include "core/forms/low_rank/low_rank_weight.h"

namespace cospadi {

// Null for another form.
inline const LowRankFactors* lowRankFactors(const StoredWeightPtr& weight) {
    const auto* low = dynamic_cast<const LowRankWeight*>(weight.get());
    return low != nullptr ? &low->factors() : nullptr;
}

}  // namespace cospadi
