// The calibrations that jobs of a sweep file share: which of them processes are computing, and for
// which jobs. Whoever computes one holds its lease; a process that does nothing else (the stage
// calibrate) holds no lease of a job.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "core/cluster/lease.h"
#include "core/cluster/sweep_contract.h"
#include "core/store/run_specification.h"

namespace cospadi {

// What the Gram matrices are kept under (gram_cache.h) from which a run of this resolved
// specification starts; empty where it needs none. Throws Error where the text cannot be read.
std::string calibrationKeyOf(const RunSpecification& specification);

class CalibrationsAtWork {
  public:
    // Those whose newest attempt `isAtWork`. contract: outlives this.
    CalibrationsAtWork(const SweepContract& contract,
                       const std::function<bool(const Attempt&)>& isAtWork);

    bool empty() const { return m_attempts.empty(); }
    // At that of a job. Null where nobody is, or where the job's text cannot be read here. Reads
    // each text once.
    const Attempt* of(std::size_t job);

  private:
    const std::string& keyOf(const RunSpecification& specification);

    const SweepContract& m_contract;
    std::map<std::string, Attempt> m_attempts;  // by key
    std::map<std::string, std::string> m_keys;  // by what the specifications have in common
};

}  // namespace cospadi
