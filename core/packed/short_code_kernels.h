// Internal to PackedMatrix: masked codes of 8, 9 or 10 bits as they are stored
// (core/base/short_float.h), in the lines of other masked codes (packed_kernels.h). A byte has
// sign, exponent and the first four bits of the mantissa, s eee mmmm; each further bit is one of a
// plane. Values of a group begin at a multiple of eight, so at a byte of the planes.
//
// Such a code is a float16 with three bits of exponent, but for a factor of 2⁸: placed in 16 bits
// it is converted by the processor, subnormal ones as well.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/packed/packed_kernels.h"

namespace cospadi {

constexpr float kShortCodeScale = 256;  // of a value as float16

// Where the next codes of a group stand.
template <int Planes>
struct ShortCodes {
    static constexpr float kScale = kShortCodeScale;

    const std::uint8_t* bytes;
    const std::uint8_t* planes;
    std::int64_t planeBytes;
    std::int64_t value;  // counted from the first of the matrix

    ShortCodes(const PackedGroups& a, std::int64_t group)
        : bytes(a.bytes.values + a.begin[group]),
          planes(a.bytes.planes),
          planeBytes(a.bytes.planeBytes),
          value(a.begin[group]) {}

    void operator+=(int values) {
        bytes += values;
        value += values;
    }
    // Bits of the 64 codes that come next.
    std::uint64_t bits(int plane) const {
        const std::uint8_t* from = planes + plane * planeBytes + value / 8;
        const auto shift = static_cast<unsigned>(value % 8);
        std::uint64_t word = 0;
        std::memcpy(&word, from, sizeof word);
        return word >> shift | static_cast<std::uint64_t>(from[8]) << 1U << (63U - shift);
    }
    // That of the code that comes next, as core/base/short_float.h has it.
    unsigned pattern() const {
        unsigned pattern = *bytes;
        for (int plane = 0; plane < Planes; ++plane) {
            pattern = pattern << 1U | static_cast<unsigned>(bits(plane) & 1U);
        }
        return pattern;
    }
};

// Calls kernel(planes) with the number as a constant.
template <typename Kernel>
void withPlanes(const PackedGroups& a, const Kernel& kernel) {
    switch (a.bytes.planeCount) {
        case 0:
            return kernel(std::integral_constant<int, 0>());
        case 1:
            return kernel(std::integral_constant<int, 1>());
        default:
            return kernel(std::integral_constant<int, 2>());
    }
}

#if defined(__x86_64__)

constexpr std::int16_t kShortCodeBits = static_cast<std::int16_t>(0x9fc0);  // of a float16

// With AVX-512 and VBMI2, as packedDot(), unpack() and unpackPairs().
void shortCodesDot512(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
                      std::int64_t tokens, float* y, std::int64_t ldy);
void shortCodesUnpack512(const PackedGroups& a, std::int64_t first, std::int64_t last, float* to);
void shortCodesUnpackPairs512(const PackedGroups& a, std::int64_t first, std::int64_t last,
                              std::uint16_t* to);

#endif

}  // namespace cospadi
