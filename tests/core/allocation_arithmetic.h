// What tests of allocations count by themselves: bytes of low rank, norms of what is cut.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/methods/low_rank/svd_method.h"
#include "core/methods/method.h"
#include "core/model/layer_info.h"

namespace allocation_arithmetic {

using cospadi::LayerInfo;
using cospadi::MatrixOptions;

constexpr double kLeastRatio = 0.01;  // a percent: no run stores a layer at CR 0

inline LayerInfo layerOf(const std::string& name, std::int64_t d1, std::int64_t d2) {
    LayerInfo layer;
    layer.name = name;
    layer.kind = name;
    layer.d1 = d1;
    layer.d2 = d2;
    return layer;
}

inline std::vector<LayerInfo> madeUp(const std::vector<std::pair<int, int>>& shapes) {
    std::vector<LayerInfo> layers;
    for (const auto& [d1, d2] : shapes) {
        layers.push_back(layerOf("l" + std::to_string(layers.size()), d1, d2));
    }
    return layers;
}

inline MatrixOptions lowRank(double cr) {
    MatrixOptions options;
    options.method = &cospadi::svdMethod();
    options.cr = cr;
    return options;
}

// Of two bfloat16 factors: paper §3.4.
inline double rankBytes(const LayerInfo& layer) {
    return 2.0 * static_cast<double>(layer.d1 + layer.d2);
}
inline double denseBytes(const LayerInfo& layer) {
    return 2.0 * static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
}
inline double lowRankBytes(const LayerInfo& layer, double cr) {
    const double rank = std::floor((1 - cr) * denseBytes(layer) / rankBytes(layer) * (1 + 1e-12));
    return std::min(rank, static_cast<double>(std::min(layer.d1, layer.d2))) * rankBytes(layer);
}

inline double lowRankBytes(const std::vector<LayerInfo>& layers,
                           const std::vector<double>& ratios) {
    double bytes = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        bytes += lowRankBytes(layers[i], ratios[i]);
    }
    return bytes;
}

inline double uniformLowRankBytes(const std::vector<LayerInfo>& layers, double cr) {
    return lowRankBytes(layers, std::vector<double>(layers.size(), cr));
}

inline bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

inline double tailNorm(const std::vector<double>& spectrum, std::size_t rank) {
    double squares = 0;
    for (std::size_t i = rank; i < spectrum.size(); ++i) {
        squares += spectrum[i] * spectrum[i];
    }
    return std::sqrt(squares);
}

}  // namespace allocation_arithmetic
