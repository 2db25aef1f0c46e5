// GeoPair: one dictionary for two layers, in the space of the weights, each layer's error in the
// metric of its own inputs (core/dictionary/pair_learning.h). Which layers are a pair `groups`
// says; a layer that it leaves alone has a dictionary of its own, found by the same steps.
//
// Known here from a description of the paper, neither from the paper nor from its code:
// docs/methods.md says what that leaves open, and what was taken.
#pragma once

#include "core/methods/method.h"

namespace cospadi {

const Method& geopairMethod();

}  // namespace cospadi
