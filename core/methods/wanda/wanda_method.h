// Wanda (2306.11695): the weights of largest |W(i, j)| ‖X_i‖ are kept, compared within an output
// j, ‖X_i‖ = √G(i, i); none is changed.
//
// Unstructured the published code removes the same share of every output. Here every output keeps
// as many as the bytes allow, the first ones one more until they are used up.
#pragma once

#include "core/methods/method.h"

namespace cospadi {

const Method& wandaMethod();

}  // namespace cospadi
