// Matrices that another run stored in fewer bytes with a smaller error: more bytes should never
// cost more, and where they do, the run's own files say so.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/forms/matrix_record.h"
#include "core/store/run_specification.h"

namespace cospadi {

// Relative errors below it are what the digits of short coefficients leave, whatever the bytes.
inline constexpr double kRoundingError = 0.01;

struct BeatenMatrix {
    std::string matrix;
    double error = 0;
    double otherError = 0;  // the least that a run with fewer bytes for this matrix has
    std::string otherRun;   // its directory's name
};

// Against the finished runs directly below `runs` with the same settings but for ratio and layers.
// Errors that differ by less than 2 %, or are below kRoundingError, are
// equal. records: of the run, with their bytes. Runs that cannot be read are passed
// over.
std::vector<BeatenMatrix> beatenBySmallerRuns(const RunSpecification& specification,
                                              const std::vector<MatrixRecord>& records,
                                              const std::filesystem::path& runs);

}  // namespace cospadi
