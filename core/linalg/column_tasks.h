// Internal to core/linalg: loops in tasks of fixed size, so that every thread count gives the same
// blocks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/thread_pool.h"
#include "core/linalg/block_product.h"

namespace cospadi {

// Calls body(first, last) for half-open ranges of at most `width` columns.
template <typename Body>
void forColumnRanges(ThreadPool& pool, std::int64_t columns, std::int64_t width, const Body& body) {
    pool.run((columns + width - 1) / width,
             [&](std::int64_t task) { body(task * width, std::min(columns, (task + 1) * width)); });
}

// Calls body(i, j, rows, columns) for the blocks at (i, j), i ≤ j, that cover the upper triangle of
// an (n, n) matrix.
template <typename Body>
void forUpperBlocks(ThreadPool& pool, std::int64_t n, const Body& body) {
    const std::int64_t share = productShare(n);
    const std::int64_t edges = (n + share - 1) / share;
    pool.run(edges * edges, [&](std::int64_t task) {
        const std::int64_t i = (task % edges) * share;
        const std::int64_t j = (task / edges) * share;
        if (i <= j) {
            body(i, j, std::min(share, n - i), std::min(share, n - j));
        }
    });
}

}  // namespace cospadi
