// At which ratios the matrices of a model are tried for its curves: some of those at which the
// knapsack tries them at CR 0.2 and 0.4 (allocation.h), to the bit, so that one finds what the
// other has measured.
#pragma once

#include <array>

namespace cospadi {

// Of every matrix, and of all of them at once.
inline constexpr std::array<double, 2> kLevelRatios = {0.4, 0.2};
// Of some blocks alone, whose shape stands for those of their kind.
inline constexpr std::array<double, 5> kShapeRatios = {1.6 * 0.4, 0.75 * 0.4, 0.5 * 0.2, 1.25 * 0.4,
                                                       0.5 * 0.1};

// Of those in the middle, a ratio a block: whole solves, to whose errors the others are taken. At
// 0.1 dictionaries outgrow their dimensions, which six iterations are too few for; between 0.2 and
// 0.4 what the further ones gain does not fall evenly.
inline constexpr std::array<double, 4> kEndRatios = {0.4, 0.2, 0.5 * 0.2, 0.75 * 0.4};

}  // namespace cospadi
