#include "core/packed/short_code_kernels.h"

#if defined(__x86_64__)

// GCC 12 takes the deliberately undefined operands inside its own intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include "core/packed/kernel_parts.h"

#define COSPADI_CODES512 \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,bmi2,popcnt")))

namespace cospadi {

namespace {

// Two lines, four rows, are placed at a time: 64 bytes. They become float16 in the halves of words,
// low bytes and high ones apart, and are written down for a step: read from memory, sixteen of them
// are converted without a shuffle, whose unit has enough to do.
constexpr std::int64_t kDoubleLines = kPackedLines / 2;  // of a step
constexpr std::int64_t kShortCodesAhead = 2048;          // bytes

struct StepOfHalves {
    // Of four rows the first, the third, the second, the fourth.
    alignas(64) std::uint16_t halves[kPackedRows][kPackedColumns];

    // That of j = 0 … 3 behind i, a multiple of four.
    COSPADI_CODES512 __m512 row(std::int64_t i, int j) const {
        const std::uint16_t* from = halves[i + j / 2 + j % 2 * 2];
        return _mm512_cvtph_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(from)));
    }
};

COSPADI_CODES512 inline __m512i lowBytesUp(__m512i words) { return _mm512_slli_epi16(words, 8); }

// The further bits of mantissas, as bytes that begin with them.
template <int Planes>
COSPADI_CODES512 inline __m512i furtherBits(std::uint64_t mask, const ShortCodes<Planes>& codes) {
    __m512i bits = _mm512_maskz_mov_epi8(_pdep_u64(codes.bits(0), mask),
                                         _mm512_set1_epi8(static_cast<char>(0x80)));
    if constexpr (Planes == 2) {
        bits = _mm512_mask_add_epi8(bits, _pdep_u64(codes.bits(1), mask), bits,
                                    _mm512_set1_epi8(0x40));
    }
    return bits;
}

template <int Planes>
COSPADI_CODES512 inline void placeStep(const std::uint32_t* masks, ShortCodes<Planes>& codes,
                                       StepOfHalves& step) {
    const __m512i kept = _mm512_set1_epi16(kShortCodeBits);
    for (std::int64_t i = 0; i < kDoubleLines; ++i) {
        std::uint64_t mask = 0;
        std::memcpy(&mask, masks + 2 * i, sizeof mask);
        _mm_prefetch(reinterpret_cast<const char*>(codes.bytes() + kShortCodesAhead), _MM_HINT_T0);
        const __m512i bytes = _mm512_maskz_expand_epi8(mask, _mm512_loadu_si512(codes.bytes()));
        // s eee mmmm in the upper byte: down by two, with the sign left where it is.
        __m512i even = _mm512_and_si512(_mm512_srai_epi16(lowBytesUp(bytes), 2), kept);
        __m512i odd = _mm512_and_si512(_mm512_srai_epi16(bytes, 2), kept);
        if constexpr (Planes > 0) {
            const __m512i further = furtherBits<Planes>(mask, codes);
            even = _mm512_or_si512(even, _mm512_srli_epi16(lowBytesUp(further), 10));
            odd = _mm512_or_si512(odd, _mm512_srli_epi16(further, 10));
        }
        _mm512_store_si512(step.halves[4 * i], even);
        _mm512_store_si512(step.halves[4 * i + 2], odd);
        codes += static_cast<int>(_mm_popcnt_u64(mask));
    }
}

// Calls use(row of the group, step) for every step of a group.
template <int Planes, typename Use>
COSPADI_CODES512 inline void forSteps(const PackedGroups& a, std::int64_t group, const Use& use) {
    ShortCodes<Planes> codes(a, group);
    const std::uint32_t* masks = a.maskOf(group);
    StepOfHalves step;
    for (std::int64_t i = 0; i < a.steps; ++i, masks += kPackedLines) {
        placeStep<Planes>(masks, codes, step);
        use(i * kPackedRows, step);
    }
}

template <int Planes, int Tokens>
COSPADI_CODES512 void dotOfCodes(const PackedGroups& a, std::int64_t first, std::int64_t last,
                                 const float* x, float* y, std::int64_t ldy) {
    const std::int64_t rows = a.rows();
    for (std::int64_t group = first; group < last; ++group) {
        Sums512<Tokens> sums;
        sums.clear();
        forSteps<Planes>(a, group,
                         [&](std::int64_t row, const StepOfHalves& step) COSPADI_CODES512 {
                             for (std::int64_t i = 0; i < kPackedRows; i += 4) {
#pragma GCC unroll 4
                                 for (int j = 0; j < 4; ++j) {
                                     sums.addRow(j, step.row(i, j), x + row + i + j, rows);
                                 }
                             }
                         });
        sums.store(_mm512_set1_ps(kShortCodeScale), a.columnsOf(group), y + group * kPackedColumns,
                   ldy);
    }
}

template <int Planes>
COSPADI_CODES512 void unpackOfCodes(const PackedGroups& a, std::int64_t first, std::int64_t last,
                                    float* to) {
    const std::int64_t width = (last - first) * kPackedColumns;
    const __m512 scale = _mm512_set1_ps(kShortCodeScale);
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        forSteps<Planes>(a, group,
                         [&](std::int64_t row, const StepOfHalves& step) COSPADI_CODES512 {
                             for (std::int64_t i = 0; i < kPackedRows; i += 4) {
#pragma GCC unroll 4
                                 for (int j = 0; j < 4; ++j) {
                                     _mm512_storeu_ps(to + (row + i + j) * width,
                                                      _mm512_mul_ps(step.row(i, j), scale));
                                 }
                             }
                         });
    }
}

template <int Planes>
COSPADI_CODES512 void unpackPairsOfCodes(const PackedGroups& a, std::int64_t first,
                                         std::int64_t last, std::uint16_t* to) {
    const __m512 scale = _mm512_set1_ps(kShortCodeScale);
    for (std::int64_t group = first; group < last; ++group) {
        forSteps<Planes>(a, group, [&](std::int64_t, const StepOfHalves& step) COSPADI_CODES512 {
            for (std::int64_t i = 0; i < kPackedRows; i += 4) {
#pragma GCC unroll 2
                for (int j = 0; j < 4; j += 2, to += kPackedEntries) {
                    _mm512_storeu_si512(to, pairsOf(_mm512_mul_ps(step.row(i, j), scale),
                                                    _mm512_mul_ps(step.row(i, j + 1), scale)));
                }
            }
        });
    }
}

}  // namespace

void shortCodesDot512(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
                      std::int64_t tokens, float* y, std::int64_t ldy) {
    withPlanes(a, [&](auto planes) {
        withTokens<kMostPackedTokens>(
            tokens, [&](auto count) { dotOfCodes<planes(), count()>(a, first, last, x, y, ldy); });
    });
}

void shortCodesUnpack512(const PackedGroups& a, std::int64_t first, std::int64_t last, float* to) {
    withPlanes(a, [&](auto planes) { unpackOfCodes<planes()>(a, first, last, to); });
}

void shortCodesUnpackPairs512(const PackedGroups& a, std::int64_t first, std::int64_t last,
                              std::uint16_t* to) {
    withPlanes(a, [&](auto planes) { unpackPairsOfCodes<planes()>(a, first, last, to); });
}

}  // namespace cospadi

#endif
