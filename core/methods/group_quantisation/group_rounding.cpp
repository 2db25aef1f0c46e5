#include "core/methods/group_quantisation/group_rounding.h"

#include <algorithm>
#include <cmath>

#include "core/tensors/dtype.h"

namespace cospadi {

namespace {

float asHalf(float value) { return halfToFloat(floatToHalf(value)); }

float largestCode(int bits) { return static_cast<float>((1 << bits) - 1); }

}  // namespace

GroupQuantisedCodes emptyCodes(const GroupSettings& settings, std::int64_t d1, std::int64_t d2) {
    GroupQuantisedCodes q;
    q.bits = settings.bits;
    q.groupSize = settings.groupSize;
    q.d1 = d1;
    q.d2 = d2;
    q.codes.resize(static_cast<std::size_t>(d1 * d2));
    q.scales.setZero(d1 / settings.groupSize, d2);
    q.minimums.setZero(settings.hasMinimums ? q.scales.rows() : 0, settings.hasMinimums ? d2 : 0);
    return q;
}

GroupGrid fitGrid(const Eigen::Ref<const Eigen::VectorXf>& values, Eigen::Index group,
                  Eigen::Index output, GroupQuantisedCodes& codes) {
    const float least = codes.hasMinimums() ? asHalf(values.minCoeff()) : 0;
    const float range =
        codes.hasMinimums() ? values.maxCoeff() - least : 2 * values.cwiseAbs().maxCoeff();
    codes.scales(group, output) = asHalf(range / largestCode(codes.bits));
    if (codes.hasMinimums()) {
        codes.minimums(group, output) = least;
    }
    return codes.grid(group, output);
}

std::uint8_t nearestCode(const GroupGrid& grid, int bits, float value) {
    const float code =
        grid.scale > 0 ? std::round((value - grid.minimum) / grid.scale) + grid.zero : grid.zero;
    return static_cast<std::uint8_t>(std::clamp(code, 0.0F, largestCode(bits)));
}

}  // namespace cospadi
