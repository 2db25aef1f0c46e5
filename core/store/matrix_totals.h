// What the matrices of a run come to together, of which each tells its own part.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

// Seconds of the matrices, one after the other: where several were in flight at once the clock on
// the wall went slower. coding + dictionary + rest = total.
struct PhaseTotals {
    double coding = 0;      // S given D
    double dictionary = 0;  // D given S
    double rest = 0;  // reading, whitening, first dictionary, errors, rounding, storing, measuring
    double total = 0;
    std::int64_t iterations = 0;
};

// nullopt where a matrix does not tell its phases, or there is none.
std::optional<PhaseTotals> phaseTotals(const std::vector<MatrixRow>& matrices);

// A token's multiplications with all of them as they are stored; 0 where one does not tell. Both in
// double, as a damaged file may hold any counts.
double totalMultiplications(const std::vector<MatrixRow>& matrices);
// With the same weights densely: O_baseline = d1 d2 each.
double denseMultiplications(const std::vector<MatrixRow>& matrices);

}  // namespace cospadi
