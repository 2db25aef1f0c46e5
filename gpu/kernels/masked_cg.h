// Conjugate gradients on a fixed support, every column its own step sizes, kept on the device: one
// launch and one product G · direction a step, whatever the number of columns. A block a column.
// Arrays are in device memory, column-major, (k, columns); norm and goal are (columns).
#pragma once

#include <cstdint>

#include "gpu/execution.h"

namespace cospadi::kernels {

// residual holds G S: residual ← (target − residual) on the support of codes, zero off it;
// direction ← residual; mask ← 1 on the support, 0 off it; norm ← ‖residual‖², goal ← limit
// ‖target‖².
void startCg(std::int64_t k, std::int64_t columns, float limit, const float* target,
             const float* codes, float* residual, float* direction, std::uint8_t* mask, float* norm,
             float* goal, cudaStream_t stream);

// image is G direction, leading dimension imageLd. Columns with norm ≤ goal, or without curvature,
// get a zero direction and stand still; busy[0] (set by the caller) counts the others.
void stepCg(std::int64_t k, std::int64_t columns, const float* image, std::int64_t imageLd,
            const std::uint8_t* mask, const float* goal, float* codes, float* residual,
            float* direction, float* norm, unsigned* busy, cudaStream_t stream);

}  // namespace cospadi::kernels
