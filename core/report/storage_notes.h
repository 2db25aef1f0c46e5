// What a table has to say of the storage behind the runs that it compares: that files weigh
// differently at one compression ratio, that numbers are stored in different formats, and that the
// model's own file holds fewer bits than the 16 a weight that every ratio counts against.
#pragma once

#include <string>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

// runs: those on show. With what source_note.h says of their models.
std::vector<std::string> storageNotes(const std::vector<const RunRow*>& runs);

// Runs of which no ratio was requested stand beside others at every ratio: what theirs is as
// measured, and that they are no rivals. Precondition: there are some.
std::string withoutRatioNote(const std::vector<const RunRow*>& runs);

// "16-bit dictionary, 14-bit coefficients (short exponents)"; "16-bit factors"; "8-bit left factor,
// 10-bit right factor (short exponents)"; "integers with 16-bit scales"; "16-bit weights in
// the blocks that are kept"; "16-bit dictionary, coefficients in bits by the matrix" where each has
// its own ρ; empty for dense and foreign runs.
std::string numberFormat(const RunRow& run);

}  // namespace cospadi
