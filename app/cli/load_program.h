// `cospadi load` as a process of its own, as `bench serving` and `reproduce` start it: what users
// take of the machine is then no part of the server's process.
#pragma once

#include <string>

#include "core/serving/throughput_study.h"

namespace cospadi::cli {

// The program that runs now, started anew for each point. Throws Error with what it said where it
// fails.
LoadProgram loadOutside(const std::string& text);

}  // namespace cospadi::cli
