// RTN, round to nearest: every group of inputs by itself (group_rounding.h). Data-free; the
// baseline of every paper on quantisation.
#pragma once

#include "core/methods/method.h"

namespace cospadi {

const Method& rtnMethod();

}  // namespace cospadi
