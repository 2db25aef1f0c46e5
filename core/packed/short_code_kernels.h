// Internal to PackedMatrix: masked codes of 8, 9 or 10 bits as they are stored
// (core/base/short_float.h), in the lines of other masked codes (packed_kernels.h). A byte has
// sign, exponent and the first four bits of the mantissa, s eee mmmm; each further bit is one of a
// plane. Values of a group begin at a multiple of eight, so at a byte of the planes.
//
// Such a code is a float16 with three bits of exponent, but for a factor of 2⁸: placed in 16 bits
// it is converted by the processor, subnormal ones as well.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "core/packed/kernel_parts.h"
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

// Eight of those that come after the next `before`, in the places of `mask`, as bytes.
__attribute__((target("avx2"))) inline __m128i placedBytes(const std::uint8_t* bytes, int before,
                                                           std::uint32_t mask) {
    const __m128i sources =
        _mm_cvtsi64_si128(static_cast<std::int64_t>(kExpandSources[mask & 0xffU]));
    return _mm_shuffle_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes + before)),
                            sources);
}

// Half a line, 16 entries, as float16 values. placed: of each plane the bits of the whole line.
template <int Planes>
__attribute__((target("avx2,f16c,popcnt"))) inline void halfLineOfCodes256(
    const ShortCodes<Planes>& codes, std::uint32_t mask, const __m256i* placed, int half,
    __m256 v[2]) {
    const auto before = [mask](int entries) __attribute__((target("avx2,f16c,popcnt"))) {
        return _mm_popcnt_u32(mask & ((1U << static_cast<unsigned>(entries)) - 1U));
    };
    const std::uint32_t own = mask >> static_cast<unsigned>(16 * half);
    const __m128i bytes =
        _mm_unpacklo_epi64(placedBytes(codes.bytes, before(16 * half), own),
                           placedBytes(codes.bytes, before(16 * half + 8), own >> 8U));
    __m256i halves = _mm256_and_si256(_mm256_slli_epi16(_mm256_cvtepi8_epi16(bytes), 6),
                                      _mm256_set1_epi16(kShortCodeBits));
    // The byte of eight entries above each of their words; of it the entry's own bit, which a
    // product brings to its place.
    const __m256i byte =
        _mm256_set_m128i(_mm_set1_epi16(static_cast<std::int16_t>((2 * half + 1) << 8 | 0x80)),
                         _mm_set1_epi16(static_cast<std::int16_t>(2 * half << 8 | 0x80)));
    const __m128i bit = _mm_set_epi16(-0x8000, 0x4000, 0x2000, 0x1000, 0x800, 0x400, 0x200, 0x100);
    const __m128i power =
        _mm_set_epi16(1 << 6, 1 << 7, 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13);
    for (int plane = 0; plane < Planes; ++plane) {
        const __m256i set =
            _mm256_and_si256(_mm256_shuffle_epi8(placed[plane], byte), _mm256_set_m128i(bit, bit));
        const __m128i moved = _mm_srli_epi16(power, plane);
        halves = _mm256_or_si256(halves, _mm256_mulhi_epu16(set, _mm256_set_m128i(moved, moved)));
    }
    v[0] = _mm256_cvtph_ps(_mm256_castsi256_si128(halves));
    v[1] = _mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1));
}

// Quarters of a line from `first` on, an even number of them; moves `codes` on over the whole line.
template <int Quarters, int Planes>
__attribute__((target("avx2,f16c,bmi2,popcnt"))) inline void quarters256(std::uint32_t mask,
                                                                         ShortCodes<Planes>& codes,
                                                                         int first,
                                                                         __m256 v[Quarters]) {
    __m256i placed[Planes + 1];
    for (int plane = 0; plane < Planes; ++plane) {
        placed[plane] = _mm256_set1_epi32(static_cast<std::int32_t>(
            _pdep_u32(static_cast<std::uint32_t>(codes.bits(plane)), mask)));
    }
    for (int quarter = 0; quarter < Quarters; quarter += 2) {
        halfLineOfCodes256(codes, mask, placed, (first + quarter) / 2, v + quarter);
    }
    codes += static_cast<int>(_mm_popcnt_u32(mask));
}

// With AVX-512 and VBMI2, as packedDot(), unpack() and unpackPairs().
void shortCodesDot512(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
                      std::int64_t tokens, float* y, std::int64_t ldy);
void shortCodesUnpack512(const PackedGroups& a, std::int64_t first, std::int64_t last, float* to);
void shortCodesUnpackPairs512(const PackedGroups& a, std::int64_t first, std::int64_t last,
                              std::uint16_t* to);

#endif

}  // namespace cospadi
