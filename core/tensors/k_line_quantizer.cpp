#include "core/tensors/k_block_quantizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/tensors/half_scale.h"
#include "core/tensors/nearest_code.h"

namespace cospadi {

namespace {

// x ≈ scale q − minimum, neither of them negative.
struct Line {
    float scale = 0;
    float minimum = 0;
};

class LineGroup {
  public:
    static constexpr int kSize = 32;

    LineGroup() = default;
    LineGroup(const float* x, float top) : m_x(x), m_top(top) {
        const auto [least, most] = std::minmax_element(x, x + kSize);
        m_least = std::min(*least, 0.0F);  // no minimum is above zero
        m_most = *most;
        float squares = 0;
        for (int i = 0; i < kSize; ++i) {
            squares += x[i] * x[i];
        }
        const float size = std::sqrt(squares / kSize);
        for (int i = 0; i < kSize; ++i) {
            m_weights[i] = size + std::abs(x[i]);
            m_weight += m_weights[i];
            m_weightedSum += m_weights[i] * x[i];
        }
    }

    // The ends of the range have the first code and the last.
    Line plain() const { return {(m_most - m_least) / m_top, -m_least}; }

    Line fitted() const {
        Line best = plain();
        float leastError = error(best);
        for (int range = -kRangesTried; range <= kRangesTried; ++range) {
            const float stretch = 0.1F * static_cast<float>(range);
            const float codesOfOne = (m_top + stretch) / (m_most - m_least);
            if (!std::isfinite(codesOfOne)) {
                break;  // all elements alike
            }
            const Line line = fittedToCodes(codesOfOne);
            if (const float found = error(line); found < leastError) {
                best = line;
                leastError = found;
            }
        }
        return best;
    }

    float code(Line line, float inverse, int i) const {
        return nearestCode((m_x[i] + line.minimum) * inverse, 0, m_top);
    }

    float error(Line line) const {
        const float inverse = inverseScale(line.scale);
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < kSize; ++i) {
            const float off = line.scale * code(line, inverse, i) - line.minimum - m_x[i];
            sum += m_weights[i] * off * off;
        }
        return sum;
    }

  private:
    // Least squares over scale and minimum, at the codes (x − least) · codesOfOne.
    Line fittedToCodes(float codesOfOne) const {
        float q = 0;
        float qq = 0;
        float qx = 0;
#pragma omp simd reduction(+ : q, qq, qx)
        for (int i = 0; i < kSize; ++i) {
            const float at = nearestCode((m_x[i] - m_least) * codesOfOne, 0, m_top);
            q += m_weights[i] * at;
            qq += m_weights[i] * at * at;
            qx += m_weights[i] * at * m_x[i];
        }
        const float determinant = m_weight * qq - q * q;
        if (!(determinant > 0)) {
            return plain();
        }
        const float minimum = (q * qx - qq * m_weightedSum) / determinant;
        if (minimum < 0) {
            return {std::max(0.0F, qx / qq), 0};
        }
        return {std::max(0.0F, (m_weight * qx - m_weightedSum * q) / determinant), minimum};
    }

    const float* m_x = nullptr;
    float m_top = 0;
    float m_least = 0;
    float m_most = 0;
    float m_weights[kSize] = {};
    float m_weight = 0;       // Σ w
    float m_weightedSum = 0;  // Σ w x
};

constexpr int kLineGroups = 8;
constexpr int kLargestOfSixBits = 63;

// A block's scales and minimums as they are stored.
struct LineBlock {
    std::uint8_t units[4];  // of scales and of minimums
    std::array<std::pair<int, int>, kLineGroups> inUnits;
    std::array<Line, kLineGroups> lines;  // what those come to
    float error = 0;
};

LineBlock storedLines(const std::array<LineGroup, kLineGroups>& groups,
                      Line (LineGroup::*wanted)() const, const std::string& where) {
    std::array<Line, kLineGroups> lines;
    Line largest;
    for (int g = 0; g < kLineGroups; ++g) {
        lines[g] = (groups[g].*wanted)();
        largest.scale = std::max(largest.scale, lines[g].scale);
        largest.minimum = std::max(largest.minimum, lines[g].minimum);
    }
    LineBlock block;
    const float scaleUnit = storeHalfScale(largest.scale / kLargestOfSixBits, block.units, where);
    const float minimumUnit =
        storeHalfScale(largest.minimum / kLargestOfSixBits, block.units + 2, where);
    for (int g = 0; g < kLineGroups; ++g) {
        const int scale = unitsOf(lines[g].scale, scaleUnit, 0, kLargestOfSixBits);
        const int minimum = unitsOf(lines[g].minimum, minimumUnit, 0, kLargestOfSixBits);
        float least = INFINITY;
        for (int s = std::max(0, scale - 1); s <= std::min(kLargestOfSixBits, scale + 1); ++s) {
            for (int m = std::max(0, minimum - 1); m <= std::min(kLargestOfSixBits, minimum + 1);
                 ++m) {
                const Line line{scaleUnit * static_cast<float>(s),
                                minimumUnit * static_cast<float>(m)};
                if (const float error = groups[g].error(line); error < least) {
                    least = error;
                    block.inUnits[g] = {s, m};
                    block.lines[g] = line;
                }
            }
        }
        block.error += least;
    }
    return block;
}

// 6 bits of each scale and minimum in 12 bytes: groups 4–7 have their upper two in those of 0–3.
void putSixBits(const std::array<std::pair<int, int>, kLineGroups>& inUnits, std::uint8_t* target) {
    const auto byte = [](int value) { return static_cast<std::uint8_t>(value); };
    for (int g = 0; g < 4; ++g) {
        const auto [scale, minimum] = inUnits[g];
        const auto [laterScale, laterMinimum] = inUnits[g + 4];
        target[g] = byte(scale | (laterScale >> 4) << 6);
        target[g + 4] = byte(minimum | (laterMinimum >> 4) << 6);
        target[g + 8] = byte((laterScale & 15) | (laterMinimum & 15) << 4);
    }
}

}  // namespace

void quantizeToLines(int bits, const float* x, std::uint8_t* block, const std::string& where) {
    std::array<LineGroup, kLineGroups> groups;
    for (int g = 0; g < kLineGroups; ++g) {
        groups[g] = LineGroup(x + LineGroup::kSize * g, static_cast<float>((1 << bits) - 1));
    }
    LineBlock stored = storedLines(groups, &LineGroup::plain, where);  // refuses what is too large
    if (const LineBlock fitted = storedLines(groups, &LineGroup::fitted, where);
        fitted.error < stored.error) {
        stored = fitted;
    }
    std::memcpy(block, stored.units, sizeof stored.units);
    putSixBits(stored.inUnits, block + 4);
    std::uint8_t* fifths = block + 16;
    std::uint8_t* nibbles = bits == 5 ? block + 48 : block + 16;
    std::memset(fifths, 0, bits == 5 ? 160 : 128);
    for (int g = 0; g < kLineGroups; ++g) {
        const Line line = stored.lines[g];
        const float inverse = inverseScale(line.scale);
        for (int i = 0; i < LineGroup::kSize; ++i) {
            const int code = static_cast<int>(groups[g].code(line, inverse, i));
            nibbles[32 * (g / 2) + i] |= static_cast<std::uint8_t>((code & 15) << (4 * (g % 2)));
            if (bits == 5) {
                fifths[i] |= static_cast<std::uint8_t>((code >> 4) << g);
            }
        }
    }
}

}  // namespace cospadi
