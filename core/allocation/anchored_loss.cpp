#include "core/allocation/anchored_loss.h"

#include <cmath>
#include <cstddef>

namespace cospadi {

double anchoredLoss(const std::vector<CurveAnchor>& anchors, double divergence) {
    if (divergence <= 0) {
        return 0;
    }
    // A whole that lost nothing, or less than a better one, tells nothing.
    std::vector<CurveAnchor> telling;
    for (const CurveAnchor& anchor : anchors) {
        if (anchor.loss > 0 && anchor.divergence > 0 &&
            (telling.empty() || anchor.loss > telling.back().loss)) {
            telling.push_back(anchor);
        }
    }
    if (telling.empty()) {
        return divergence;
    }
    if (divergence <= telling.front().divergence) {
        return telling.front().loss * divergence / telling.front().divergence;
    }
    for (std::size_t i = 1; i < telling.size(); ++i) {
        if (divergence <= telling[i].divergence) {
            const double share = std::log(divergence / telling[i - 1].divergence) /
                                 std::log(telling[i].divergence / telling[i - 1].divergence);
            return std::exp(
                std::lerp(std::log(telling[i - 1].loss), std::log(telling[i].loss), share));
        }
    }
    return telling.back().loss * divergence / telling.back().divergence;
}

}  // namespace cospadi
