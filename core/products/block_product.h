// Matrix products on the calling thread: on matrix units (Intel AMX, amx_product.h) what is large
// enough to be worth packing both sides for, elsewhere by OpenBLAS; chosen when the program runs.
// tst_block_product compares both with products in double; `bench forward` and `bench solver` time
// them.
#pragma once

#include <cstdint>

namespace cospadi {

enum class Op { None, Transpose };

// Step: for steps of iterations whose next one makes up for what a product is off. Matrix units
// then multiply operands rounded to 16 significant bits, in half the time; elsewhere it is Float32.
enum class Accuracy { Float32, Step };

enum class ProductKernel { OpenBlas, MatrixUnits };

// The best that this processor has.
ProductKernel bestProductKernel();
// The best for C (m, n).
ProductKernel bestProductKernel(std::int64_t m, std::int64_t n);

// Operations a second and core that a whole solve by such products comes to on this processor: for
// predictions where none was measured.
double usualProductRate();

// C (m, n) = alpha op(A) op(B) + beta C, with op(A) (m, k) and op(B) (k, n); column-major, ld* the
// leading dimensions. C is not read where beta is 0.
void multiplyBlock(Op opA, Op opB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                   const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta,
                   float* c, std::int64_t ldc, ProductKernel kernel);

// C (m, n) += A Bᵀ with A (m, k), B (n, k), in double: a block of a Gram matrix.
void addBlockOfGram(std::int64_t m, std::int64_t n, std::int64_t k, const double* a,
                    std::int64_t lda, const double* b, std::int64_t ldb, double* c,
                    std::int64_t ldc);

// How many of C's rows (or columns) to make one task: a fixed share of even size, so that two
// threads end together and results do not depend on their number.
std::int64_t productShare(std::int64_t size);

}  // namespace cospadi
