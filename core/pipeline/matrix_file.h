// matrices/NAME.safetensors: one compressed matrix on disk (layout in docs/formats.md), written
// atomically, and the resume point of a run. What is read back is exactly what inference uses.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/methods/factorization.h"

namespace cospadi {

// One matrix' row of result.json.
struct MatrixRecord {
    std::string name;  // blk.10.ffn_up
    std::string kind;  // ffn_up
    int block = 0;
    std::int64_t d1 = 0, d2 = 0;
    std::int64_t k = 0, s = 0;  // sparse dictionary; 0 for low rank
    DictionarySide side = DictionarySide::Input;
    std::int64_t rank = 0;         // low rank; 0 for sparse dictionary
    std::int64_t bytes = 0;        // size of the file
    std::int64_t denseBytes = 0;   // 2 d1 d2
    std::string sourceType;        // of the weight in the model's file, e.g. "Q4_1"; "" unknown
    std::int64_t sourceBytes = 0;  // and what it takes there; 0 unknown
    // ‖L (W − W̃)‖_F / ‖L W‖_F: W the layer's own weight, W̃ what was read back from the file, L the
    // factor of the Gram it was compressed with (none for methods without calibration).
    double relativeError = 0;
    // The same against the corrected weight that the solver was given, with propagation `target`;
    // absent where that is W.
    std::optional<double> targetError;
    double gramShift = 0;  // added to the Gram's diagonal; 0 = none was needed
    // Of the Gram's factorisation (Whitening::pivotRatio()); absent without one, and before 0.2.
    std::optional<double> pivotRatio;
    std::int64_t replacedAtoms = 0;
    int iterations = 0;
    double seconds = 0;      // from begin to end, pauses left out; others were in flight beside it
    double coreSeconds = 0;  // those times the cores that it had; 0 in files of before 0.2
    std::string revision{};  // of the program that made it; empty: unknown. Only in the file
};

nlohmann::json toJson(const MatrixRecord& record);
MatrixRecord matrixRecordFromJson(const nlohmann::json& json);

// The mask of S, a byte an entry: at(i, j) = entries[j * k + i], i < k atoms, j < d2 columns. Of a
// dictionary on the output side the columns are the d1 input channels.
struct SparsityPattern {
    std::int64_t k = 0;
    std::int64_t d2 = 0;
    DictionarySide side = DictionarySide::Input;
    std::vector<std::uint8_t> entries;    // 0 or 1
    std::vector<std::int64_t> atomUsage;  // (k) columns that use each atom
};

// Writes the file, with this program's revision, and sets record.bytes. Throws Error (disk full,
// unwritable folder); then nothing stands under the final name.
void writeMatrixFile(const std::filesystem::path& path, const Factorization& factors,
                     MatrixRecord& record);

struct StoredMatrix {
    MatrixRecord record;
    Factorization factors;  // values as stored, widened to float
};

// Whether these are the same numbers: what a file gives back against what was measured.
bool sameFactors(const Factorization& a, const Factorization& b);

// Throw Error where the file is not one of ours, truncated, or inconsistent.
StoredMatrix readMatrixFile(const std::filesystem::path& path);
SparsityPattern readSparsityPattern(const std::filesystem::path& path);

}  // namespace cospadi
