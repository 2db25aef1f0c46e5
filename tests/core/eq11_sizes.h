// Atoms, non-zeros and bytes of a layer by eq 11 at a given ρ, counted as the tests of a chosen ρ
// count them by themselves, and the candidates for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/methods/rho_candidates.h"
#include "core/model/layer_info.h"

namespace cospadi::eq11 {

inline const std::vector<double> kCandidates(kRhoCandidates.begin(), kRhoCandidates.end());

// Of eq 11 with `rows` the dictionary's side: k atoms in bf16, s values a column of 16 − ⌈ρ⌉ bits,
// and the mask.
struct Eq11Sizes {
    double k = 0;
    double s = 0;
    double bytes = 0;
};
inline Eq11Sizes eq11Sizes(const LayerInfo& layer, double cr, double rho) {
    const auto rows = static_cast<double>(std::min(layer.d1, layer.d2));
    const auto columns = static_cast<double>(std::max(layer.d1, layer.d2));
    Eq11Sizes sizes;
    sizes.k = std::floor((1 - cr) * rows * columns / (rows + columns / rho) * (1 + 1e-12));
    sizes.s = std::floor(sizes.k / rho * (1 + 1e-12));
    sizes.bytes =
        2 * rows * sizes.k + columns * sizes.s * (16 - std::ceil(rho)) / 8 + columns * sizes.k / 8;
    return sizes;
}

}  // namespace cospadi::eq11
