// Internal to packed_products.h: what its ways to multiply have in common.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ceil_divide.h"
#include "core/packed/packed_products.h"
#include "core/products/column_tasks.h"

namespace cospadi {

using PackedProducts = std::span<const PackedProduct>;
using Activations = Eigen::Ref<const Eigen::MatrixXf>;
// One factor of every product; null where it has none.
using PackedFactors = std::vector<const PackedMatrix*>;

constexpr std::int64_t kUnpackedColumns = 96;  // of a matrix at a time: they stay in a core's cache

// d2: rows of Y.
std::int64_t resultRows(const PackedProduct& product);
PackedFactors factorsOf(PackedProducts products, const PackedMatrix* PackedProduct::*factor);
// Which product's AᵀX each one takes: that of the first that has the same A and a B.
std::vector<std::size_t> innerSources(PackedProducts products);
// A of every product that computes AᵀX.
PackedFactors firstFactorsOf(PackedProducts products, const std::vector<std::size_t>& sources);

// For a part of a result that is passed on: the calling thread's, valid until it asks again.
float* partMemory(std::int64_t floats);

// Where columns first … of the last factor are computed for tokens t … t + count − 1: calls
// body(y, ldy), and passes on what that wrote where the product keeps no Y.
template <typename Body>
void intoResult(const PackedProduct& product, std::int64_t first, std::int64_t columns,
                std::int64_t t, std::int64_t count, const Body& body) {
    if (product.y != nullptr) {
        body(&product.y->coeffRef(first, t), product.y->rows());
        return;
    }
    // Whole lines, so that tiles of sums are stored where they are made.
    const std::int64_t rows = ceilDivide(columns, kPackedColumns) * kPackedColumns;
    float* part = partMemory(rows * count);
    body(part, rows);
    using Part = Eigen::Map<const Eigen::MatrixXf, Eigen::Unaligned, Eigen::OuterStride<>>;
    (*product.use)(first, t, Part(part, columns, count, Eigen::OuterStride<>(rows)));
}

// Calls body(product, first, last, columns) for groups of all factors, at most so many columns of
// one, that stay in a core's cache unpacked. In pairs of groups: matrix units work on two tiles at
// once.
template <typename Body>
void forUnpackable(ThreadPool& pool, const PackedFactors& factors, std::int64_t most,
                   const Body& body) {
    struct Stretch {
        std::size_t product;
        std::int64_t first, last;  // columns
    };
    std::vector<Stretch> stretches;
    for (std::size_t product = 0; product < factors.size(); ++product) {
        if (factors[product] == nullptr) {
            continue;
        }
        const EvenRanges ranges{factors[product]->cols(), 2 * kPackedColumns, most};
        for (std::int64_t i = 0; i < ranges.count(); ++i) {
            stretches.push_back({product, ranges.edge(i), ranges.edge(i + 1)});
        }
    }
    pool.run(static_cast<std::int64_t>(stretches.size()), [&](std::int64_t task) {
        const auto& [product, first, last] = stretches[static_cast<std::size_t>(task)];
        body(product, first / kPackedColumns, ceilDivide(last, kPackedColumns), last - first);
    });
}

}  // namespace cospadi
