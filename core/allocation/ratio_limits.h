// Which ratios a layer may have, and what layers cost at given ones.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/methods/matrix_options.h"
#include "core/model/layer_info.h"

namespace cospadi {

struct RatioLimits {
    double least = 0;
    double most = 0;
};

// The storable ratios (isStorable()) around the uniform one, options.cr, in whole percents; that
// one is among them. least is no lower than what the form can spend: a low rank ends at the shorter
// side. Throws Error as Method::plan() where the layer has no form even at the uniform ratio.
RatioLimits storableRatios(const MatrixOptions& options, const LayerInfo& layer);

// Planned bytes of all layers, every one at its own ratio, or all at the uniform one.
double bytesAt(const MatrixOptions& options, const std::vector<LayerInfo>& layers,
               const std::vector<double>& ratios);
double uniformBytes(const MatrixOptions& options, const std::vector<LayerInfo>& layers);

// Whether ratios cost no more than the uniform one, but for the last bits of the sums.
bool fitsUniformBytes(const MatrixOptions& options, const std::vector<LayerInfo>& layers,
                      const std::vector<double>& ratios);
// They where they do, else the uniform ratio for all: matrices of a few atoms may round so badly.
std::vector<double> fittingOrUniform(const MatrixOptions& options,
                                     const std::vector<LayerInfo>& layers,
                                     std::vector<double> ratios);

// The ratios, all raised alike until they fit, by as few tenths of a percent as that takes; each
// ends at its own `most`, which is no less than it. nullopt where not even these fit.
std::optional<std::vector<double>> raisedToFit(
    const std::vector<double>& ratios, const std::vector<double>& most,
    const std::function<bool(const std::vector<double>&)>& fits);

}  // namespace cospadi
