// Work over columns in batches that fit where memory is short.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/error.h"

namespace cospadi {

// body(first, count) over all columns, in order. A batch for which the device has no memory is
// halved; body allocates before it writes. Errors: OutOfDeviceMemory where not even a column fits.
template <typename Body>
void inBatches(std::int64_t columns, std::int64_t batch, const Body& body) {
    for (std::int64_t first = 0; first < columns;) {
        const std::int64_t count = std::min(batch, columns - first);
        try {
            body(first, count);
            first += count;
        } catch (const OutOfDeviceMemory&) {
            if (count == 1) {
                throw;
            }
            batch = (count + 1) / 2;
        }
    }
}

}  // namespace cospadi
