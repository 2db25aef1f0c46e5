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
//
// Where op(A) is bfloat16, what is left of the depth after the last whole step may be folded: the
// three terms of op(B) follow each other along the depth, op(A) is there three times, and one or
// two products do the work of three.
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
constexpr std::int64_t kLineWords = kLine / 2;

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
COSPADI_AMX inline void storeColumn(__m512 low, __m512 high, Fold fold, std::uint16_t* line) {
    __m512i rest = _mm512_setzero_si512();  // not asked for here
    const Terms a = split(low, rest);
    const Terms b = split(high, rest);
    const __m512i first = upperHalves(a.first, b.first);
    const __m512i second = upperHalves(a.second, b.second);
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
                storeColumn(low[l], high[l], fold, to + l * kStep);
            }
            to += (fold.tiles > 0 ? fold.tiles : kTerms) * kTile;
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

// Up to two tiles of rows, two of columns: [rows][columns][16][16 rows].
struct alignas(kLine) Sums {
    std::array<float, 4 * kSide * kSide> values;

    float* column(int rows, std::int64_t j) {
        return values.data() + (2 * rows * kSide + j) * kSide;
    }
};

// Where the tiles of a block of sums lie: within C or beside it.
struct SumTiles {
    float* first = nullptr;
    std::int64_t toNextColumn = kSide;
    std::int64_t toSecondRows = 0;

    static SumTiles of(Sums& sums) { return {sums.values.data(), kSide, 2 * kSide * kSide}; }
    static SumTiles of(float* c, std::int64_t ldc) { return {c, ldc, kSide}; }
    float* at(int rows, int columns) const {
        return first + rows * toSecondRows + columns * kSide * toNextColumn;
    }
    std::int64_t lineBytes() const {
        return toNextColumn * static_cast<std::int64_t>(sizeof(float));
    }
};

// Where an operand's steps begin, and the second of two tiles.
struct TilePair {
    const std::uint16_t* first = nullptr;
    std::int64_t toSecond = 0;
    std::int64_t terms = kTerms;  // stored a step

    const std::uint16_t* at(std::int64_t step, int tile, int term) const {
        return first + tile * toSecond + (step * terms + term) * kTile;
    }
};

template <int Rows, int Columns>
COSPADI_AMX inline void loadSums(const SumTiles& sums) {
    const std::int64_t line = sums.lineBytes();
    _tile_loadd(0, sums.at(0, 0), line);
    if constexpr (Columns == 2) {
        _tile_loadd(1, sums.at(0, 1), line);
    }
    if constexpr (Rows == 2) {
        _tile_loadd(2, sums.at(1, 0), line);
    }
    if constexpr (Rows == 2 && Columns == 2) {
        _tile_loadd(3, sums.at(1, 1), line);
    }
}

template <int Rows, int Columns>
COSPADI_AMX inline void storeSums(const SumTiles& sums) {
    const std::int64_t line = sums.lineBytes();
    _tile_stored(0, sums.at(0, 0), line);
    if constexpr (Columns == 2) {
        _tile_stored(1, sums.at(0, 1), line);
    }
    if constexpr (Rows == 2) {
        _tile_stored(2, sums.at(1, 0), line);
    }
    if constexpr (Rows == 2 && Columns == 2) {
        _tile_stored(3, sums.at(1, 1), line);
    }
}

// What stands between two products: a line read ahead into L2, and instructions that do nothing.
// Where another hyperthread works on the core, products that follow each other more closely take
// one and a half times as long; with the core for oneself these cost nothing (docs/decisions/0010).
COSPADI_AMX inline void keepApart(const std::uint16_t*& ahead) {
    constexpr int kIntoL2 = 2;
    __builtin_prefetch(ahead, 0, kIntoL2);
    ahead += kLineWords;
    asm volatile(".rept 7\n\tnop\n\t.endr");
}

