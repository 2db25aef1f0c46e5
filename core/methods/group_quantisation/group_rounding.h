// How one group of an output's inputs is rounded to integers of b bits (form group_quantised): a
// grid for its values, and the code of each.
//
//   minimum   scale = (max − min) / (2^b − 1), code = ⌊(w − min) / scale⌉
//   none      scale = 2 max|w| / (2^b − 1),    code = ⌊w / scale⌉ + 2^(b−1)
// both clamped to 0 … 2^b − 1. Scales and minimums are rounded to float16 before codes are found.
#pragma once

#include <Eigen/Core>

#include "core/forms/group_quantised/group_quantised_weight.h"

namespace cospadi {

struct GroupSettings {
    int bits = 4;
    std::int64_t groupSize = 64;  // g; divides d1
    bool hasMinimums = true;
};

// All zero, for a weight (d1, d2).
GroupQuantisedCodes emptyCodes(const GroupSettings& settings, std::int64_t d1, std::int64_t d2);

// Sets scale and minimum of this group of an output by the group's g values. Returns its grid.
GroupGrid fitGrid(const Eigen::Ref<const Eigen::VectorXf>& values, Eigen::Index group,
                  Eigen::Index output, GroupQuantisedCodes& codes);

// The code whose value is nearest; of a group whose values are all the same, the one that stands
// for the minimum.
std::uint8_t nearestCode(const GroupGrid& grid, int bits, float value);

}  // namespace cospadi
