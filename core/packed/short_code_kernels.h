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

    const std::uint8_t* first;  // byte of the matrix
    const std::uint8_t* planes;
    std::int64_t planeBytes;
    std::uint64_t value;  // that comes next, counted from the first of the matrix

    ShortCodes(const PackedGroups& a, std::int64_t group)
        : first(a.bytes.values),
          planes(a.bytes.planes),
          planeBytes(a.bytes.planeBytes),
          value(static_cast<std::uint64_t>(a.begin[group])) {}

    void operator+=(int values) { value += static_cast<std::uint64_t>(values); }
    const std::uint8_t* bytes() const { return first + value; }

    // Of a plane the bits of the codes that come next, 57 of them at least …
    std::uint64_t firstBits(int plane) const { return wordAt(plane, 0) >> value % 8; }
    // … and of 64.
    std::uint64_t bits(int plane) const {
        return firstBits(plane) | wordAt(plane, 1) << (8 - value % 8);
    }
    // That of the code that comes next, as core/base/short_float.h has it.
    unsigned pattern() const {
        unsigned pattern = *bytes();
        for (int plane = 0; plane < Planes; ++plane) {
            pattern = pattern << 1U | static_cast<unsigned>(firstBits(plane) & 1U);
        }
        return pattern;
    }

  private:
    std::uint64_t wordAt(int plane, int bytesOn) const {
        std::uint64_t word = 0;
        std::memcpy(&word, planes + plane * planeBytes + value / 8 + bytesOn, sizeof word);
        return word;
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