template <int Rows, int Columns>
COSPADI_AMX inline void multiplyLoaded(const std::uint16_t*& ahead) {
    _tile_dpbf16ps(0, 4, 6);
    keepApart(ahead);
    if constexpr (Rows == 2) {
        _tile_dpbf16ps(2, 4, 7);
        keepApart(ahead);
    }
    if constexpr (Columns == 2) {
        _tile_dpbf16ps(1, 5, 6);
        keepApart(ahead);
        if constexpr (Rows == 2) {
            _tile_dpbf16ps(3, 5, 7);
            keepApart(ahead);
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

// The depth of a product; `folded` are the tiles of op(A) behind the last whole step.
struct Depth {
    std::int64_t steps = 0;
    std::int64_t foldedTiles = 0;
    TilePair folded;
};

// Adds the product to the sums, or puts it there where these begin. One side's tiles change from
// one product of terms to the next. From `ahead` on words are read into L2, a line a product.
template <bool Split, int Rows, int Columns>
COSPADI_AMX void multiplyBlock(const Depth& depth, const TilePair& a, const TilePair& b,
                               const std::uint16_t* ahead, bool begin, const SumTiles& sums) {
    asm volatile("" ::: "memory");  // GCC does not know that loads of tiles read memory
    if (begin) {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    } else {
        loadSums<Rows, Columns>(sums);
    }
    for (std::int64_t step = 0; step < depth.steps; ++step) {
        loadPairs<Rows>(a, step, 0);
        loadColumns<Columns>(b, step, 2);
        multiplyLoaded<Rows, Columns>(ahead);
        loadColumns<Columns>(b, step, 1);
        multiplyLoaded<Rows, Columns>(ahead);
        if constexpr (Split) {
            loadPairs<Rows>(a, step, 1);
            multiplyLoaded<Rows, Columns>(ahead);
            loadColumns<Columns>(b, step, 0);
            multiplyLoaded<Rows, Columns>(ahead);
            loadPairs<Rows>(a, step, 2);
            multiplyLoaded<Rows, Columns>(ahead);
            loadPairs<Rows>(a, step, 0);
        } else {
            loadColumns<Columns>(b, step, 0);
        }
        multiplyLoaded<Rows, Columns>(ahead);
    }
    for (int t = 0; t < depth.foldedTiles; ++t) {
        loadPairs<Rows>(depth.folded, 0, t);
        loadColumns<Columns>(b, depth.steps, t);
        multiplyLoaded<Rows, Columns>(ahead);
    }
    storeSums<Rows, Columns>(sums);
}

// Makes the lines of C this core's own before sums of `columns` columns are stored there. (GCC
// takes a function of prefetching builtins for one without effect.)
inline void ownLines(const float* c, std::int64_t ldc, std::int64_t columns) {
    for (std::int64_t j = 0; j < columns; ++j, c += ldc) {
        asm volatile("prefetchw %0\n\tprefetchw %1" : : "m"(c[0]), "m"(c[kSide]));
    }
}

// The sums begin as C, for `rows` and `columns` ≤ 32.
inline void readSums(const float* c, std::int64_t ldc, std::int64_t rows, std::int64_t columns,
                     Sums& sums) {
    for (std::int64_t j = 0; j < columns; ++j, c += ldc) {
        std::copy_n(c, atMostSide(rows), sums.column(0, j));
        std::copy_n(c + kSide, atMostSide(rows - kSide), sums.column(1, j));
    }
}

// C = alpha sums + beta C for `rows` and `columns` ≤ 32.
COSPADI_AVX512 inline void addSums(Sums& sums, std::int64_t rows, std::int64_t columns, float alpha,
                                   float beta, float* c, std::int64_t ldc) {
    const __m512 scale = _mm512_set1_ps(alpha);
    const __m512 kept = _mm512_set1_ps(beta);
    for (std::int64_t j = 0; j < columns; ++j, c += ldc) {
        for (int r = 0; r * kSide < rows; ++r) {
            const std::int64_t lanes = atMostSide(rows - r * kSide);
            __m512 value = _mm512_mul_ps(scale, avx512::loadAligned(sums.column(r, j)));
            if (beta != 0) {
                value = _mm512_fmadd_ps(kept, avx512::loadFirst(lanes, c + r * kSide), value);
            }
            avx512::storeFirst(lanes, c + r * kSide, value);
        }
    }
}

// The sums as 32 of the depth of op(B): columns in `tiles` tiles. Rows there are none of are zero.
template <int Rows>
COSPADI_AMX inline void packSums(Sums& sums, int tiles, Fold fold, std::int64_t toNextTile,
                                 std::uint16_t* to) {
    for (int tile = 0; tile < tiles; ++tile, to += toNextTile) {
        for (int l = 0; l < kSide; ++l) {
            const std::int64_t j = tile * kSide + l;
            const __m512 high =
                Rows == 2 ? avx512::loadAligned(sums.column(1, j)) : _mm512_setzero_ps();
            storeColumn(avx512::loadAligned(sums.column(0, j)), high, fold, to + l * kStep);
        }
    }
}

}  // namespace cospadi::amx

#pragma GCC diagnostic pop

#endif
