// Runs of the store taken together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

// Runs that agree in the fields that were asked for.
struct RunGroup {
    std::vector<std::string> values;  // one a field; numbers as text, empty where unknown
    std::int64_t runs = 0;
    double meanError = unknownNumber;  // over those that have one
    double bestError = unknownNumber;
    std::int64_t bytes = 0;  // of all of them
    double seconds = 0;
};

}  // namespace cospadi
