// One atom's K-SVD update (paper, Algorithm 1) without gathering its residual: on the columns that
// use the atom, R_j = E_j + s_j d, so R and Rᵀ are applied from E, d and the row s themselves.
//   d (d1) the atom, row (n) its coefficients (0: the column does not use it), E (d1, n) = W − D S.
// All arrays in device memory. Columns are split over a fixed number of blocks, so that sums have
// the same order on every run.
#pragma once

#include <cstdint>

#include "gpu/execution.h"

namespace cospadi::kernels {

constexpr std::int64_t kPanels = 264;  // blocks of columns: two for each of an H200's processors
constexpr std::int64_t kNormParts = 256;

// row ← codes(atom, :)
void gatherRow(std::int64_t k, std::int64_t n, std::int64_t atom, const float* codes, float* row,
               cudaStream_t stream);
// image ← Rᵀ u (n), zero for unused columns; partial (d1, kPanels) and shares (kPanels) the blocks'
// parts of R image, left alone where partial is null.
void applyTransposed(std::int64_t d1, std::int64_t n, const float* e, const float* d,
                     const float* row, const float* u, float* image, float* partial, float* shares,
                     cudaStream_t stream);
// next ← R image from its parts; norms (kNormParts) parts of ‖next‖²
void sumPanels(std::int64_t d1, std::int64_t n, const float* d, const float* partial,
               const float* shares, float* next, double* norms, cudaStream_t stream);
// u ← next / ‖next‖; u stays where that is zero
void normalizeDirection(std::int64_t d1, const float* next, const double* norms, float* u,
                        cudaStream_t stream);
// On used columns: E_j ← E_j + s_j d − image_j u, codes(atom, j) ← image_j
void writeBack(std::int64_t d1, std::int64_t n, std::int64_t k, std::int64_t atom, const float* d,
               const float* u, const float* row, const float* image, float* e, float* codes,
               cudaStream_t stream);
// r (d1, n) ← R in double, zero in unused columns: for the exact update
void residualOf(std::int64_t d1, std::int64_t n, const float* e, const float* d, const float* row,
                double* r, cudaStream_t stream);

}  // namespace cospadi::kernels
