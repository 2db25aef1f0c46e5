#include "core/forms/remapped/dynamic_code.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cospadi {

namespace {

constexpr int kDecades = 7;

std::array<float, 256> makeValues() {
    std::array<float, 256> values{};
    std::size_t count = 0;
    values[count++] = 0;
    values[count++] = 1;
    for (int e = 0; e < kDecades; ++e) {
        const int parts = 1 << e;
        for (int i = 0; i < parts; ++i) {
            const double midpoint = 0.1 + 0.9 * (i + 0.5) / parts;
            const auto value = static_cast<float>(midpoint * std::pow(10.0, e + 1 - kDecades));
            values[count++] = value;
            values[count++] = -value;
        }
    }
    std::sort(values.begin(), values.end());
    return values;
}

const std::array<float, 256>& values() {
    static const std::array<float, 256> all = makeValues();
    return all;
}

}  // namespace

float dynamicValue(std::uint8_t code) { return values()[code]; }

std::uint8_t nearestDynamicCode(float value) {
    const auto& all = values();
    const auto above = std::lower_bound(all.begin(), all.end(), value);
    if (above == all.begin()) {
        return 0;
    }
    if (above == all.end()) {
        return 255;
    }
    const auto code = static_cast<std::uint8_t>(above - all.begin());
    const bool isNearer = *above - value < value - *(above - 1);
    return isNearer ? code : static_cast<std::uint8_t>(code - 1);
}

}  // namespace cospadi
