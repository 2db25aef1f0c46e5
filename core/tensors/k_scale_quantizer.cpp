#include "core/tensors/k_block_quantizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/tensors/half_scale.h"
#include "core/tensors/nearest_code.h"

namespace cospadi {

namespace {

class ScaledGroup {
  public:
    static constexpr int kSize = 16;
    static constexpr float kLowest = -32;  // codes
    static constexpr float kHighest = 31;

    ScaledGroup() = default;
    explicit ScaledGroup(const float* x) : m_x(x) {
        m_largest = *std::max_element(x, x + kSize,
                                      [](float a, float b) { return std::abs(a) < std::abs(b); });
    }

    // The element that is largest in size has the lowest code, of which there is one more.
    float plain() const { return m_largest / kLowest; }

    float fitted() const {
        float best = plain();
        float leastError = error(best);
        for (int range = -kRangesTried; range <= kRangesTried; ++range) {
            const float codesOfOne = (kLowest + 0.1F * static_cast<float>(range)) / m_largest;
            if (!std::isfinite(codesOfOne)) {
                break;  // nothing but zeros
            }
            const float scale = fittedToCodes(codesOfOne);
            if (const float found = error(scale); found < leastError) {
                best = scale;
                leastError = found;
            }
        }
        return best;
    }

    float code(float inverse, int i) const {
        return nearestCode(m_x[i] * inverse, kLowest, kHighest);
    }

    float error(float scale) const {
        const float inverse = inverseScale(scale);
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < kSize; ++i) {
            const float off = m_x[i] * (scale * code(inverse, i) - m_x[i]);
            sum += off * off;
        }
        return sum;
    }

  private:
    float fittedToCodes(float codesOfOne) const {
        float qq = 0;
        float qx = 0;
#pragma omp simd reduction(+ : qq, qx)
        for (int i = 0; i < kSize; ++i) {
            const float weight = m_x[i] * m_x[i];
            const float at = code(codesOfOne, i);
            qq += weight * at * at;
            qx += weight * at * m_x[i];
        }
        return qq > 0 ? qx / qq : plain();
    }

    const float* m_x = nullptr;
    float m_largest = 0;  // in size, with its sign
};

constexpr int kScaledGroups = 16;
constexpr int kLowestScale = -128;
constexpr int kHighestScale = 127;

struct ScaledBlock {
    std::uint8_t unit[2];
    std::array<int, kScaledGroups> inUnits = {};
    std::array<float, kScaledGroups> scales = {};  // what those come to
    float error = 0;
};

ScaledBlock storedScales(const std::array<ScaledGroup, kScaledGroups>& groups,
                         float (ScaledGroup::*wanted)() const, const std::string& where) {
    std::array<float, kScaledGroups> scales;
    float largest = 0;
    for (int g = 0; g < kScaledGroups; ++g) {
        scales[g] = (groups[g].*wanted)();
        largest = std::abs(scales[g]) > std::abs(largest) ? scales[g] : largest;
    }
    ScaledBlock block;
    const float unit = storeHalfScale(largest / kLowestScale, block.unit, where);
    for (int g = 0; g < kScaledGroups; ++g) {
        const int nearest = unitsOf(scales[g], unit, kLowestScale, kHighestScale);
        float least = INFINITY;
        for (int s = std::max(kLowestScale, nearest - 1); s <= std::min(kHighestScale, nearest + 1);
             ++s) {
            const float scale = unit * static_cast<float>(s);
            if (const float error = groups[g].error(scale); error < least) {
                least = error;
                block.inUnits[g] = s;
                block.scales[g] = scale;
            }
        }
        block.error += least;
    }
    return block;
}

}  // namespace

void quantizeToScales(const float* x, std::uint8_t* block, const std::string& where) {
    std::array<ScaledGroup, kScaledGroups> groups;
    for (int g = 0; g < kScaledGroups; ++g) {
        groups[g] = ScaledGroup(x + ScaledGroup::kSize * g);
    }
    ScaledBlock stored =
        storedScales(groups, &ScaledGroup::plain, where);  // refuses what is too large
    if (const ScaledBlock fitted = storedScales(groups, &ScaledGroup::fitted, where);
        fitted.error < stored.error) {
        stored = fitted;
    }
    // 128 bytes of low nibbles, 64 of upper pairs of bits, the scales, their unit.
    std::memset(block, 0, 192);
    for (int at = 0; at < kScaledGroups * ScaledGroup::kSize; ++at) {
        const int g = at / ScaledGroup::kSize;
        const float inverse = inverseScale(stored.scales[g]);
        const int code = static_cast<int>(groups[g].code(inverse, at % ScaledGroup::kSize)) + 32;
        const int half = at / 128;
        const int quarter = at % 128 / 32;
        const int nibble = 64 * half + 32 * (quarter % 2) + at % 32;
        block[nibble] |= static_cast<std::uint8_t>((code & 15) << (4 * (quarter / 2)));
        block[128 + 32 * half + at % 32] |= static_cast<std::uint8_t>((code >> 4) << (2 * quarter));
    }
    for (int g = 0; g < kScaledGroups; ++g) {
        block[192 + g] = static_cast<std::uint8_t>(static_cast<std::int8_t>(stored.inUnits[g]));
    }
    std::memcpy(block + 208, stored.unit, sizeof stored.unit);
}

}  // namespace cospadi
