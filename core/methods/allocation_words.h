// What the rules are called by which a run's bytes are shared between its layers: the words of the
// option `allocation`, and so of the command line, specifications, tables and the Plan page. What
// the rules do stands in core/allocation, a later room: each takes its words from here.
#pragma once

#include <string>
#include <vector>

namespace cospadi {

struct AllocationWords {
    const char* name;     // on the command line and in files
    const char* title;    // in the window
    const char* summary;  // what it does, in a line
    const char* source;   // where it is published; "" where it is the program's own
    const char* label;    // of a run that is not as usual, beside the words of its method
};

// In the order of help texts, the usual one first.
const std::vector<AllocationWords>& allocationWords();
const AllocationWords* findAllocationWords(const std::string& name);  // null where there are none
// Throws Error listing the names.
const AllocationWords& allocationWordsOf(const std::string& name);

}  // namespace cospadi
