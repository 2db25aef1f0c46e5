// The `cospadi compress` command that makes a run of a specification: shown by the window before a
// run starts, and in the card of an exported model.
#pragma once

#include <string>
#include <vector>

#include "core/store/run_specification.h"

namespace cospadi {

// The words after `cospadi`. Options at their defaults are left out, except the method, the layers,
// CR and ρ, and so are settings that do not count.
std::vector<std::string> compressWords(const RunSpecification& specification);

// "cospadi compress …", as it is typed elsewhere: files by their names. In printable text.
std::string commandElsewhere(RunSpecification specification);

}  // namespace cospadi
