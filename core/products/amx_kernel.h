// Internal to products on matrix units: the kernel over operands in tiles (amx_tiles.h), and where
// its sums go. Only to be called where multiplyOnMatrixUnits() may be.
#pragma once

#if defined(__x86_64__)

#include "core/products/amx_tiles.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace cospadi::amx {

constexpr std::int64_t kLineWords = kLine / 2;

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
        return values.data() + (2 * kSide * rows + j) * kSide;
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
// Terms of op(A) by those of op(B): where A is bfloat16 it has one.
enum class Products { ThreeByThree, OneByThree, TwoByTwo, OneByTwo };

template <Products Kind, int Rows, int Columns>
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
        if constexpr (Kind == Products::ThreeByThree || Kind == Products::OneByThree) {
            loadColumns<Columns>(b, step, 2);
            multiplyLoaded<Rows, Columns>(ahead);
        }
        loadColumns<Columns>(b, step, 1);
        multiplyLoaded<Rows, Columns>(ahead);
        if constexpr (Kind == Products::TwoByTwo) {
            loadColumns<Columns>(b, step, 0);
            multiplyLoaded<Rows, Columns>(ahead);
            loadPairs<Rows>(a, step, 1);
        } else if constexpr (Kind == Products::ThreeByThree) {
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
            storeColumn<Accuracy::Float32>(avx512::loadAligned(sums.column(0, j)), high, fold,
                                           to + l * kStep);
        }
    }
}

}  // namespace cospadi::amx

#pragma GCC diagnostic pop

#endif
