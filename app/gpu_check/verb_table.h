// How long each verb takes at one shape, and what share that is of what the device could do: its
// product rate and its memory's, both measured first on the device itself.
#pragma once

#include <string>
#include <vector>

#include "gpu/verb_comparison.h"

namespace cospadi {

struct Ceilings {
    double flops = 0;  // a second, of a large float32 product
    double bytes = 0;  // a second, read and written by a large copy
};

struct VerbTiming {
    std::string verb;
    double seconds = 0;  // median
    double flops = 0;    // that the verb must do …
    double bytes = 0;    // … and must move, each operand once
    // The time that the ceilings allow, over the time it took; 0 where neither is counted.
    double share(const Ceilings& ceilings) const;
};

// edge: of the square matrices that are multiplied and copied.
Ceilings measureCeilings(Backend& backend, std::int64_t edge);
std::vector<VerbTiming> timeVerbs(Backend& backend, const VerbShape& shape);

}  // namespace cospadi
