// What the solution of a matrix depends on besides the matrix and its metric, as one text: for
// results that are remembered.
#pragma once

#include <string>

#include "core/methods/matrix_options.h"

namespace cospadi {

// The method, and the settings that any method reads. Equal texts: equal results, to the bit.
std::string keyOf(const MatrixOptions& options);

}  // namespace cospadi
