// cospadi and cospadi-free: sparse dictionary learning of W_L (the paper, Algorithm 1), or of W
// itself (CoSpaDi†, table 3), by the solvers `fast` and `ksvd`.
#pragma once

#include "core/methods/method.h"

namespace cospadi {

const Method& cospadiMethod();
const Method& cospadiFreeMethod();

}  // namespace cospadi
