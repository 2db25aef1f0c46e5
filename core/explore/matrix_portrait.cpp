#include "core/explore/matrix_portrait.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "core/calibration/gram_cache.h"
#include "core/linalg/spectrum.h"
#include "core/model/layer_weight.h"
#include "core/model/model_info.h"
#include "core/model/model_locator.h"
#include "core/run/resolve_specification.h"

namespace cospadi {

namespace {

constexpr int kBins = 80;

}  // namespace

MatrixAtHand readMatrixAtHand(const RunSpecification& specification, const std::string& layer) {
    const std::filesystem::path path = locateModel(specification.model);
    LayerWeight read = readLayerWeight(path, layer);
    if (!read.weight.allFinite()) {
        throw Error("the weight holds NaN or infinite values", layer, "check the model file");
    }
    MatrixAtHand matrix{read.info, std::move(read.weight), std::nullopt, ""};
    const CalibrationOptions options = calibrationOptionsOf(specification);
    options.validate();
    const std::string model = modelSha256(path);
    const std::string key = gramCacheKey(model, options);
    if (const auto gram = readCachedGram(key, matrix.info.gramKey, matrix.info.d1)) {
        matrix.whitening.emplace(*gram, layer);
    } else {
        matrix.gramAbsence = "the model has not been calibrated with these settings yet";
    }
    matrix.rowFisher = readCachedRowSums(model, options, matrix.info);
    return matrix;
}

Histogram histogramOf(const Eigen::Ref<const Eigen::MatrixXf>& values, int bins) {
    Histogram result;
    result.counts.assign(static_cast<std::size_t>(bins), 0);
    if (values.size() == 0) {
        return result;
    }
    result.low = values.minCoeff();
    result.high = values.maxCoeff();
    const double width = result.high - result.low;
    for (Eigen::Index j = 0; j < values.cols(); ++j) {
        for (Eigen::Index i = 0; i < values.rows(); ++i) {
            const double share = width > 0 ? (values(i, j) - result.low) / width : 0;
            const int bin = std::min(bins - 1, static_cast<int>(share * bins));
            ++result.counts[static_cast<std::size_t>(bin)];
        }
    }
    return result;
}

MatrixPortrait portraitOf(const MatrixAtHand& matrix) {
    const Eigen::MatrixXf& w = matrix.weight;
    MatrixPortrait portrait;
    portrait.mean = w.cast<double>().mean();
    portrait.deviation = std::sqrt((w.cast<double>().array() - portrait.mean).square().sum() /
                                   static_cast<double>(std::max<Eigen::Index>(1, w.size())));
    portrait.least = w.minCoeff();
    portrait.greatest = w.maxCoeff();
    portrait.zeros = (w.array() == 0.0F).count();
    portrait.histogram = histogramOf(w, kBins);
    portrait.singularValues = singularValues(w);
    if (matrix.whitening) {
        portrait.whitenedValues = singularValues(matrix.whitening->whitenedFromOriginal(w));
    }
    return portrait;
}

}  // namespace cospadi
