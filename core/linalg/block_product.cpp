#include "core/linalg/block_product.h"

#include <cblas.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/aligned_floats.h"

#if defined(__x86_64__)
// GCC 12 takes the deliberately undefined operands inside its own intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#define COSPADI_X86 1
#endif

namespace cospadi {

namespace {

constexpr std::int64_t kWholeShare = 96;
constexpr std::int64_t kLargestShare = 192;
constexpr std::int64_t kShareEdge = 16;

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

#ifdef COSPADI_X86

#define COSPADI_AVX512 __attribute__((target("avx512f")))

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kVectors = 3;  // of a strip; times the columns of a tile: 24 registers
constexpr std::int64_t kStripRows = kVectors * kLanes;
constexpr std::int64_t kTileColumns = 8;
// A strip of A and the columns of B beside it stay in the first cache, a block of A in the second.
constexpr std::int64_t kDepth = 192;
constexpr std::int64_t kRowBlock = 192;
constexpr std::int64_t kColumnBlock = 1024;

__mmask16 firstLanes(std::int64_t count) {
    return static_cast<__mmask16>((1U << static_cast<unsigned>(count)) - 1U);
}

COSPADI_AVX512 inline __m512 pairsLow(__m512 a, __m512 b) {
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

COSPADI_AVX512 inline __m512 pairsHigh(__m512 a, __m512 b) {
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

// r[i][l] ↔ r[l][i]
COSPADI_AVX512 inline void transpose(__m512 r[kLanes]) {
    constexpr int kEven = 0x88;
    constexpr int kOdd = 0xdd;
    __m512 t[kLanes];
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

// `rows` ≤ 48 rows of op(A), `depth` columns, as columns of whole vectors filled up with zeros.
COSPADI_AVX512 void packStrip(Op op, const float* a, std::int64_t lda, std::int64_t rows,
                              std::int64_t depth, float* to) {
    const std::int64_t width = ceilDivide(rows, kLanes) * kLanes;
    for (std::int64_t first = 0; first < rows; first += kLanes) {
        const std::int64_t lanes = std::min(kLanes, rows - first);
        if (op == Op::None) {
            for (std::int64_t p = 0; p < depth; ++p) {
                _mm512_store_ps(to + p * width + first,
                                _mm512_maskz_loadu_ps(firstLanes(lanes), a + first + p * lda));
            }
            continue;
        }
        for (std::int64_t p = 0; p < depth; p += kLanes) {
            const std::int64_t steps = std::min(kLanes, depth - p);
            __m512 r[kLanes];
            for (int l = 0; l < kLanes; ++l) {
                r[l] = l < lanes
                           ? _mm512_maskz_loadu_ps(firstLanes(steps), a + (first + l) * lda + p)
                           : _mm512_setzero_ps();
            }
            transpose(r);
            for (int l = 0; l < kLanes; ++l) {
                if (l < steps) {
                    _mm512_store_ps(to + (p + l) * width + first, r[l]);
                }
            }
        }
    }
}

// Columns of Bᵀ in tiles of eight: to[tile][p][8].
void packTransposed(const float* b, std::int64_t ldb, std::int64_t columns, std::int64_t depth,
                    float* to) {
    for (std::int64_t j = 0; j < columns; j += kTileColumns) {
        const bool isWhole = columns - j >= kTileColumns;  // a copy of fixed size is one register's
        for (std::int64_t p = 0; p < depth; ++p) {
            const float* from = b + p * ldb + j;
            float* tile = to + j * depth + p * kTileColumns;
            isWhole ? std::copy_n(from, kTileColumns, tile) : std::copy_n(from, columns - j, tile);
        }
    }
}

struct Tile {
    std::int64_t depth = 0;
    const float* a = nullptr;  // a packed strip
    const float* b = nullptr;  // packed, or the first of columns that lie ldb apart
    std::int64_t ldb = 0;
    float alpha = 1, beta = 0;
    float* c = nullptr;
    std::int64_t ldc = 0;
    std::int64_t lastLanes = 0;  // rows in the last vector
};

template <int Vectors, int Columns, bool Packed>
COSPADI_AVX512 void multiplyTile(const Tile& tile) {
    __m512 sum[Vectors][Columns];
    for (int v = 0; v < Vectors; ++v) {
        for (int j = 0; j < Columns; ++j) {
            sum[v][j] = _mm512_setzero_ps();
        }
    }
    const float* a = tile.a;
    const float* b = tile.b;
    for (std::int64_t p = 0; p < tile.depth; ++p) {
        __m512 column[Vectors];
#pragma GCC unroll 3
        for (int v = 0; v < Vectors; ++v) {
            column[v] = _mm512_load_ps(a + v * kLanes);
        }
#pragma GCC unroll 8
        for (int j = 0; j < Columns; ++j) {
            const __m512 factor = _mm512_set1_ps(Packed ? b[j] : b[j * tile.ldb]);
#pragma GCC unroll 3
            for (int v = 0; v < Vectors; ++v) {
                sum[v][j] = _mm512_fmadd_ps(column[v], factor, sum[v][j]);
            }
        }
        a += Vectors * kLanes;
        b += Packed ? kTileColumns : 1;
    }
    const __m512 alpha = _mm512_set1_ps(tile.alpha);
    const __m512 beta = _mm512_set1_ps(tile.beta);
    for (int j = 0; j < Columns; ++j) {
        for (int v = 0; v < Vectors; ++v) {
            float* c = tile.c + j * tile.ldc + v * kLanes;
            const __mmask16 mask = firstLanes(v + 1 < Vectors ? kLanes : tile.lastLanes);
            __m512 value = _mm512_mul_ps(alpha, sum[v][j]);
            if (tile.beta != 0) {
                value = _mm512_fmadd_ps(beta, _mm512_maskz_loadu_ps(mask, c), value);
            }
            _mm512_mask_storeu_ps(c, mask, value);
        }
    }
}

using TileProduct = void (*)(const Tile&);
using TileProducts = std::array<std::array<TileProduct, kTileColumns>, kVectors>;

// [vectors − 1][columns − 1]
template <bool Packed, int... J>
constexpr TileProducts tileProducts(std::integer_sequence<int, J...> /*columns*/) {
    return {{{multiplyTile<1, J + 1, Packed>...},
             {multiplyTile<2, J + 1, Packed>...},
             {multiplyTile<3, J + 1, Packed>...}}};
}

void multiplyAvx512(Op opA, Op opB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                    const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta,
                    float* c, std::int64_t ldc) {
    using Columns = std::make_integer_sequence<int, kTileColumns>;
    static constexpr TileProducts kInPlace = tileProducts<false>(Columns());
    static constexpr TileProducts kPacked = tileProducts<true>(Columns());
    thread_local const AlignedFloats strips(kRowBlock * kDepth);
    thread_local const AlignedFloats columnsOfB(kColumnBlock * kDepth);

    const bool packed = opB == Op::Transpose;
    const std::int64_t pieces = std::max<std::int64_t>(1, ceilDivide(k, kDepth));
    const std::int64_t step = ceilDivide(k, pieces);
    for (std::int64_t j0 = 0; j0 < n; j0 += kColumnBlock) {
        const std::int64_t columns = std::min(kColumnBlock, n - j0);
        for (std::int64_t piece = 0; piece < pieces; ++piece) {
            const std::int64_t p0 = piece * step;
            const std::int64_t depth = std::min(step, k - p0);
            if (packed) {
                packTransposed(b + p0 * ldb + j0, ldb, columns, depth, columnsOfB.data());
            }
            for (std::int64_t i0 = 0; i0 < m; i0 += kRowBlock) {
                const std::int64_t rows = std::min(kRowBlock, m - i0);
                for (std::int64_t i = 0; i < rows; i += kStripRows) {
                    packStrip(
                        opA, opA == Op::None ? a + i0 + i + p0 * lda : a + (i0 + i) * lda + p0, lda,
                        std::min(kStripRows, rows - i), depth, strips.data() + i * depth);
                }
                for (std::int64_t j = 0; j < columns; j += kTileColumns) {
                    const std::int64_t width = std::min(kTileColumns, columns - j);
                    for (std::int64_t i = 0; i < rows; i += kStripRows) {
                        const std::int64_t height = std::min(kStripRows, rows - i);
                        const std::int64_t vectors = ceilDivide(height, kLanes);
                        const Tile tile{
                            .depth = depth,
                            .a = strips.data() + i * depth,
                            .b = packed ? columnsOfB.data() + j * depth : b + (j0 + j) * ldb + p0,
                            .ldb = ldb,
                            .alpha = alpha,
                            .beta = piece == 0 ? beta : 1,
                            .c = c + (j0 + j) * ldc + i0 + i,
                            .ldc = ldc,
                            .lastLanes = height - (vectors - 1) * kLanes};
                        const auto v = static_cast<std::size_t>(vectors - 1);
                        const auto w = static_cast<std::size_t>(width - 1);
                        (packed ? kPacked : kInPlace)[v][w](tile);
                    }
                }
            }
        }
    }
}

#endif

CBLAS_TRANSPOSE blasOp(Op op) { return op == Op::None ? CblasNoTrans : CblasTrans; }

}  // namespace

ProductKernel bestProductKernel() {
#ifdef COSPADI_X86
    static const bool hasAvx512 = __builtin_cpu_supports("avx512f") != 0;
    return hasAvx512 ? ProductKernel::Avx512 : ProductKernel::OpenBlas;
#else
    return ProductKernel::OpenBlas;
#endif
}

std::int64_t productShare(std::int64_t size) {
    if (size <= kWholeShare) {
        return size;
    }
    const std::int64_t pairs = ceilDivide(size, 2 * kLargestShare);
    return ceilDivide(ceilDivide(size, 2 * pairs), kShareEdge) * kShareEdge;
}

void multiplyBlock(Op opA, Op opB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                   const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta,
                   float* c, std::int64_t ldc, ProductKernel kernel) {
#ifdef COSPADI_X86
    if (kernel == ProductKernel::Avx512) {
        multiplyAvx512(opA, opB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        return;
    }
#endif
    static_cast<void>(kernel);
    cblas_sgemm(CblasColMajor, blasOp(opA), blasOp(opB), static_cast<blasint>(m),
                static_cast<blasint>(n), static_cast<blasint>(k), alpha, a,
                static_cast<blasint>(lda), b, static_cast<blasint>(ldb), beta, c,
                static_cast<blasint>(ldc));
}

}  // namespace cospadi
