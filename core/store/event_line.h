// One line of events.jsonl, read without building a tree: a finished run has thousands, most of
// their bytes usage counts that nobody here asks for.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/store/run_row.h"

namespace cospadi {

// Views into the line. Absent fields keep their default.
struct EventLine {
    std::string_view event;
    std::string_view matrix;
    std::string_view phase;
    double iteration = unknownNumber;
    double relativeError = unknownNumber;
    double heldOutError = unknownNumber;
    double seconds = 0;
    double usageEntropy = 0;
    double deadAtoms = 0;
    double supportChanges = 0;
};

// Reads a flat JSON object in any order of its fields; flat arrays are passed over unread. False
// where the line is anything else (an escape, an object inside, half a line): then a complete
// parser must decide.
bool readEventLine(std::string_view line, EventLine& read);

}  // namespace cospadi
