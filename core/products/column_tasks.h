// Internal to core/linalg: loops in tasks of fixed size and sums in a fixed order, so that every
// thread count gives the same bits.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/base/ceil_divide.h"
#include "core/base/thread_pool.h"
#include "core/products/block_product.h"

namespace cospadi {

// Calls body(first, last) for half-open ranges of at most `width` columns.
template <typename Body>
void forColumnRanges(ThreadPool& pool, std::int64_t columns, std::int64_t width, const Body& body) {
    pool.run(ceilDivide(columns, width),
             [&](std::int64_t task) { body(task * width, std::min(columns, (task + 1) * width)); });
}

// An even number of half-open ranges of 0 … size, so that two threads end together: at most `most`
// long, multiples of `unit` but for the last one, as equal as that allows.
struct EvenRanges {
    std::int64_t size, unit, most;

    std::int64_t count() const { return std::min(units(), 2 * ceilDivide(size, 2 * most)); }
    // Where range i begins, and range i − 1 ends.
    std::int64_t edge(std::int64_t i) const { return std::min(size, i * units() / count() * unit); }

  private:
    std::int64_t units() const { return ceilDivide(size, unit); }
};

// Calls body(first, last) for all of them.
template <typename Body>
void forEvenRanges(ThreadPool& pool, const EvenRanges& ranges, const Body& body) {
    pool.run(ranges.count(), [&](std::int64_t i) { body(ranges.edge(i), ranges.edge(i + 1)); });
}

// Calls body(column) for every column.
template <typename Body>
void forColumns(ThreadPool& pool, std::int64_t columns, const Body& body) {
    constexpr std::int64_t kColumnsATask = 64;
    forColumnRanges(pool, columns, kColumnsATask, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t j = first; j < last; ++j) {
            body(j);
        }
    });
}

// Σ term(column), a double each.
template <typename Term>
double sumOverColumns(ThreadPool& pool, std::int64_t columns, const Term& term) {
    std::vector<double> terms(static_cast<std::size_t>(columns));
    forColumns(pool, columns,
               [&](std::int64_t j) { terms[static_cast<std::size_t>(j)] = term(j); });
    return std::accumulate(terms.begin(), terms.end(), 0.0);
}

inline double dotInDouble(const float* a, const float* b, std::int64_t n) {
    return Eigen::Map<const Eigen::VectorXf>(a, n).cast<double>().dot(
        Eigen::Map<const Eigen::VectorXf>(b, n).cast<double>());
}

// Calls body(i, j, rows, columns) for the blocks at (i, j), i ≤ j, that cover the upper triangle of
// an (n, n) matrix.
template <typename Body>
void forUpperBlocks(ThreadPool& pool, std::int64_t n, const Body& body) {
    const std::int64_t share = productShare(n);
    const std::int64_t edges = ceilDivide(n, share);
    pool.run(edges * edges, [&](std::int64_t task) {
        const std::int64_t i = (task % edges) * share;
        const std::int64_t j = (task / edges) * share;
        if (i <= j) {
            body(i, j, std::min(share, n - i), std::min(share, n - j));
        }
    });
}

}  // namespace cospadi
