// The compressed forms of a weight matrix W (d1, d2) in activation space: what every method yields,
// what matrix files hold and what the forward pass applies.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <variant>

namespace cospadi {

// W ≈ B C, B (d1, r), C (r, d2).
struct LowRankFactors {
    Eigen::MatrixXf left;
    Eigen::MatrixXf right;
};

// W ≈ D_a S, D_a (d1, k), S (k, d2) with at most s non-zeros a column. S is held dense here; files
// hold its mask and values. coefficientBits is what a value keeps when stored (16 = bf16).
struct SparseDictionaryFactors {
    Eigen::MatrixXf dictionary;
    Eigen::MatrixXf codes;
    std::int64_t s = 0;
    int coefficientBits = 16;
};

using Factorization = std::variant<LowRankFactors, SparseDictionaryFactors>;

Eigen::MatrixXf recompose(const Factorization& factors);  // (d1, d2)

}  // namespace cospadi
