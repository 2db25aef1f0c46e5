// Internal to block products: one register tile of a matrix product with AVX-512, in float32 and in
// double, and the packing that feeds it. Only to be called where the processor has avx512f.
//
// A strip is three vectors of rows of op(A), packed column after column; a tile multiplies it with
// up to eight columns of op(B): 24 sums in registers, which is what hides the latency of their
// additions.
#pragma once

#if defined(__x86_64__)

// GCC 12 takes the deliberately undefined operands inside its own intrinsics for mistakes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#define COSPADI_AVX512 __attribute__((target("avx512f")))

namespace cospadi::avx512 {

constexpr int kVectors = 3;
constexpr std::int64_t kTileColumns = 8;

template <typename T>
constexpr std::int64_t kLanes = 64 / static_cast<std::int64_t>(sizeof(T));
template <typename T>
constexpr std::int64_t kStripRows = kVectors* kLanes<T>;

COSPADI_AVX512 inline __m512 zero(float /*kind*/) { return _mm512_setzero_ps(); }
COSPADI_AVX512 inline __m512d zero(double /*kind*/) { return _mm512_setzero_pd(); }
COSPADI_AVX512 inline __m512 broadcast(float x) { return _mm512_set1_ps(x); }
COSPADI_AVX512 inline __m512d broadcast(double x) { return _mm512_set1_pd(x); }
COSPADI_AVX512 inline __m512 loadAligned(const float* from) { return _mm512_load_ps(from); }
COSPADI_AVX512 inline __m512d loadAligned(const double* from) { return _mm512_load_pd(from); }
COSPADI_AVX512 inline void storeAligned(float* to, __m512 x) { _mm512_store_ps(to, x); }
COSPADI_AVX512 inline void storeAligned(double* to, __m512d x) { _mm512_store_pd(to, x); }
COSPADI_AVX512 inline __m512 multiplyAdd(__m512 a, __m512 b, __m512 c) {
    return _mm512_fmadd_ps(a, b, c);
}
COSPADI_AVX512 inline __m512d multiplyAdd(__m512d a, __m512d b, __m512d c) {
    return _mm512_fmadd_pd(a, b, c);
}

inline unsigned firstLanes(std::int64_t count) { return (1U << static_cast<unsigned>(count)) - 1U; }

// The first `count` lanes; zeros behind them.
COSPADI_AVX512 inline __m512 loadFirst(std::int64_t count, const float* from) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>(firstLanes(count)), from);
}
COSPADI_AVX512 inline __m512d loadFirst(std::int64_t count, const double* from) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>(firstLanes(count)), from);
}
COSPADI_AVX512 inline void storeFirst(std::int64_t count, float* to, __m512 x) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>(firstLanes(count)), x);
}
COSPADI_AVX512 inline void storeFirst(std::int64_t count, double* to, __m512d x) {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(firstLanes(count)), x);
}

// ---- packing

// `rows` rows of A, `depth` columns, as columns of whole vectors filled up with zeros.
template <typename T>
COSPADI_AVX512 void packStrip(const T* a, std::int64_t lda, std::int64_t rows, std::int64_t depth,
                              T* to) {
    const std::int64_t width = (rows + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
    for (std::int64_t first = 0; first < rows; first += kLanes<T>) {
        const std::int64_t lanes = std::min(kLanes<T>, rows - first);
        for (std::int64_t p = 0; p < depth; ++p) {
            storeAligned(to + p * width + first, loadFirst(lanes, a + first + p * lda));
        }
    }
}

COSPADI_AVX512 inline __m512 pairsLow(__m512 a, __m512 b) {
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

COSPADI_AVX512 inline __m512 pairsHigh(__m512 a, __m512 b) {
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

// r[i][l] ↔ r[l][i]
COSPADI_AVX512 inline void transpose(__m512 r[16]) {
    constexpr int kEven = 0x88;
    constexpr int kOdd = 0xdd;
    __m512 t[16];
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        r[i] = pairsLow(t[i], t[i + 2]);
        r[i + 1] = pairsHigh(t[i], t[i + 2]);
        r[i + 2] = pairsLow(t[i + 1], t[i + 3]);
        r[i + 3] = pairsHigh(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 4; ++i) {
        t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], kEven);
        t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], kOdd);
        t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], kEven);
        t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], kOdd);
    }
    for (int i = 0; i < 4; ++i) {
        r[i] = _mm512_shuffle_f32x4(t[i], t[i + 8], kEven);
        r[i + 4] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], kEven);
        r[i + 8] = _mm512_shuffle_f32x4(t[i], t[i + 8], kOdd);
        r[i + 12] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], kOdd);
    }
}

