// The settings of a run as flags, from their descriptions (core/methods/option.h).
#pragma once

#include "app/cli/session.h"
#include "core/methods/option.h"
#include "core/store/run_specification.h"

namespace cospadi::cli {

// A flag for every option of every method, which sets its field of `specification`. Both outlive
// it.
void addSpecificationFlags(Command command, RunSpecification& specification);

// Why this text is no value of the option's type; empty where it is one. Ranges are validate()'s.
std::string typeProblem(const Option& option, const std::string& text);

}  // namespace cospadi::cli
