// SparseGPT (2301.00774): weights are removed input by input, and the inputs behind make up for
// what each of them leaves, with U of (G + 1 % of its mean diagonal)⁻¹ = UᵀU
// (inverseFactor()).
//
//   removed       of w(i, j)² / U(i, i)² the smallest, as the published code has it: unstructured
//                 within a block of 128 inputs over all outputs, at its begin; N:M within each
//                 group of M inputs of an output, when it is reached
//   made up for   w(k, j) −= w(i, j) / U(i, i) · U(i, k) for k > i
//
// What differs from that code: a layer keeps exactly as many as its bytes allow, shared evenly by
// the blocks, where the code removes a weight more for every block; what is kept is rounded to
// bfloat16 at the end.
#pragma once

#include "core/methods/method.h"

namespace cospadi {

const Method& sparseGptMethod();

}  // namespace cospadi
