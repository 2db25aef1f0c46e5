// What the settings of a specification mean to a run: what stands for those that are left to the
// solver, and those that count (idle_settings.h) by name. Two runs whose settings that count are
// equal do the same, whatever their other fields say.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/store/run_row.h"
#include "core/store/run_specification.h"

namespace cospadi {

// Without idle settings, and with what the solver takes where nothing is said in the place of 0:
// K-SVD's 60 iterations, the bits of a coefficient that the accounting implies; 0 power iterations
// are `ksvd-exact`. Iterations stay 0 where they differ between matrices (fast, on either side).
RunSpecification effective(RunSpecification specification);

// Whether a run is some layers of another that depended on those left behind, by allocation or
// propagation: solved alone they would have come out otherwise.
bool isSliceThatTells(const RunSpecification& specification);

// Bits that a stored coefficient has, or an entry of a right factor: what is left of them where
// they were shortened afterwards. 0 where the method has none, or matrices differ in them.
int storedCoefficientBits(const RunSpecification& specification);

// Of a stored run; nullopt for one of another program or version, with a field or a word that is
// unknown here. Here and below, a text that was read once is known. Thread-safe.
std::optional<RunSpecification> specificationOf(const RunRow& run);

// methodLabel() of it (method_label.h); empty where it has none.
std::string specifiedLabelOf(const RunRow& run);

// The settings that count, flattened, nested fields dotted ("calibration.sequences"); texts as they
// are, numbers as JSON writes them, "usual" for iterations that the solver chooses by the matrix.
// Paths are replaced by what they hold: model and calibration text count by their sha256 where that
// is known; given ratios are one setting, `ratios`, by a hash of all. Of a run of another program:
// the fields that it has. Of a run that was made of another the bits and rounding are its own,
// `solved_bits` those of the other one; which run that was does not count, nor that it is a slice
// where its layers would come out alike by themselves.
std::map<std::string, std::string> settingsOf(const RunRow& run);
std::map<std::string, std::string> settingsOf(const RunSpecification& specification);

}  // namespace cospadi
