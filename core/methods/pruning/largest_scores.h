// The positions of the largest of some scores: which weights pruning keeps.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace cospadi {

// Holds room for its answers, so that millions of small groups take no memory each.
class LargestScores {
  public:
    // Positions of the `count` largest, in no order; of equal ones the earlier. Valid until the
    // next call. 0 ≤ count ≤ scores.size().
    std::span<const Eigen::Index> of(std::span<const double> scores, Eigen::Index count);

  private:
    std::vector<Eigen::Index> m_order;
};

}  // namespace cospadi
