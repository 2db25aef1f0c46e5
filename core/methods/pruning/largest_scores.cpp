#include "core/methods/pruning/largest_scores.h"

#include <algorithm>
#include <numeric>

namespace cospadi {

std::span<const Eigen::Index> LargestScores::of(std::span<const double> scores,
                                                Eigen::Index count) {
    m_order.resize(scores.size());
    std::iota(m_order.begin(), m_order.end(), 0);
    const auto at = [&](Eigen::Index i) { return scores[static_cast<std::size_t>(i)]; };
    std::nth_element(
        m_order.begin(), m_order.begin() + count, m_order.end(),
        [&](Eigen::Index a, Eigen::Index b) { return at(a) != at(b) ? at(a) > at(b) : a < b; });
    return std::span(m_order).first(static_cast<std::size_t>(count));
}

}  // namespace cospadi
