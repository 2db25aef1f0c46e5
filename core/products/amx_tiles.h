// Internal to products on matrix units: operands in tiles for Intel's AMX (the kernel over them:
// amx_kernel.h). Only to be called where multiplyOnMatrixUnits() may be.
//
// The units multiply bfloat16 and add in float32. A float32 number is the sum of three bfloat16
// terms, exactly: its 24 significant bits, eight at a time. Of the nine products of two numbers'
// terms the six above 2⁻²⁴ are added up, 32 of the depth with one rounding. Where op(A) is bfloat16
// already, three products are left and nothing is dropped. Accuracy::Step: of two terms, rounded,
// the three products above 2⁻¹⁶.
//
// A tile is 16 lines of 64 bytes. For op(A) (m, k) it holds 16 rows and 32 of the depth, line p the
// pairs (2p, 2p + 1) of all 16 rows; for op(B) (k, n) 16 columns, a line each. Layout of an
// operand: [16 rows or columns][32 of the depth][term], filled up with zeros along the depth.
//
// Where op(A) is bfloat16, what is left of the depth after the last whole step may be folded: the
// three terms of op(B) follow each other along the depth, op(A) is there three times, and one or
// two products do the work of three.
#pragma once

#if defined(__x86_64__)

#include "core/products/avx512_vectors.h"
#include "core/products/block_product.h"

#define COSPADI_AMX __attribute__((target("avx512f,avx512bw,amx-tile,amx-bf16")))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace cospadi::amx {

constexpr std::int64_t kSide = 16;
constexpr std::int64_t kBlock = 2 * kSide;  // rows and columns of the kernel's sums
constexpr std::int64_t kStep = 32;          // of the depth
constexpr std::int64_t kTile = 512;         // words of 16 bits
constexpr int kTerms = 3;

constexpr int termsOf(Accuracy accuracy) { return accuracy == Accuracy::Step ? 2 : kTerms; }
constexpr int kLine = 64;  // bytes

// ---- splitting

// The term that the upper half of a float32 is. Cut off, not rounded: three of them are exact.
COSPADI_AVX512 inline __m512i upperHalf(__m512 x) {
    return _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(-65536));
}

COSPADI_AVX512 inline __m512 without(__m512 x, __m512i term) {
    return _mm512_sub_ps(x, _mm512_castsi512_ps(term));
}

struct Terms {
    __m512i first, second, third;  // in the upper halves
};

// `rest` collects what the first terms leave: all zero where the values are bfloat16.
COSPADI_AVX512 inline Terms split(__m512 x, __m512i& rest) {
    Terms terms{};
    terms.first = upperHalf(x);
    x = without(x, terms.first);
    rest = _mm512_or_si512(rest, _mm512_castps_si512(x));
    terms.second = upperHalf(x);
    terms.third = _mm512_castps_si512(without(x, terms.second));
    return terms;
}

// To nearest, ties to even.
COSPADI_AVX512 inline __m512i roundedUpperHalf(__m512 x) {
    const __m512i bits = _mm512_castps_si512(x);
    const __m512i isOdd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i half = _mm512_add_epi32(isOdd, _mm512_set1_epi32(0x7fff));
    return upperHalf(_mm512_castsi512_ps(_mm512_add_epi32(bits, half)));
}

// Of Accuracy::Step there is no third term, and the second is rounded.
template <Accuracy Wanted>
COSPADI_AVX512 inline Terms split(__m512 x, __m512i& rest) {
    if constexpr (Wanted == Accuracy::Float32) {
        return split(x, rest);
    }
    Terms terms{};
    terms.first = roundedUpperHalf(x);
    x = without(x, terms.first);
    rest = _mm512_or_si512(rest, _mm512_castps_si512(x));
    terms.second = roundedUpperHalf(x);
    return terms;
}

COSPADI_AVX512 inline __m512i pairsOf(__m512i even, __m512i odd) {
    return _mm512_or_si512(upperHalf(_mm512_castsi512_ps(odd)), _mm512_srli_epi32(even, 16));
}

// 16 vectors of 16 numbers; r[l] is a + l · ld where l < vectors, else zero.
COSPADI_AVX512 inline void loadSquare(const float* a, std::int64_t ld, std::int64_t vectors,
                                      std::int64_t lanes, __m512 r[kSide]) {
    for (int l = 0; l < kSide; ++l) {
        r[l] = l < vectors ? avx512::loadFirst(lanes, a + l * ld) : _mm512_setzero_ps();
    }
}

inline std::int64_t atMostSide(std::int64_t remaining) {
    return std::clamp<std::int64_t>(remaining, 0, kSide);
}

