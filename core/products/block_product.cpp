#include "core/products/block_product.h"

#include <cblas.h>

#include <algorithm>

#include "core/products/amx_product.h"
#include "core/products/column_tasks.h"
#include "core/products/openblas_kernels.h"

namespace cospadi {

namespace {

constexpr std::int64_t kWholeShare = 96;
constexpr std::int64_t kLargestShare = 192;
constexpr std::int64_t kShareEdge = 16;

CBLAS_TRANSPOSE blasOp(Op op) { return op == Op::None ? CblasNoTrans : CblasTrans; }

}  // namespace

ProductKernel bestProductKernel() {
    static const bool isOpenBlas = openBlasKernelsAreNamed() || !hasMatrixUnits();
    return isOpenBlas ? ProductKernel::OpenBlas : ProductKernel::MatrixUnits;
}

double usualProductRate() {
    // Whole solves of layers of the default model on one of two threads of a Sapphire Rapids core.
    constexpr double kOnMatrixUnits = 145e9;
    constexpr double kAvx512 = 80e9;
    constexpr double kAvx2 = 65e9;
    if (bestProductKernel() == ProductKernel::MatrixUnits) {
        return kOnMatrixUnits;
    }
    return __builtin_cpu_supports("avx512f") != 0 ? kAvx512 : kAvx2;
}

ProductKernel bestProductKernel(std::int64_t m, std::int64_t n) {
    constexpr std::int64_t kWorthSplitting = 48;  // rows and columns that share a split operand
    return std::min(m, n) < kWorthSplitting ? ProductKernel::OpenBlas : bestProductKernel();
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
    if (kernel == ProductKernel::MatrixUnits) {
        static ThreadPool inlinePool(1);  // a pool of one thread runs inline
        multiplyOnMatrixUnits(inlinePool, Region::Whole, opA, opB, m, n, k, alpha, a, lda, b, ldb,
                              beta, c, ldc);
        return;
    }
    cblas_sgemm(CblasColMajor, blasOp(opA), blasOp(opB), static_cast<blasint>(m),
                static_cast<blasint>(n), static_cast<blasint>(k), alpha, a,
                static_cast<blasint>(lda), b, static_cast<blasint>(ldb), beta, c,
                static_cast<blasint>(ldc));
}

void addBlockOfGram(std::int64_t m, std::int64_t n, std::int64_t k, const double* a,
                    std::int64_t lda, const double* b, std::int64_t ldb, double* c,
                    std::int64_t ldc) {
    if (m <= 0 || n <= 0) {
        return;
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(m),
                static_cast<blasint>(n), static_cast<blasint>(k), 1, a, static_cast<blasint>(lda),
                b, static_cast<blasint>(ldb), 1, c, static_cast<blasint>(ldc));
}

}  // namespace cospadi
