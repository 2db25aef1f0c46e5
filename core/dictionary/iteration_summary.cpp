#include "core/dictionary/iteration_summary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace cospadi {

double usageEntropy(const std::vector<std::int64_t>& atomUsage) {
    const auto total =
        static_cast<double>(std::accumulate(atomUsage.begin(), atomUsage.end(), std::int64_t{0}));
    if (total <= 0 || atomUsage.size() < 2) {
        return 0;
    }
    double entropy = 0;
    for (const std::int64_t count : atomUsage) {
        if (count > 0) {
            const double p = static_cast<double>(count) / total;
            entropy -= p * std::log(p);
        }
    }
    return entropy / std::log(static_cast<double>(atomUsage.size()));
}

std::vector<std::int64_t> usageQuantiles(const std::vector<std::int64_t>& atomUsage, int points) {
    std::vector<std::int64_t> sorted = atomUsage;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const auto size = static_cast<std::int64_t>(sorted.size());
    if (size <= points) {
        return sorted;
    }
    std::vector<std::int64_t> quantiles;
    quantiles.reserve(static_cast<std::size_t>(points));
    for (std::int64_t i = 0; i < points; ++i) {
        quantiles.push_back(sorted[static_cast<std::size_t>(i * (size - 1) / (points - 1))]);
    }
    return quantiles;
}

}  // namespace cospadi
