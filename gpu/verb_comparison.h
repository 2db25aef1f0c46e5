// Every verb of a backend against the host's, on made-up matrices: what tests run over the
// emulation and gpu-check over a device.
//
// Exact verbs must agree to rounding. Where a verb chooses (top-s, pursuit) two roundings may
// choose differently at a near tie, so the quality of what comes out is compared: the error it
// leaves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/linalg/backend.h"

namespace cospadi {

struct VerbShape {
    std::int64_t d1 = 0;  // W (d1, d2), D (d1, k), S (k, d2) with s non-zeros a column
    std::int64_t d2 = 0;
    std::int64_t k = 0;
    std::int64_t s = 0;
    double decay = 0;  // singular values of W as i^−decay: 0 well, 3 ill-conditioned
};

struct VerbDeviation {
    std::string verb;
    VerbShape shape;
    double deviation = 0;  // relative, as each verb's comparison defines it
    double tolerance = 0;
    bool holds() const { return deviation <= tolerance; }  // false for NaN, too
};

// "70×150, k 50, s 12, decay 3"
std::string describe(const VerbShape& shape);

// Shapes up to `largest`, among them k > d1, s = k, single rows, columns and atoms.
std::vector<VerbShape> comparisonShapes(int random, std::int64_t largest, unsigned seed);

// The pursuits (ompEncode, ksvdSweep) are left out where `pursuits` is false: on the host they take
// long for large shapes.
std::vector<VerbDeviation> compareVerbs(Backend& reference, Backend& tested, const VerbShape& shape,
                                        bool pursuits, unsigned seed);

}  // namespace cospadi
