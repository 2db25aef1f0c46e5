// The settings of a run as flags, from their descriptions (core/methods/option.h).
#pragma once

#include <map>
#include <string>

#include "app/cli/session.h"
#include "core/methods/option.h"
#include "core/store/run_specification.h"

namespace cospadi::cli {

// --ratios: a ratio of its own for every matrix that a file names.
enum class RatiosFlag { Without, With };

// A flag for every option of every method, which sets its field of `specification`, and all that
// else says what a run does: MODEL, --preset, --method, --layers, --effort, and the calibration.
// Specification and command outlive them.
void addRunFlags(Command command, RunSpecification& specification, RatiosFlag ratios);

// {"LAYER": CR, …}, or an object of which that is the field "ratios", or the run.json of a run that
// was given some. Throws Error naming the file and layer.
std::map<std::string, double> ratiosIn(const std::string& file);

// Why this text is no value of the option's type; empty where it is one. Ranges are validate()'s.
std::string typeProblem(const Option& option, const std::string& text);

}  // namespace cospadi::cli
