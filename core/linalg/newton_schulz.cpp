#include "core/linalg/newton_schulz.h"

#include <algorithm>
#include <cmath>

namespace cospadi {

std::vector<NewtonSchulzStep> newtonSchulzSteps(double bound, double smallest) {
    constexpr double kLifted = 1e-7;
    constexpr double kMostScale = 1.68;  // f(1) is 0.15 then
    std::vector<NewtonSchulzStep> steps;
    if (!(bound > 0) || !std::isfinite(bound)) {
        return steps;
    }
    double scale = 1 / bound;
    for (double low = smallest; 1 - low > kLifted; scale = 1) {
        const double alpha = std::min(kMostScale, std::sqrt(3 / (1 + low + low * low)));
        const double factor = alpha * scale;
        steps.push_back({static_cast<float>(1.5 * factor),
                         static_cast<float>(-0.5 * factor * factor * factor)});
        low *= 0.5 * alpha * (3 - alpha * alpha * low * low);
    }
    return steps;
}

}  // namespace cospadi
