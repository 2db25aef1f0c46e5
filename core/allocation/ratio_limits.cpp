#include "core/allocation/ratio_limits.h"

#include <algorithm>
#include <cmath>

#include "core/methods/method.h"

namespace cospadi {

namespace {

constexpr int kPercents = 100;
constexpr double kSumRounding = 1e-12;
constexpr double kRaise = 1e-3;

double bytesOf(MatrixOptions options, const LayerInfo& layer, double cr) {
    options.cr = cr;
    return budgetBytes(options, layer.d1, layer.d2);
}

// The last percent, walking from the uniform ratio, up to which all are storable.
double walk(MatrixOptions options, const LayerInfo& layer, int step) {
    const double uniform = options.cr;
    double last = uniform;
    int percent = static_cast<int>(step > 0 ? std::floor(uniform * kPercents + 1e-9) + 1
                                            : std::ceil(uniform * kPercents - 1e-9) - 1);
    for (; percent > 0 && percent < kPercents; percent += step) {
        options.cr = static_cast<double>(percent) / kPercents;
        if (!isStorable(options, layer.d1, layer.d2)) {
            break;
        }
        last = options.cr;
    }
    return last;
}

}  // namespace

RatioLimits storableRatios(const MatrixOptions& options, const LayerInfo& layer) {
    static_cast<void>(budgetBytes(options, layer.d1, layer.d2));  // throws what is wrong
    RatioLimits limits{walk(options, layer, -1), walk(options, layer, 1)};
    const double dense = 2 * static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
    const double spent = 1 - bytesOf(options, layer, limits.least) / dense;
    limits.least = std::min(std::max(limits.least, spent), options.cr);
    return limits;
}

double bytesAt(const MatrixOptions& options, const std::vector<LayerInfo>& layers,
               const std::vector<double>& ratios) {
    double bytes = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        bytes += bytesOf(options, layers[i], ratios[i]);
    }
    return bytes;
}

double uniformBytes(const MatrixOptions& options, const std::vector<LayerInfo>& layers) {
    return bytesAt(options, layers, std::vector<double>(layers.size(), options.cr));
}

bool fitsUniformBytes(const MatrixOptions& options, const std::vector<LayerInfo>& layers,
                      const std::vector<double>& ratios) {
    return bytesAt(options, layers, ratios) <= uniformBytes(options, layers) * (1 + kSumRounding);
}

std::vector<double> fittingOrUniform(const MatrixOptions& options,
                                     const std::vector<LayerInfo>& layers,
                                     std::vector<double> ratios) {
    if (!fitsUniformBytes(options, layers, ratios)) {
        ratios.assign(layers.size(), options.cr);
    }
    return ratios;
}

std::optional<std::vector<double>> raisedToFit(
    const std::vector<double>& ratios, const std::vector<double>& most,
    const std::function<bool(const std::vector<double>&)>& fits) {
    for (int step = 0;; ++step) {
        std::vector<double> raised;
        for (std::size_t i = 0; i < ratios.size(); ++i) {
            raised.push_back(std::min(ratios[i] + step * kRaise, most[i]));
        }
        if (fits(raised)) {
            return raised;
        }
        if (raised == most) {
            return std::nullopt;
        }
    }
}

}  // namespace cospadi
