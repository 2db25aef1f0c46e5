// What the settings of a specification mean to a run: which of them count for its method, what
// stands for those that are left to the solver, and how a label tells those that are unusual. A
// table (run_settings.cpp) has the rules for those whose description does not say it all.
//
// Two runs whose settings that count are equal do the same, whatever their other fields say.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/store/run_row.h"
#include "core/store/run_specification.h"

namespace cospadi {

// Every field that does not count for the method, solver or update is set to its default: the ρ of
// an SVD, the power iterations of MOD; and what names the usual choice, `refit` `on` of fast, to
// `auto`. Whether `seed` counts for fast is a question of shapes (resolved() asks it).
RunSpecification withoutIdleSettings(RunSpecification specification);

// The same, and what the solver takes where nothing is said in the place of 0: K-SVD's 60
// iterations, the bits of a coefficient that the accounting implies; 0 power iterations are
// `ksvd-exact`. Iterations stay 0 where they differ between matrices (fast, on either side).
RunSpecification effective(RunSpecification specification);

// "cospadi (fast)", "cospadi (ksvd 60x8)", "cospadi (mod 60, packed, init svd)": the method, its
// solver, and every setting that is not the usual one, but for those that stand elsewhere in a
// table, named in `shown`. "cospadi (paper)" where the settings are exactly the paper's
// (paper_preset.h) and the table shows none of them elsewhere.
std::string methodLabel(const RunSpecification& specification,
                        const std::set<std::string>& shown = {});
// The fields that a label tells apart.
std::set<std::string> labelledSettings();

// Bits that a stored coefficient has, or an entry of a right factor: what is left of them where
// they were shortened afterwards. 0 where the method has none, or matrices differ in them.
int storedCoefficientBits(const RunSpecification& specification);

// Of a stored run; nullopt for one of another program or version, with a field or a word that is
// unknown here.
std::optional<RunSpecification> specificationOf(const RunRow& run);

// The settings that count, flattened, nested fields dotted ("calibration.sequences"); texts as they
// are, numbers as JSON writes them, "usual" for iterations that the solver chooses by the matrix.
// Paths are replaced by what they hold: model and calibration text count by their sha256 where that
// is known. Of a run of another program: the fields that it has. Of a run that was made of another
// the bits and rounding are its own, `solved_bits` those of the other one; which run that was does
// not count, nor that it is a slice where its layers would come out alike by themselves.
std::map<std::string, std::string> settingsOf(const RunRow& run);
std::map<std::string, std::string> settingsOf(const RunSpecification& specification);

}  // namespace cospadi
