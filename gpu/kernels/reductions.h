// Reductions over whole arrays, columns and rows. Sums are accumulated in double in a fixed order:
// the same bits on every run. All arrays are in device memory, column-major.
#pragma once

#include <cstdint>

#include "gpu/execution.h"

namespace cospadi::kernels {

constexpr std::int64_t kPartials = 512;  // doubles of scratch that dot and the like need

// result[0] = Σ a b
void dot(std::int64_t n, const float* a, const float* b, double* partials, double* result,
         cudaStream_t stream);
// result[0] = ‖g − I‖²_F; n × n
void distanceFromIdentity(std::int64_t n, const float* g, double* partials, double* result,
                          cudaStream_t stream);
void squaredColumnNorms(std::int64_t rows, std::int64_t cols, const float* a, double* norms,
                        cudaStream_t stream);
// counts[i] = non-zeros of row i
void rowCounts(std::int64_t rows, std::int64_t cols, const float* s, long long* counts,
               cudaStream_t stream);
// result[0] = Σ a²
void squaredNorm(std::int64_t n, const double* a, double* partials, double* result,
                 cudaStream_t stream);
// values[i] = a(i, i), i < n
template <typename T>
void diagonal(std::int64_t rows, std::int64_t n, const T* a, double* values, cudaStream_t stream);
// failed[0] ← n where a pivot of the Cholesky factor a (n, n) is not a positive number: what NaN
// makes of a factor that its library calls sound.
void findBrokenPivots(std::int64_t n, const float* a, int* failed, cudaStream_t stream);
// Columns of unit length; norms[j] is what column j had. Zero columns stay zero.
void normalizeColumns(std::int64_t rows, std::int64_t cols, float* a, float* norms,
                      cudaStream_t stream);
// to(:, j) = from(:, j) / ‖from(:, j)‖, its entry of largest magnitude made positive.
template <typename T>
void orientColumns(std::int64_t rows, std::int64_t cols, const T* from, float* to,
                   cudaStream_t stream);

}  // namespace cospadi::kernels
