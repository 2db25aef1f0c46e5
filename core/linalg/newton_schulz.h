// The steps of a scaled Newton–Schulz iteration to the polar factor, one schedule for both
// backends.
//
// X ← X (a I + b XᵀX) with a = 3/2 α, b = −½ α³: with singular values in [l, 1], α² = 3 / (1 + l +
// l²) brings both ends to the same height (Chen and Chow 2014), which is the next l. Where l is
// small that takes values near 1 down to it, and with them what float32 knows of their directions:
// α is limited, which costs a step at l = 10⁻⁷ and keeps them above 0.1.
#pragma once

#include <vector>

namespace cospadi {

struct NewtonSchulzStep {
    float identity = 0;  // a
    float squares = 0;   // b
};

// Steps that lift every singular value of A between smallest · bound and bound ≥ ‖A‖₂ to 1. The
// first one also divides by the bound. Empty where the bound is not positive and finite.
std::vector<NewtonSchulzStep> newtonSchulzSteps(double bound, double smallest);

}  // namespace cospadi
