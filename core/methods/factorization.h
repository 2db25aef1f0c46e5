// The compressed forms of a weight matrix W (d1, d2) in activation space: what every method yields,
// what matrix files hold and what the forward pass applies.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <variant>

namespace cospadi {

// W ≈ B C, B (d1, r), C (r, d2).
struct LowRankFactors {
    Eigen::MatrixXf left;
    Eigen::MatrixXf right;
};

// Which side of a layer the dictionary spans.
//   Input   W ≈ D_a S      D_a (d1, k), S (k, d2): the paper's form
//   Output  W ≈ (D S)ᵀ     D   (d2, k), S (k, d1): a code for every input channel
// Both store d·k dictionary entries and s non-zeros a column of S; with the dictionary on the
// shorter side a layer that is not square gets more atoms and a far smaller error for its bytes.
enum class DictionarySide { Input, Output };

const char* name(DictionarySide side);
DictionarySide dictionarySideFromName(const std::string& name);  // "input" or "output"; Error

// At most s non-zeros a column of S, which is held dense here; files hold its mask and values.
// coefficientBits is what a value keeps when stored (16 = bf16).
struct SparseDictionaryFactors {
    Eigen::MatrixXf dictionary;
    Eigen::MatrixXf codes;
    std::int64_t s = 0;
    int coefficientBits = 16;
    DictionarySide side = DictionarySide::Input;
};

using Factorization = std::variant<LowRankFactors, SparseDictionaryFactors>;

Eigen::MatrixXf recompose(const Factorization& factors);  // (d1, d2)

}  // namespace cospadi
