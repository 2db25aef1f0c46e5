// Finished layers by what they share.
#pragma once

#include <vector>

#include "core/forms/matrix_record.h"

namespace cospadi {

// A layer's record, or those of layers that share a factor.
using SourceUnit = std::vector<const MatrixRecord*>;

// In the order of their first layers; they point into `records`.
std::vector<SourceUnit> sourceUnits(const std::vector<MatrixRecord>& records);

}  // namespace cospadi
