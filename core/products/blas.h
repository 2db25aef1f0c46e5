// Matrix products, blocked over a ThreadPool so that the result does not depend on
// the number of threads. All matrices column-major; ld* is the leading dimension.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/thread_pool.h"
#include "core/products/block_product.h"

namespace cospadi {

// C (m, n) = alpha op(A) op(B) + beta C, with op(A) (m, k) and op(B) (k, n). Single precision.
void gemm(ThreadPool& pool, Op opA, Op opB, std::int64_t m, std::int64_t n, std::int64_t k,
          float alpha, const float* a, std::int64_t lda, const float* b, std::int64_t ldb,
          float beta, float* c, std::int64_t ldc, Accuracy accuracy = Accuracy::Float32);

// Upper triangle of C (n, n) += A Aᵀ with A (n, k), in double: Gram matrices. What lies below the
// diagonal is not to be read.
void syrkAccumulate(ThreadPool& pool, std::int64_t n, std::int64_t k, const double* a,
                    std::int64_t lda, double* c, std::int64_t ldc);

// e.g. "OpenBLAS 0.3.21 SkylakeX, own products on AMX"; stands in the environment record of a run.
std::string blasDescription();

}  // namespace cospadi
