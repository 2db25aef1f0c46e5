// The `cospadi compress` command that makes a run of a specification: shown by the window before a
// run starts, and in the card of an exported model.
#pragma once

#include <string>
#include <vector>

#include "core/store/run_specification.h"

namespace cospadi {

// The words after `cospadi`. Options at their defaults are left out, except the method, the layers,
// CR and ρ, and so are settings that do not count. Ratios of single matrices stand in a file:
// runFile, the run.json of a run of this specification. Of a run that was made of another they are
// those of the run that was solved; derived_step.h has its own command.
std::vector<std::string> compressWords(const RunSpecification& specification,
                                       const std::string& runFile = {});

// "cospadi compress …", as it is typed elsewhere: files by their names, the run's own run.json
// among them. In printable text.
std::string commandElsewhere(RunSpecification specification);

}  // namespace cospadi
