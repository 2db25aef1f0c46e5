// The pattern of a mask in the metadata of a matrix file: N as "kept" and M as "group".
#pragma once

#include "core/base/nm_pattern.h"
#include "core/forms/matrix_tensors.h"

namespace cospadi {

void describePattern(const NmPattern& pattern, MatrixTensors& tensors);
// Unstructured where nothing is said of it. Throws Error naming the file where it is no pattern.
NmPattern patternOf(const StoredTensors& file);

}  // namespace cospadi
