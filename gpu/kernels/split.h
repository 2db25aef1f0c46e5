// A float32 matrix as the sum of two that tensor cores take as they are.
#pragma once

#include <cstdint>

#include "gpu/execution.h"

namespace cospadi::kernels {

// high = a rounded to TF32 (11 significant bits), low = a − high rounded likewise: together 22 of
// a's 24 bits. a (rows, cols), leading dimension lda; high and low (ld, allCols),
// zeros where a ends.
void splitToTf32(std::int64_t rows, std::int64_t cols, const float* a, std::int64_t lda,
                 std::int64_t ld, std::int64_t allCols, float* high, float* low,
                 cudaStream_t stream);

}  // namespace cospadi::kernels
