// Our steps of ksvd against those of other programs, on the same matrices and threads in the same
// run (resources/bench/dictionary_peers.py).
#pragma once

#include <string>
#include <vector>

#include "app/cli/bench/bench_checks.h"
#include "core/linalg/cpu_backend.h"

namespace cospadi::cli {

// w (d1, d2) whitened; the dictionary is the one after an iteration of ksvd. Appends a check a
// measurement: peer's seconds over ours, at least 1; ratio 1 is a tie. Returns lines on what the
// peers' results were and which peers are missing. Throws Error where the Python does not answer.
std::string compareSteps(CpuBackend& backend, const Matrix& w, std::int64_t k, std::int64_t s,
                         const std::string& python, std::vector<Check>& checks);

}  // namespace cospadi::cli
