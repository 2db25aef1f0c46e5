// Internal to products on matrix units: operands in tiles for Intel's AMX, and the kernel over
// them. Only to be called where multiplyOnMatrixUnits() may be.
//
// The units multiply bfloat16 and add in float32. A float32 number is the sum of three bfloat16
// terms, exactly: its 24 significant bits, eight at a time. Of the nine products of two numbers'
// terms the six above 2⁻²⁴ are added up, 32 of the depth with one rounding. Where op(A) is bfloat16
// already, three products are left and nothing is dropped.
//
// A tile is 16 lines of 64 bytes. For op(A) (m, k) it holds 16 rows and 32 of the depth, line p the
// pairs (2p, 2p + 1) of all 16 rows; for op(B) (k, n) 16 columns, a line each. Layout of an
// operand: [16 rows or columns][32 of the depth][term], filled up with zeros along the depth.
#pragma once

#if defined(__x86_64__)

#include "core/linalg/avx512_tiles.h"

#define COSPADI_AMX __attribute__((target("avx512f,avx512bw,amx-tile,amx-bf16")))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace cospadi::amx {

constexpr int kSide = 16;
constexpr std::int64_t kStep = 32;   // of the depth
constexpr std::int64_t kTile = 512;  // words of 16 bits
constexpr int kTerms = 3;
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
COSPADI_AVX512 inline bool packPairs(bool transposed, const float* a, std::int64_t lda,
                                     std::int64_t rows, std::int64_t depth, std::uint16_t* to) {
    __m512i rest = _mm512_setzero_si512();
    for (std::int64_t i = 0; i < rows; i += kSide) {
        const std::int64_t height = atMostSide(rows - i);
        for (std::int64_t p = 0; p < depth; p += kStep, to += kTerms * kTile) {
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
                    const Terms even = split(column[l], rest);
                    const Terms odd = split(column[l + 1], rest);
                    _mm512_store_si512(line, pairsOf(even.first, odd.first));
                    _mm512_store_si512(line + kTile, pairsOf(even.second, odd.second));
                    _mm512_store_si512(line + 2 * kTile, pairsOf(even.third, odd.third));
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

// Columns of op(B) in tiles of lines; `b` is the first column's first entry.
COSPADI_AMX inline void packColumns(bool transposed, const float* b, std::int64_t ldb,
                                    std::int64_t columns, std::int64_t depth, std::uint16_t* to) {
    __m512i rest = _mm512_setzero_si512();  // not asked for here
    for (std::int64_t j = 0; j < columns; j += kSide) {
        const std::int64_t width = atMostSide(columns - j);
        for (std::int64_t p = 0; p < depth; p += kStep, to += kTerms * kTile) {
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
                const Terms a = split(low[l], rest);
                const Terms c = split(high[l], rest);
                std::uint16_t* line = to + l * kStep;
                _mm512_store_si512(line, upperHalves(a.first, c.first));
                _mm512_store_si512(line + kTile, upperHalves(a.second, c.second));
                _mm512_store_si512(line + 2 * kTile, upperHalves(a.third, c.third));
            }
        }
    }
}

// ---- multiplying

// Tile registers: 0 … 3 the sums, [rows][columns]; 4, 5 columns; 6, 7 pairs.
struct alignas(kLine) TileShapes {
    std::uint8_t palette = 1, start = 0;
    std::array<std::uint8_t, 14> reserved{};
    std::array<std::uint16_t, 16> lineBytes{kLine, kLine, kLine, kLine, kLine, kLine, kLine, kLine};
    std::array<std::uint8_t, 16> lines{kSide, kSide, kSide, kSide, kSide, kSide, kSide, kSide};
};

// Up to two tiles of rows beside each other, two of columns below: [rows][columns][16][16 rows].
struct alignas(kLine) Sums {
    std::array<float, 4 * kSide * kSide> values;
};

// Where an operand's next step begins, and the second of two tiles.
struct TilePair {
    const std::uint16_t* first = nullptr;
    std::int64_t toSecond = 0;
    std::int64_t terms = kTerms;  // stored a step

    const std::uint16_t* at(std::int64_t step, int tile, int term) const {
        return first + tile * toSecond + (step * terms + term) * kTile;
    }
};

template <int Rows, int Columns>
COSPADI_AMX inline void multiplyLoaded() {
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (Columns == 2) {
        _tile_dpbf16ps(1, 5, 6);
    }
    if constexpr (Rows == 2) {
        _tile_dpbf16ps(2, 4, 7);
        if constexpr (Columns == 2) {
            _tile_dpbf16ps(3, 5, 7);
        }
    }
}

template <int Rows>
COSPADI_AMX inline void loadPairs(const TilePair& a, std::int64_t step, int term) {
    _tile_loadd(6, a.at(step, 0, term), kLine);
    if constexpr (Rows == 2) {
        _tile_loadd(7, a.at(step, 1, term), kLine);
    }
}

template <int Columns>
COSPADI_AMX inline void loadColumns(const TilePair& b, std::int64_t step, int term) {
    _tile_loadd(4, b.at(step, 0, term), kLine);
    if constexpr (Columns == 2) {
        _tile_loadd(5, b.at(step, 1, term), kLine);
    }
}

// Adds steps first … last − 1 to the sums, which begin at zero where first is. One side's tiles
// change from one product of terms to the next.
template <bool Split, int Rows, int Columns>
COSPADI_AMX void multiplyTiles(std::int64_t first, std::int64_t last, const TilePair& a,
                               const TilePair& b, Sums& sums) {
    constexpr int kSums = kSide * kSide;
    asm volatile("" ::: "memory");  // GCC does not know that loads of tiles read memory
    if (first == 0) {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    } else {
        _tile_loadd(0, sums.values.data(), kLine);
        _tile_loadd(1, sums.values.data() + kSums, kLine);
        _tile_loadd(2, sums.values.data() + 2 * kSums, kLine);
        _tile_loadd(3, sums.values.data() + 3 * kSums, kLine);
    }
    for (std::int64_t step = first; step < last; ++step) {
        loadPairs<Rows>(a, step, 0);
        loadColumns<Columns>(b, step, 2);
        multiplyLoaded<Rows, Columns>();
        loadColumns<Columns>(b, step, 1);
        multiplyLoaded<Rows, Columns>();
        if constexpr (Split) {
            loadPairs<Rows>(a, step, 1);
            multiplyLoaded<Rows, Columns>();
            loadColumns<Columns>(b, step, 0);
            multiplyLoaded<Rows, Columns>();
            loadPairs<Rows>(a, step, 2);
            multiplyLoaded<Rows, Columns>();
            loadPairs<Rows>(a, step, 0);
        } else {
            loadColumns<Columns>(b, step, 0);
        }
        multiplyLoaded<Rows, Columns>();
    }
    _tile_stored(0, sums.values.data(), kLine);
    _tile_stored(1, sums.values.data() + kSums, kLine);
    _tile_stored(2, sums.values.data() + 2 * kSums, kLine);
    _tile_stored(3, sums.values.data() + 3 * kSums, kLine);
}

// C = alpha sums + beta C for `rows` and `columns` ≤ 32.
COSPADI_AVX512 inline void addSums(const Sums& sums, std::int64_t rows, std::int64_t columns,
                                   float alpha, float beta, float* c, std::int64_t ldc) {
    const __m512 scale = _mm512_set1_ps(alpha);
    const __m512 kept = _mm512_set1_ps(beta);
    for (std::int64_t j = 0; j < columns; ++j, c += ldc) {
        for (std::int64_t i = 0; i < rows; i += kSide) {
            const std::int64_t lanes = atMostSide(rows - i);
            __m512 value = _mm512_mul_ps(
                scale, avx512::loadAligned(sums.values.data() + 2 * kSide * i + j * kSide));
            if (beta != 0) {
                value = _mm512_fmadd_ps(kept, avx512::loadFirst(lanes, c + i), value);
            }
            avx512::storeFirst(lanes, c + i, value);
        }
    }
}

}  // namespace cospadi::amx

#pragma GCC diagnostic pop

#endif
