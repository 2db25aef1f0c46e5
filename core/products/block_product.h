// Matrix products on the calling thread: for matrix units (Intel AMX), for AVX-512 and, elsewhere,
// OpenBLAS; chosen when the program runs.
//
// Why a kernel of our own: OpenBLAS picks its kernels by the name of the processor, and takes those
// for AVX2, half as fast, on every one that is newer than itself. This one asks for the
// instructions. Strips of 48 rows of op(A) are packed; columns of op(B) are read where they lie.
// Matrix units (amx_product.h) take what is large enough to be worth packing both sides for. An
// element's sum runs over fixed pieces of the depth, so with one kernel it does not depend on which
// block of C is asked for. tst_block_product compares all with products in double; `bench forward`
// and `bench solver` time them.
#pragma once

#include <cstdint>

namespace cospadi {

enum class Op { None, Transpose };

enum class ProductKernel { OpenBlas, Avx512, MatrixUnits };

// The best that this processor has.
ProductKernel bestProductKernel();
// The best for C (m, n).
ProductKernel bestProductKernel(std::int64_t m, std::int64_t n);

// C (m, n) = alpha op(A) op(B) + beta C, with op(A) (m, k) and op(B) (k, n); column-major, ld* the
// leading dimensions. C is not read where beta is 0.
void multiplyBlock(Op opA, Op opB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                   const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta,
                   float* c, std::int64_t ldc, ProductKernel kernel);

// C (m, n) += A Bᵀ with A (m, k), B (n, k), in double: a block of a Gram matrix. Matrix units do
// not compute in double: AVX-512 does it for them.
void addBlockOfGram(std::int64_t m, std::int64_t n, std::int64_t k, const double* a,
                    std::int64_t lda, const double* b, std::int64_t ldb, double* c,
                    std::int64_t ldc, ProductKernel kernel = bestProductKernel());

// How many of C's rows (or columns) to make one task: a fixed share of even size, so that two
// threads end together and results do not depend on their number.
std::int64_t productShare(std::int64_t size);

}  // namespace cospadi
