// What a run tells about one compressed matrix: a row of result.json, and the metadata field
// `result` of its file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/dictionary/iteration_summary.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"

namespace cospadi {

// One matrix' row of result.json.
struct MatrixRecord {
    std::string name;  // blk.10.ffn_up
    std::string kind;  // ffn_up
    int block = 0;
    std::int64_t d1 = 0, d2 = 0;
    std::string form;      // as files name it (core/forms/forms.h)
    nlohmann::json facts;  // StoredWeight::facts()
    // Of those, where the form has them, 0 elsewhere:
    std::int64_t k = 0, s = 0;
    DictionarySide side = DictionarySide::Input;
    std::int64_t rank = 0;
    std::int64_t activeAtoms = 0;      // of k, used by a column; 0 also in files of before 0.2
    std::int64_t multiplications = 0;  // a token (StoredWeight); 0 in files of before 0.2
    // Of its file; with those of a factor that it shares with others, shared out by columns.
    std::int64_t bytes = 0;
    std::string unit;              // of the shared factor's file (LayerUnit::id()); "" for none
    std::int64_t sharedBytes = 0;  // its part of that file
    std::int64_t denseBytes = 0;   // 2 d1 d2
    std::string sourceType;        // of the weight in the model's file, e.g. "Q4_1"; "" unknown
    std::int64_t sourceBytes = 0;  // and what it takes there; 0 unknown
    // ‖L (W − W̃)‖_F / ‖L W‖_F: W the layer's own weight, W̃ what was read back from the file, L the
    // factor of the Gram it was compressed with (none for methods without calibration). NaN, null
    // in JSON, where that Gram was not at hand (run/requantized_run.h).
    double relativeError = 0;
    // The same with L the factor of the Gram of inputs that were held out; absent where none were.
    std::optional<double> heldOutError;
    // relativeError against the corrected weight that the solver was given, with propagation
    // `target`; absent where that is W.
    std::optional<double> targetError;
    double gramShift = 0;  // added to the Gram's diagonal; 0 = none was needed
    // Of the Gram's factorisation (Whitening::pivotRatio()); absent without one, and before 0.2.
    std::optional<double> pivotRatio;
    std::int64_t replacedAtoms = 0;
    int iterations = 0;
    double seconds = 0;      // from begin to end, pauses left out; others were in flight beside it
    double coreSeconds = 0;  // those times the cores that it had; 0 in files of before 0.2
    // Of `seconds`, the rest of which is reading, whitening, rounding, storing and measuring;
    // absent of methods without phases, and before 0.2.
    std::optional<PhaseSeconds> phases{};
    std::string revision{};  // of the program that made it; empty: unknown. Only in the file
};

// Sets form, facts, k, s, side, rank, activeAtoms and multiplications.
void describe(MatrixRecord& record, const StoredWeight& weight);

// Whether a unit of that name can be a file of a run: nothing that leaves its folder.
bool isUnitName(const std::string& name);
std::filesystem::path unitFile(const std::filesystem::path& folder, const std::string& unit);

nlohmann::json toJson(const MatrixRecord& record);
MatrixRecord matrixRecordFromJson(const nlohmann::json& json);

}  // namespace cospadi
