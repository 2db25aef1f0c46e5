// Rounding to the codes of a quantised block.
#pragma once

#include "core/tensors/half_scale.h"

namespace cospadi {

// Ranges that a group tries on either side of its own, a tenth of a code apart.
inline constexpr int kRangesTried = 10;

// The nearest of the whole numbers least…most; v is no NaN. Compilers make vectors of it.
inline float nearestCode(float v, float least, float most) {
    const float above = v < least ? least : v;
    const float inside = above > most ? most : above;
    return static_cast<float>(static_cast<int>(inside - least + 0.5F)) + least;
}

// `value` in whole units of `unit`; 0 where float16 has 0 for the unit.
inline int unitsOf(float value, float unit, int least, int most) {
    return static_cast<int>(nearestCode(value * inverseScale(unit), static_cast<float>(least),
                                        static_cast<float>(most)));
}

}  // namespace cospadi
