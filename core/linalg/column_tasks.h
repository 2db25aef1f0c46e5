// Internal to CpuBackend: loops over columns in tasks of fixed size, so that every thread count
// gives the same blocks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/thread_pool.h"

namespace cospadi {

// Calls body(first, last) for half-open ranges of at most `width` columns.
template <typename Body>
void forColumnRanges(ThreadPool& pool, std::int64_t columns, std::int64_t width, const Body& body) {
    pool.run((columns + width - 1) / width,
             [&](std::int64_t task) { body(task * width, std::min(columns, (task + 1) * width)); });
}

}  // namespace cospadi
