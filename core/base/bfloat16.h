// Stored number formats of the factors: bfloat16, and bfloat16 with fewer mantissa bits (paper
// §4.2.1: coefficients keep 16 − ρ bits). Rounding is to nearest, ties to even; the paper cuts the
// lower bits of a bfloat16 off.
#pragma once

#include <bit>
#include <cstdint>

namespace cospadi {

inline float floatFromBf16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

// The upper `kept` bits (8 … 16) of a float, rounded to nearest, as a bf16 pattern. Finite stays
// finite: a value that would round to infinity becomes the largest of its sign.
inline std::uint16_t bf16FromFloat(float value, int kept = 16) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto dropped = static_cast<std::uint32_t>(32 - kept);
    const std::uint32_t half = 1U << (dropped - 1);
    std::uint32_t rounded = bits + half - 1 + ((bits >> dropped) & 1U);
    rounded &= ~((1U << dropped) - 1);
    if ((rounded & 0x7f800000U) == 0x7f800000U && (bits & 0x7f800000U) != 0x7f800000U) {
        rounded -= 1U << dropped;
    }
    return static_cast<std::uint16_t>(rounded >> 16U);
}

inline float roundedToBf16(float value, int kept = 16) {
    return floatFromBf16(bf16FromFloat(value, kept));
}

// The nearest bfloat16 without its lowest 16 − `kept` bits, which brings it nearer to zero.
inline float truncatedBf16(float value, int kept) {
    const auto mask = static_cast<std::uint16_t>(0xffffU << static_cast<unsigned>(16 - kept));
    return floatFromBf16(static_cast<std::uint16_t>(bf16FromFloat(value) & mask));
}

}  // namespace cospadi
