// COMPOT's rule (arXiv 2602.15200): the singular values of all original weights, each divided by
// its weight's Frobenius norm, are pooled, and the smallest of the pool go until the model has lost
// the share of bytes that is asked for. What a weight keeps of its values is its rank, and the
// bytes of that rank its ratio:
//
//   CR_i = 1 − r_i (d1 + d2) / (d1 d2),   r_i = #{σ_ij / ‖W_i‖_F not cut}
//
// within a lowest and a highest ratio. The published limits are not known here. Ours: a run stores
// no layer at CR 0, so that the lowest ratio is what its form can spend, one percent at least; and
// at most 0.7, where ROCKET's candidates end, too (the uniform ratio where that is higher), lest
// the flattest part of the pool take whole matrices with it.
//
// It looks at no inputs, and so not at what errors cost: the cheapest rule, a spectrum a layer.
#pragma once

#include <cstdint>
#include <vector>

#include "core/methods/matrix_options.h"
#include "core/model/layer_info.h"

namespace cospadi {

class AllocationRule;
const AllocationRule& compotRule();

constexpr double kCompotHighestRatio = 0.7;

struct CompotCut {
    std::vector<double> ratios;
    std::vector<std::int64_t> ranks;  // what is kept of each spectrum
    double threshold = 0;             // the smallest normalised value that is kept; 0 where none is
};

// spectra: of every layer, descending, of any scale. The cut is the first whose bytes are within
// those of the uniform ratio, options.cr; equal values go in the order of the layers.
CompotCut compotCut(const MatrixOptions& options, const std::vector<LayerInfo>& layers,
                    const std::vector<std::vector<double>>& spectra);

}  // namespace cospadi
