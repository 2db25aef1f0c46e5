// The processes at work on jobs of a sweep file: what they tell, and their ends.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/cluster/sweep_contract.h"

namespace cospadi {

// The processes of this machine that work on `jobs`, or compute a calibration that one of these
// starts from, are asked to end, as by SIGTERM: matrices in work are dropped, finished ones stay. A
// process that computes a calibration for another job of its own is left alone. How many were
// asked.
std::size_t stopProcesses(const SweepContract& contract, const std::vector<std::size_t>& jobs);

// Every line of the events.jsonl of a job's run, from the first on and then as they are appended,
// by whatever machine (at most half a second after they are seen from here), until no process is at
// work on the job any more. A line that is not whole yet is left out.
void followEvents(const SweepContract& contract, std::size_t job,
                  const std::function<void(std::string_view)>& onLine,
                  const std::stop_token& stop = {});

}  // namespace cospadi
