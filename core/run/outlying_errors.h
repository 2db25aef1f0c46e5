// Matrices of a run whose error stands out: one of them can spoil a whole model, and a mean over
// all hides it.
#pragma once

#include <string>
#include <vector>

#include "core/forms/matrix_record.h"

namespace cospadi {

struct OutlyingError {
    std::string matrix;
    double error = 0;
    double median = 0;  // of the matrices of its kind
};

// Those with more than four times the median error of their kind, where there are at least five of
// it, and no less than 0.02: below that the next layers' errors drown it.
std::vector<OutlyingError> outlyingErrors(const std::vector<MatrixRecord>& records);

}  // namespace cospadi
