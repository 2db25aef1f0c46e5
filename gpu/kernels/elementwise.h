// Kernels that touch every entry once: memory-bound, one thread an entry in grid strides. All
// arrays are in device memory, column-major, leading dimension = rows, float32 where nothing else
// is said.
#pragma once

#include <cstdint>

#include "gpu/execution.h"

namespace cospadi::kernels {

// b = alpha a + beta b, n entries
void axpby(std::int64_t n, float alpha, const float* a, float beta, float* b, cudaStream_t stream);
// a(:, j) *= factors[j]
void scaleColumns(std::int64_t rows, std::int64_t cols, const float* factors, float* a,
                  cudaStream_t stream);
// a(i, :) *= factors[i]
void scaleRows(std::int64_t rows, std::int64_t cols, const float* factors, float* a,
               cudaStream_t stream);
// b = a where *condition is not 0, n entries; b's are not read there
void replaceIf(std::int64_t n, const int* condition, const float* a, float* b, cudaStream_t stream);
// The lower triangle of c (n, n) from its upper one
template <typename T>
void mirrorUpper(std::int64_t n, T* c, cudaStream_t stream);
// scale[i] = a(i, i)^−½, 1 where that is not positive
void equilibration(std::int64_t n, const float* a, float* scale, cudaStream_t stream);
// to = diag(scale) a diag(scale) with 1 + ridge on its diagonal; n × n
void equilibrate(std::int64_t n, const float* a, const float* scale, float ridge, float* to,
                 cudaStream_t stream);
// g ← alpha I + beta g, n × n: a Newton–Schulz step is X (alpha I + beta XᵀX)
template <typename T>
void affineIdentity(std::int64_t n, T alpha, T beta, T* g, cudaStream_t stream);
// The strict lower triangle of c (n, n) ← 0
void clearLower(std::int64_t n, double* c, cudaStream_t stream);
// to(i, j) += from(i, j), from (rows, cols), the leading dimension of `to` ld
void addTo(std::int64_t rows, std::int64_t cols, const float* from, double* to, std::int64_t ld,
           cudaStream_t stream);
// to(i, j) = from(i, j), (rows, cols), with leading dimensions of their own
void copyRows(std::int64_t rows, std::int64_t cols, const float* from, std::int64_t ldFrom,
              float* to, std::int64_t ldTo, cudaStream_t stream);
// to (cols, rows) = fromᵀ, from (rows, cols)
void transpose(std::int64_t rows, std::int64_t cols, const float* from, float* to,
               cudaStream_t stream);
void widen(std::int64_t n, const float* from, double* to, cudaStream_t stream);
void narrow(std::int64_t n, const double* from, float* to, cudaStream_t stream);
// to(:, j) = from(:, n − 1 − j) for the `count` first j; rows × n
template <typename T>
void reverseColumns(std::int64_t rows, std::int64_t n, std::int64_t count, const T* from, T* to,
                    cudaStream_t stream);
// a(:, j) *= factors[j]^power in double
void scaleColumnsByPower(std::int64_t rows, std::int64_t cols, const double* factors, double power,
                         double* a, cudaStream_t stream);

}  // namespace cospadi::kernels