// Rows of op(A) in tiles of pairs; `a` is the first row's first entry. Returns whether all values
// are bfloat16: then the second and third terms are zero.
template <Accuracy Wanted>
COSPADI_AVX512 inline bool packPairs(bool transposed, const float* a, std::int64_t lda,
                                     std::int64_t rows, std::int64_t depth, std::uint16_t* to) {
    __m512i rest = _mm512_setzero_si512();
    for (std::int64_t i = 0; i < rows; i += kSide) {
        const std::int64_t height = atMostSide(rows - i);
        for (std::int64_t p = 0; p < depth; p += kStep, to += termsOf(Wanted) * kTile) {
            for (std::int64_t half = 0; half < 2; ++half) {
                const std::int64_t first = p + half * kSide;
                const std::int64_t columns = atMostSide(depth - first);
                __m512 column[kSide];
                if (transposed) {
                    loadSquare(a + i * lda + first, lda, height, columns, column);
                    avx512::transpose(column);
                } else {
                    loadSquare(a + i + first * lda, lda, columns, height, column);
                }
                std::uint16_t* line = to + half * kTile / 2;
                for (int l = 0; l < kSide; l += 2, line += kStep) {
                    const Terms even = split<Wanted>(column[l], rest);
                    const Terms odd = split<Wanted>(column[l + 1], rest);
                    _mm512_store_si512(line, pairsOf(even.first, odd.first));
                    _mm512_store_si512(line + kTile, pairsOf(even.second, odd.second));
                    if constexpr (termsOf(Wanted) == kTerms) {
                        _mm512_store_si512(line + 2 * kTile, pairsOf(even.third, odd.third));
                    }
                }
            }
        }
    }
    return _mm512_test_epi32_mask(rest, rest) == 0;
}

COSPADI_AMX inline __m512i upperHalves(__m512i low, __m512i high) {
    alignas(kLine) static constexpr std::array<std::uint16_t, kStep> kOddWords = [] {
        std::array<std::uint16_t, kStep> words{};
        for (std::size_t i = 0; i < words.size(); ++i) {
            words[i] = static_cast<std::uint16_t>(2 * i + 1);
        }
        return words;
    }();
    return _mm512_permutex2var_epi16(low, _mm512_load_si512(kOddWords.data()), high);
}

// What is left of the depth, folded.
struct Fold {
    std::int64_t rows = 0;   // of each term, even
    std::int64_t tiles = 0;  // for three terms
};

inline Fold foldOf(std::int64_t depth) {
    const std::int64_t rows = (depth % kStep + 1) / 2 * 2;
    return {rows, (kTerms * rows + kStep - 1) / kStep};
}

// 32 of the depth of a column of op(B): a line in a tile of each term, or folded.
template <Accuracy Wanted>
COSPADI_AMX inline void storeColumn(__m512 low, __m512 high, Fold fold, std::uint16_t* line) {
    __m512i rest = _mm512_setzero_si512();  // not asked for here
    const Terms a = split<Wanted>(low, rest);
    const Terms b = split<Wanted>(high, rest);
    const __m512i first = upperHalves(a.first, b.first);
    const __m512i second = upperHalves(a.second, b.second);
    if constexpr (Wanted == Accuracy::Step) {
        _mm512_store_si512(line, first);
        _mm512_store_si512(line + kTile, second);
        return;
    }
    const __m512i third = upperHalves(a.third, b.third);
    if (fold.tiles == 0) {
        _mm512_store_si512(line, first);
        _mm512_store_si512(line + kTile, second);
        _mm512_store_si512(line + 2 * kTile, third);
        return;
    }
    alignas(kLine) std::array<std::uint16_t, 4 * kStep> words{};
    _mm512_storeu_si512(words.data(), third);
    _mm512_storeu_si512(words.data() + fold.rows, second);
    _mm512_storeu_si512(words.data() + 2 * fold.rows, first);
    for (std::int64_t t = 0; t < fold.tiles; ++t) {
        std::copy_n(words.data() + t * kStep, kStep, line + t * kTile);
    }
}

// A tile of pairs, the last one of a depth that is folded, three times along the depth.
inline void foldPairs(const std::uint16_t* tile, Fold fold, std::uint16_t* to) {
    const std::int64_t words = fold.rows / 2 * kStep;
    for (int term = 0; term < kTerms; ++term, to += words) {
        std::copy_n(tile, words, to);
    }
    std::fill_n(to, fold.tiles * kTile - kTerms * words, std::uint16_t{0});
}

// Columns of op(B) in tiles of lines; `b` is the first column's first entry.
template <Accuracy Wanted>
COSPADI_AMX inline void packColumns(bool transposed, const float* b, std::int64_t ldb,
                                    std::int64_t columns, std::int64_t depth, bool folded,
                                    std::uint16_t* to) {
    for (std::int64_t j = 0; j < columns; j += kSide) {
        const std::int64_t width = atMostSide(columns - j);
        for (std::int64_t p = 0; p < depth; p += kStep) {
            const Fold fold = folded && depth - p < kStep ? foldOf(depth) : Fold{};
            const std::int64_t first = atMostSide(depth - p);
            const std::int64_t second = atMostSide(depth - p - kSide);
            __m512 low[kSide];
            __m512 high[kSide];
            if (transposed) {
                loadSquare(b + j + p * ldb, ldb, first, width, low);
                loadSquare(b + j + (p + kSide) * ldb, ldb, second, width, high);
                avx512::transpose(low);
                avx512::transpose(high);
            } else {
                loadSquare(b + j * ldb + p, ldb, width, first, low);
                loadSquare(b + j * ldb + p + kSide, ldb, width, second, high);
            }
            for (int l = 0; l < kSide; ++l) {
                storeColumn<Wanted>(low[l], high[l], fold, to + l * kStep);
            }
            to += (fold.tiles > 0 ? fold.tiles : termsOf(Wanted)) * kTile;
        }
    }
}

}  // namespace cospadi::amx

#pragma GCC diagnostic pop

#endif
