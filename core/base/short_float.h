// Coefficients of 8 … 15 bits that keep bfloat16's seven bits of mantissa as long as they can and
// shorten its exponent instead. The codes of an atom differ by a few powers of two only, and their
// common scale costs nothing: it goes into the atom, exactly, where it is a power of two. So all
// values are below 2 in size, and the exponent is counted down from there.
//
//   bits          15  14  13  12  11  10   9   8
//   exponent       7   6   5   4   3   3   3   3
//   mantissa       7   7   7   7   7   6   5   4
//
// A pattern is sign, exponent field f, mantissa m: (−1)^sign · 2^(f − F) · (1 + m / 2^M) with F the
// largest field; f = 0 is subnormal, as in IEEE 754: 2^(1 − F) · m / 2^M. No infinities, no NaN.
// Every value is a bfloat16. Rounding is to nearest, ties to even; what lies beyond the largest
// value becomes the largest.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/base/bfloat16.h"

namespace cospadi {

class ShortFloat {
  public:
    explicit ShortFloat(int bits)
        : m_bits(bits),
          m_exponentBits(std::max(3, bits - 8)),
          m_mantissaBits(bits - 1 - m_exponentBits),
          m_largest(2 - std::ldexp(1.0F, -m_mantissaBits)),
          m_leastNormal(std::ldexp(1.0F, 1 - largestField())),
          m_digits(std::ldexp(1.5F * std::ldexp(m_leastNormal, -m_mantissaBits), 23)) {}

    static constexpr bool exists(int bits) { return bits >= 8 && bits <= 15; }

    constexpr int bits() const { return m_bits; }

    float largest() const { return m_largest; }
    float leastNormal() const { return m_leastNormal; }

    float rounded(float value) const {
        const float size = std::abs(value);
        const float subnormal = (size + m_digits) - m_digits;
        const float normal = std::min(roundedToBf16(size, 9 + m_mantissaBits), m_largest);
        return std::copysign(size < m_leastNormal ? subnormal : normal, value);
    }

    // Of a value that rounded() has given.
    std::uint16_t pattern(float value) const {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const std::uint32_t sign = bits >> 31U;
        std::uint32_t field = 0;
        std::uint32_t mantissa = 0;
        if (std::abs(value) < leastNormal()) {
            mantissa = static_cast<std::uint32_t>(
                std::ldexp(std::abs(value) / leastNormal(), m_mantissaBits));
        } else {
            const int exponent = static_cast<int>((bits >> 23U) & 0xffU) - 127;
            field = static_cast<std::uint32_t>(exponent + largestField());
            mantissa = (bits & 0x7fffffU) >> static_cast<unsigned>(23 - m_mantissaBits);
        }
        return static_cast<std::uint16_t>((sign << static_cast<unsigned>(m_bits - 1)) |
                                          (field << static_cast<unsigned>(m_mantissaBits)) |
                                          mantissa);
    }

    float value(std::uint16_t pattern) const {
        const int field = (pattern >> m_mantissaBits) & largestField();
        const int mantissa = pattern & ((1 << m_mantissaBits) - 1);
        const int whole = field > 0 ? (1 << m_mantissaBits) : 0;
        const float size = std::ldexp(static_cast<float>(whole + mantissa),
                                      std::max(field, 1) - largestField() - m_mantissaBits);
        return (pattern >> (m_bits - 1) & 1) != 0 ? -size : size;
    }

  private:
    constexpr int largestField() const { return (1 << m_exponentBits) - 1; }

    int m_bits;
    int m_exponentBits;
    int m_mantissaBits;
    float m_largest;
    float m_leastNormal;
    float m_digits;  // adding it leaves no digits below the step of the subnormals
};

}  // namespace cospadi
