// The mask of S of a matrix file, without its values: what the Pattern page draws.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"

namespace cospadi {

// The mask of S, a byte an entry: at(i, j) = entries[j * k + i], i < k atoms, j < d2 columns. Of a
// dictionary on the output side the columns are the d1 input channels.
struct SparsityPattern {
    std::int64_t k = 0;
    std::int64_t d2 = 0;
    DictionarySide side = DictionarySide::Input;
    std::vector<std::uint8_t> entries;    // 0 or 1
    std::vector<std::int64_t> atomUsage;  // (k) columns that use each atom
};

// Throws Error where the file is not one of ours, truncated, inconsistent or of another form.
SparsityPattern readSparsityPattern(const std::filesystem::path& path);

// The same mask, a bit an entry.
struct StoredMask {
    std::vector<std::uint8_t> bytes;
    std::int64_t columns = 0;  // of S
    NmPattern pattern{};       // as whose choices a file holds it, where it is grouped

    bool at(std::int64_t index) const {
        return (bytes[static_cast<std::size_t>(index / 8)] >> (index % 8) & 1) != 0;
    }
};

// What a file holds: a bit an entry of the codes, 1 where it has a value; grouped: the number of
// each group's choice, in ⌈log2 C(M, N)⌉ bits. A group of fewer values than N is filled up by its
// lowest places, whose values are 0.
StoredMask maskOf(const Eigen::MatrixXf& codes, const NmPattern& pattern);
std::vector<std::uint8_t> maskStream(const StoredMask& mask, std::int64_t entries);
// Throws Error where the mask does not fit k and the columns of S, or its pattern is none.
StoredMask storedMaskOf(const StoredTensors& file);

}  // namespace cospadi
