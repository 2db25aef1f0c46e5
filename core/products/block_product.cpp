#include "core/products/block_product.h"

#include <cblas.h>

#include <algorithm>

#include "core/base/aligned_vector.h"
#include "core/products/amx_product.h"
#include "core/products/avx512_tiles.h"
#include "core/products/column_tasks.h"

namespace cospadi {

namespace {

constexpr std::int64_t kWholeShare = 96;
constexpr std::int64_t kLargestShare = 192;
constexpr std::int64_t kShareEdge = 16;

#if defined(__x86_64__)

// A strip of A and the columns of B beside it stay in the first cache, a block of A in the second.
template <typename T>
constexpr std::int64_t kDepth = 768 / static_cast<std::int64_t>(sizeof(T));
constexpr std::int64_t kRowBlock = 192;
constexpr std::int64_t kColumnBlock = 1024;

// Rows of the next strip: a strip of one vector, which loads as much as it multiplies, is avoided.
template <typename T>
std::int64_t stripRows(std::int64_t remaining) {
    constexpr std::int64_t kWhole = avx512::kStripRows<T>;
    const bool leavesOneVector = remaining > kWhole && remaining <= kWhole + avx512::kLanes<T>;
    return leavesOneVector ? 2 * avx512::kLanes<T> : std::min(kWhole, remaining);
}

// Memory of this thread for packed blocks, in float32 or in double: kDepth is the same in bytes.
struct PackedBlocks {
    AlignedVector<float> strips = AlignedVector<float>(kRowBlock * kDepth<float>);
    AlignedVector<float> columns = AlignedVector<float>(kColumnBlock * kDepth<float>);
};

void packStrip(Op op, const float* a, std::int64_t lda, std::int64_t row, std::int64_t column,
               std::int64_t rows, std::int64_t depth, float* to) {
    op == Op::None ? avx512::packStrip(a + row + column * lda, lda, rows, depth, to)
                   : avx512::packStripTransposed(a + row * lda + column, lda, rows, depth, to);
}

void packStrip(Op /*None*/, const double* a, std::int64_t lda, std::int64_t row,
               std::int64_t column, std::int64_t rows, std::int64_t depth, double* to) {
    avx512::packStrip(a + row + column * lda, lda, rows, depth, to);
}

template <typename T>
void multiplyAvx512(Op opA, Op opB, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
                    const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c,
                    std::int64_t ldc) {
    constexpr std::int64_t kLanes = avx512::kLanes<T>;
    thread_local PackedBlocks packedBlocks;
    T* const strips = reinterpret_cast<T*>(packedBlocks.strips.data());
    T* const columnsOfB = reinterpret_cast<T*>(packedBlocks.columns.data());
    const bool packed = opB == Op::Transpose;
    const std::int64_t pieces = std::max<std::int64_t>(1, ceilDivide(k, kDepth<T>));
    const std::int64_t step = ceilDivide(k, pieces);
    const std::int64_t rowBlock =
        ceilDivide(ceilDivide(m, ceilDivide(m, kRowBlock)), kLanes) * kLanes;
    for (std::int64_t j0 = 0; j0 < n; j0 += kColumnBlock) {
        const std::int64_t columns = std::min(kColumnBlock, n - j0);
        for (std::int64_t piece = 0; piece < pieces; ++piece) {
            const std::int64_t p0 = piece * step;
            const std::int64_t depth = std::min(step, k - p0);
            if (packed) {
                avx512::packColumnsTransposed(b + p0 * ldb + j0, ldb, columns, depth, columnsOfB);
            }
            for (std::int64_t i0 = 0; i0 < m; i0 += rowBlock) {
                const std::int64_t rows = std::min(rowBlock, m - i0);
                for (std::int64_t i = 0; i < rows; i += stripRows<T>(rows - i)) {
                    packStrip(opA, a, lda, i0 + i, p0, stripRows<T>(rows - i), depth,
                              strips + i * depth);
                }
                for (std::int64_t j = 0; j < columns; j += avx512::kTileColumns) {
                    const std::int64_t width = std::min(avx512::kTileColumns, columns - j);
                    for (std::int64_t i = 0; i < rows; i += stripRows<T>(rows - i)) {
                        const std::int64_t height = stripRows<T>(rows - i);
                        const std::int64_t vectors = ceilDivide(height, kLanes);
                        const avx512::Tile<T> tile{
                            .depth = depth,
                            .a = strips + i * depth,
                            .b = packed ? columnsOfB + j * depth : b + (j0 + j) * ldb + p0,
                            .ldb = ldb,
                            .alpha = alpha,
                            .beta = piece == 0 ? beta : 1,
                            .c = c + (j0 + j) * ldc + i0 + i,
                            .ldc = ldc,
                            .lastLanes = height - (vectors - 1) * kLanes};
                        const auto v = static_cast<std::size_t>(vectors - 1);
                        const auto w = static_cast<std::size_t>(width - 1);
                        (packed ? avx512::TileProducts<T, true>::kTable
                                : avx512::TileProducts<T, false>::kTable)[v][w](tile);
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
#if defined(__x86_64__)
    static const bool hasAvx512 = __builtin_cpu_supports("avx512f") != 0;
    return hasMatrixUnits() ? ProductKernel::MatrixUnits
           : hasAvx512      ? ProductKernel::Avx512
                            : ProductKernel::OpenBlas;
#else
    return ProductKernel::OpenBlas;
#endif
}

ProductKernel bestProductKernel(std::int64_t m, std::int64_t n) {
    constexpr std::int64_t kWorthSplitting = 48;  // rows and columns that share a split operand
    const ProductKernel best = bestProductKernel();
    return best == ProductKernel::MatrixUnits && std::min(m, n) < kWorthSplitting
               ? ProductKernel::Avx512
               : best;
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
    if (m <= 0 || n <= 0) {
        return;
    }
#if defined(__x86_64__)
    if (kernel == ProductKernel::MatrixUnits) {
        static ThreadPool inlinePool(1);  // a pool of one thread runs inline
        multiplyOnMatrixUnits(inlinePool, Region::Whole, opA, opB, m, n, k, alpha, a, lda, b, ldb,
                              beta, c, ldc);
        return;
    }
    if (kernel == ProductKernel::Avx512) {
        multiplyAvx512<float>(opA, opB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        return;
    }
#endif
    static_cast<void>(kernel);
    cblas_sgemm(CblasColMajor, blasOp(opA), blasOp(opB), static_cast<blasint>(m),
                static_cast<blasint>(n), static_cast<blasint>(k), alpha, a,
                static_cast<blasint>(lda), b, static_cast<blasint>(ldb), beta, c,
                static_cast<blasint>(ldc));
}

void addBlockOfGram(std::int64_t m, std::int64_t n, std::int64_t k, const double* a,
                    std::int64_t lda, const double* b, std::int64_t ldb, double* c,
                    std::int64_t ldc, ProductKernel kernel) {
    if (m <= 0 || n <= 0) {
        return;
    }
#if defined(__x86_64__)
    if (kernel != ProductKernel::OpenBlas) {
        multiplyAvx512<double>(Op::None, Op::Transpose, m, n, k, 1, a, lda, b, ldb, 1, c, ldc);
        return;
    }
#endif
    static_cast<void>(kernel);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(m),
                static_cast<blasint>(n), static_cast<blasint>(k), 1, a, static_cast<blasint>(lda),
                b, static_cast<blasint>(ldb), 1, c, static_cast<blasint>(ldc));
}

}  // namespace cospadi
