// What the records of a run say that its user should know: of single matrices, and of the run as a
// whole.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/forms/matrix_record.h"
#include "core/store/run_specification.h"

namespace cospadi {

using WarningCallback = std::function<void(const std::string& matrix, const std::string& message)>;

// Errors that stand out from their kind (outlying_errors.h), or that another run among those in
// `runs` undercut in fewer bytes (smaller_runs.h).
void warnOfErrors(const RunSpecification& specification, const std::vector<MatrixRecord>& records,
                  const std::filesystem::path& runs, const WarningCallback& warning);

// Matrices that another version of the program made, which may compute other bits. layers: of the
// whole run.
void warnOfOtherRevisions(const std::vector<MatrixRecord>& records, std::size_t layers,
                          const WarningCallback& warning);

}  // namespace cospadi
