// RTN, round to nearest: the weight in integers of b bits, a scale and, where wanted, a minimum for
// every group of g inputs of an output. Data-free; the baseline of every paper on quantisation.
//
//   minimum   scale = (max − min) / (2^b − 1), code = ⌊(w − min) / scale⌉
//   none      scale = 2 max|w| / (2^b − 1),    code = ⌊w / scale⌉ + 2^(b−1), clamped
// Scales and minimums are stored as float16 and rounded before the codes are found.
#pragma once

#include "core/methods/method.h"

namespace cospadi {

const Method& rtnMethod();

}  // namespace cospadi
