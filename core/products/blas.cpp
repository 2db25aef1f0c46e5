#include "core/products/blas.h"

#include <cblas.h>

#include <algorithm>

#include "core/products/amx_product.h"
#include "core/products/column_tasks.h"
#include "core/products/openblas_kernels.h"

namespace cospadi {

namespace {

// Fixed block edges: the split, and with it the rounding, is the same for every thread count.
constexpr std::int64_t kProductColumns = 1024;  // that share one packing of A

const bool kSingleThreaded = [] {
    chooseOpenBlasKernels();
    openblas_set_num_threads(1);
    return true;
}();

}  // namespace

void gemm(ThreadPool& pool, Op opA, Op opB, std::int64_t m, std::int64_t n, std::int64_t k,
          float alpha, const float* a, std::int64_t lda, const float* b, std::int64_t ldb,
          float beta, float* c, std::int64_t ldc, Accuracy accuracy) {
    static_cast<void>(kSingleThreaded);
    if (m <= 0 || n <= 0) {
        return;
    }
    if (n == 1 && opB == Op::None) {
        // One column reads A once: a product of matrices would first repack all of A.
        const std::int64_t share = productShare(m);
        pool.run(ceilDivide(m, share), [&](std::int64_t task) {
            const std::int64_t i = task * share;
            const std::int64_t rows = std::min(share, m - i);
            const bool transposed = opA == Op::Transpose;
            cblas_sgemv(CblasColMajor, transposed ? CblasTrans : CblasNoTrans,
                        static_cast<blasint>(transposed ? k : rows),
                        static_cast<blasint>(transposed ? rows : k), alpha,
                        transposed ? a + i * lda : a + i, static_cast<blasint>(lda), b, 1, beta,
                        c + i, 1);
        });
        return;
    }
    const ProductKernel kernel = bestProductKernel(m, n);
    if (kernel == ProductKernel::MatrixUnits) {
        multiplyOnMatrixUnits(pool, Region::Whole, opA, opB, m, n, k, alpha, a, lda, b, ldb, beta,
                              c, ldc, accuracy);
        return;
    }
    const std::int64_t blockRows = productShare(m);
    const std::int64_t rowBlocks = ceilDivide(m, blockRows);
    const std::int64_t blockColumns = ceilDivide(n, ceilDivide(n, kProductColumns));
    pool.run(rowBlocks * ceilDivide(n, blockColumns), [&](std::int64_t task) {
        const std::int64_t i = (task % rowBlocks) * blockRows;
        const std::int64_t j = (task / rowBlocks) * blockColumns;
        multiplyBlock(opA, opB, std::min(blockRows, m - i), std::min(blockColumns, n - j), k, alpha,
                      opA == Op::None ? a + i : a + i * lda, lda,
                      opB == Op::None ? b + j * ldb : b + j, ldb, beta, c + i + j * ldc, ldc,
                      kernel);
    });
}

void syrkAccumulate(ThreadPool& pool, std::int64_t n, std::int64_t k, const double* a,
                    std::int64_t lda, double* c, std::int64_t ldc) {
    forUpperBlocks(pool, n, [&](auto i, auto j, auto rows, auto columns) {
        addBlockOfGram(rows, columns, k, a + i, lda, a + j, lda, c + i + j * ldc, ldc);
    });
}

std::string blasDescription() {
    const char* own =
        bestProductKernel() == ProductKernel::MatrixUnits ? ", own products on AMX" : "";
    std::string config = openblas_get_config();
    return config.substr(0, config.find(' ', config.find(' ') + 1)) + " " +
           openblas_get_corename() + own;
}

}  // namespace cospadi