// The same of Aᵀ: a's columns are the strip's rows.
COSPADI_AVX512 inline void packStripTransposed(const float* a, std::int64_t lda, std::int64_t rows,
                                               std::int64_t depth, float* to) {
    constexpr std::int64_t kSide = kLanes<float>;
    const std::int64_t width = (rows + kSide - 1) / kSide * kSide;
    for (std::int64_t first = 0; first < rows; first += kSide) {
        const std::int64_t lanes = std::min(kSide, rows - first);
        for (std::int64_t p = 0; p < depth; p += kSide) {
            const std::int64_t steps = std::min(kSide, depth - p);
            __m512 r[kSide];
            for (int l = 0; l < kSide; ++l) {
                r[l] = l < lanes ? loadFirst(steps, a + (first + l) * lda + p) : zero(0.0F);
            }
            transpose(r);
            for (int l = 0; l < kSide; ++l) {
                if (l < steps) {
                    storeAligned(to + (p + l) * width + first, r[l]);
                }
            }
        }
    }
}

// Columns of Bᵀ in tiles of eight: to[tile][p][8].
template <typename T>
void packColumnsTransposed(const T* b, std::int64_t ldb, std::int64_t columns, std::int64_t depth,
                           T* to) {
    for (std::int64_t j = 0; j < columns; j += kTileColumns) {
        const bool isWhole = columns - j >= kTileColumns;  // a copy of fixed size is one register's
        for (std::int64_t p = 0; p < depth; ++p) {
            const T* from = b + p * ldb + j;
            T* tile = to + j * depth + p * kTileColumns;
            isWhole ? std::copy_n(from, kTileColumns, tile) : std::copy_n(from, columns - j, tile);
        }
    }
}

// ---- multiplying

template <typename T>
struct Tile {
    std::int64_t depth = 0;
    const T* a = nullptr;  // a packed strip
    const T* b = nullptr;  // packed, or the first of columns that lie ldb apart
    std::int64_t ldb = 0;
    T alpha = 1, beta = 0;
    T* c = nullptr;
    std::int64_t ldc = 0;
    std::int64_t lastLanes = 0;  // rows in the last vector
};

template <typename T, int Vectors, int Columns, bool Packed>
COSPADI_AVX512 void multiplyTile(const Tile<T>& tile) {
    decltype(zero(T())) sum[Vectors][Columns];
    for (int v = 0; v < Vectors; ++v) {
        for (int j = 0; j < Columns; ++j) {
            sum[v][j] = zero(T());
        }
    }
    const T* a = tile.a;
    const T* b = tile.b;
    for (std::int64_t p = 0; p < tile.depth; ++p) {
        decltype(zero(T())) column[Vectors];
#pragma GCC unroll 3
        for (int v = 0; v < Vectors; ++v) {
            column[v] = loadAligned(a + v * kLanes<T>);
        }
#pragma GCC unroll 8
        for (int j = 0; j < Columns; ++j) {
            const auto factor = broadcast(Packed ? b[j] : b[j * tile.ldb]);
#pragma GCC unroll 3
            for (int v = 0; v < Vectors; ++v) {
                sum[v][j] = multiplyAdd(column[v], factor, sum[v][j]);
            }
        }
        a += Vectors * kLanes<T>;
        b += Packed ? kTileColumns : 1;
    }
    const auto alpha = broadcast(tile.alpha);
    const auto beta = broadcast(tile.beta);
    for (int j = 0; j < Columns; ++j) {
        for (int v = 0; v < Vectors; ++v) {
            T* c = tile.c + j * tile.ldc + v * kLanes<T>;
            const std::int64_t lanes = v + 1 < Vectors ? kLanes<T> : tile.lastLanes;
            auto value = sum[v][j] * alpha;
            if (tile.beta != 0) {
                value = multiplyAdd(beta, loadFirst(lanes, c), value);
            }
            storeFirst(lanes, c, value);
        }
    }
}

// The tile of every size, [vectors − 1][columns − 1].
template <typename T, bool Packed>
struct TileProducts {
    using Product = void (*)(const Tile<T>&);
    using Row = std::array<Product, kTileColumns>;

    template <int Vectors, int... J>
    static constexpr Row row(std::integer_sequence<int, J...> /*columns*/) {
        return {multiplyTile<T, Vectors, J + 1, Packed>...};
    }
    using Columns = std::make_integer_sequence<int, kTileColumns>;
    static constexpr std::array<Row, kVectors> kTable{row<1>(Columns()), row<2>(Columns()),
                                                      row<3>(Columns())};
};

}  // namespace cospadi::avx512

#pragma GCC diagnostic pop

#endif
