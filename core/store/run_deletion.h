// A run with its files, gone for good.
#pragma once

#include <string>

#include "core/store/run_store.h"

namespace cospadi {

// run: its whole id. Throws Error while a process writes it, and where its directory is gone or
// holds another run.
void deleteRunWithFiles(RunStore& store, const std::string& run);

}  // namespace cospadi
