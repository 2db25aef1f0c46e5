// Whether an entry refers to what there is, found when it is read and not after hours of runs.
#pragma once

#include "core/reproduce/reproduction.h"

namespace cospadi {

// Throws Error naming the field. An entry that is not available yet may name presets that are
// not there yet.
void requireSound(const Reproduction& entry);

}  // namespace cospadi
