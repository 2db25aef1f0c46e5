// The mask of S of a matrix file, without its values: what the Pattern page draws.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
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

// The same mask as a file has it, a bit an entry.
struct StoredMask {
    std::span<const std::byte> bytes;
    std::int64_t columns = 0;  // of S

    bool at(std::int64_t index) const {
        const auto byte = std::to_integer<unsigned>(bytes[static_cast<std::size_t>(index / 8)]);
        return (byte >> (index % 8) & 1U) != 0;
    }
};

// Valid as long as the file. Throws Error where the mask does not fit k and the columns of S.
StoredMask storedMaskOf(const StoredTensors& file);

}  // namespace cospadi
