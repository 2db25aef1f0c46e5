#include "core/tensors/half_scale.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/error.h"
#include "core/tensors/dtype.h"

namespace cospadi {

float storeHalfScale(float scale, std::uint8_t* target, const std::string& where) {
    constexpr float kLargestScale = 65504;  // of float16
    if (!(std::abs(scale) <= kLargestScale)) {
        throw Error(
            fmt::format("a block of weights has the scale {}, which float16 cannot represent",
                        scale),
            where, "export with --dtype bf16 or f32");
    }
    const std::uint16_t half = floatToHalf(scale);
    target[0] = static_cast<std::uint8_t>(half & 0xFFU);
    target[1] = static_cast<std::uint8_t>(half >> 8U);
    return halfToFloat(half);
}

float inverseScale(float scale) { return std::isfinite(1 / scale) ? 1 / scale : 0; }

}  // namespace cospadi
