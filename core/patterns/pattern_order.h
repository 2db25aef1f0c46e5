// In which order the rows and columns of a sparsity pattern tell most: atoms by use, columns by
// what they have in common, and how often two atoms are used together. Pure; deterministic; safe
// from any thread.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "core/forms/sparse_dictionary/sparsity_pattern.h"

namespace cospadi {

// Atoms, the most used first; equal ones in their order.
std::vector<std::int64_t> rowsByUsage(const std::vector<std::int64_t>& atomUsage);

struct ColumnClusters {
    std::vector<std::int64_t> order;  // (d2): columns, cluster after cluster, the largest first;
                                      // inside one those nearest to its mean first
    std::vector<std::int64_t> sizes;  // of the clusters, in that order
};

// k-means on the unit-length masks of the columns (cosine), begun farthest-first from the column
// nearest to the mean. count: at most so many clusters; 0: √(d2 / 2), at most 24.
// O(k d2 count) a round, at most 12 rounds.
ColumnClusters clusterColumns(const SparsityPattern& pattern, int count = 0);

// (k, k), entry (i, j): of the columns that use atom i or atom j, the share that uses both
// (Jaccard). The diagonal is 1, 0 for atoms that no column uses. O(k² d2).
Eigen::MatrixXf atomCoOccurrence(const SparsityPattern& pattern);

// The same as a picture: (k, k), rows and columns in `order`, 0 … 255.
std::vector<std::uint8_t> coOccurrenceMap(const SparsityPattern& pattern,
                                          const std::vector<std::int64_t>& order);

}  // namespace cospadi
