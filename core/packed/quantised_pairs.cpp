// Codes of blocks as tiles of pairs for matrix units.
#include <array>

#include "core/packed/quantised_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
// GCC 12 takes the deliberately undefined operands inside its own intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#define COSPADI_AVX512_PAIRS __attribute__((target("avx512f,avx512bw")))
#endif

namespace cospadi {

#if defined(__x86_64__)

namespace {

// The highest byte of each word.
COSPADI_AVX512_PAIRS inline __m512i floatOfHighest(__m512i words) {
    return _mm512_castps_si512(_mm512_cvtepi32_ps(_mm512_srai_epi32(words, 24)));
}

// Two rows of 16 columns as a line of pairs: row 2 · Pair of the word beside the next one.
template <int Bits, int Pair>
COSPADI_AVX512_PAIRS inline __m512i pairOf(__m512i words) {
    if constexpr (Bits == 4) {
        // 0 … 15 as bfloat16.
        alignas(64) static constexpr std::array<std::uint16_t, 32> kCodes = {
            0,      0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0, 0x40e0,
            0x4100, 0x4110, 0x4120, 0x4130, 0x4140, 0x4150, 0x4160, 0x4170};
        const __m512i low =
            _mm512_and_si512(_mm512_srli_epi32(words, 8 * Pair), _mm512_set1_epi32(0xf));
        const __m512i high = Pair < 2 ? _mm512_slli_epi32(words, 12 - 8 * Pair)
                                      : _mm512_srli_epi32(words, 8 * Pair - 12);
        const __m512i places =
            _mm512_or_si512(low, _mm512_and_si512(high, _mm512_set1_epi32(0xf0000)));
        return _mm512_permutexvar_epi16(places, _mm512_load_si512(kCodes.data()));
    } else {
        const __m512i even = floatOfHighest(_mm512_slli_epi32(words, 24 - 16 * Pair));
        const __m512i odd = floatOfHighest(_mm512_slli_epi32(words, 16 - 16 * Pair));
        return _mm512_or_si512(_mm512_srli_epi32(even, 16),
                               _mm512_and_si512(odd, _mm512_set1_epi32(-65536)));
    }
}

template <int Bits, int Pair>
COSPADI_AVX512_PAIRS inline void storePairs(__m512i words, std::uint16_t* line) {
    if constexpr (Pair < 16 / Bits) {
        _mm512_storeu_si512(line, pairOf<Bits, Pair>(words));
        storePairs<Bits, Pair + 1>(words, line + kPackedEntries);
    }
}

template <BlockCodes Codes>
COSPADI_AVX512_PAIRS void unpackBlockPairs(const PackedGroups& a, std::int64_t first,
                                           std::int64_t last, std::uint16_t* to) {
    constexpr int kBits = codeBits(Codes);
    const std::uint8_t* step = a.stepOf(first, 0);
    for (std::int64_t i = 0; i < (last - first) * a.steps; ++i, step += quantisedStepBytes(Codes)) {
        const std::uint8_t* word = step + quantisedHeadBytes(Codes);
        for (std::int64_t row = 0; row < kPackedRows;
             row += 32 / kBits, word += kQuantisedWordBytes) {
            storePairs<kBits, 0>(_mm512_loadu_si512(word), to);
            to += 32 / kBits * kPackedColumns;
        }
    }
}

}  // namespace

void quantisedPairs(const PackedGroups& a, std::int64_t first, std::int64_t last,
                    std::uint16_t* to) {
    withBlockCodes(a.codes, [&](auto codes) { unpackBlockPairs<codes()>(a, first, last, to); });
}

#else  // never called: there are no matrix units

void quantisedPairs(const PackedGroups&, std::int64_t, std::int64_t, std::uint16_t*) {}

#endif

}  // namespace cospadi
