// Column top-s by radix select (hard thresholding pursuit): a block a column, three
// passes of a histogram in shared memory over the bits of the magnitude, 11 + 10 + 10 of them.
// Arrays are in device memory, column-major, (k, columns).
#pragma once

#include <cstdint>

#include "gpu/execution.h"

namespace cospadi::kernels {

// codes ← the s entries of largest magnitude of each column of codes + mu r, zero elsewhere; of
// equal magnitudes the lower rows win. changes[0] (set by the caller) grows by the mask entries
// that changed.
void thresholdStep(std::int64_t k, std::int64_t columns, std::int64_t s, float mu, const float* r,
                   float* codes, unsigned long long* changes, cudaStream_t stream);

}  // namespace cospadi::kernels
