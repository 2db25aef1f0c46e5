// The matrices of a run that are done, and how long it still takes.
// Thread-safe from the first add() on.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/forms/matrix_record.h"
#include "core/methods/layer_groups.h"
#include "core/run/time_left.h"

namespace cospadi {

class FinishedMatrices {
  public:
    // Of an earlier start.
    void take(const MatrixRecord& record) { m_records[record.name] = record; }
    // What this start has to do, and the work of it (solverWork()).
    void expect(const LayerUnit& unit, double work) { m_left.expect(unit.id(), work); }

    bool contains(const std::string& layer) const;
    std::size_t size() const;
    // Of the layers that are done, in their order.
    std::vector<MatrixRecord> records(const std::vector<LayerInfo>& layers) const;

    // Of the stage "compress", after `seconds` of it, `total` matrices in all: a share of the
    // unit's work is done, or all of it.
    Progress reached(const LayerUnit& unit, double share, double seconds, std::size_t total);
    Progress add(const LayerUnit& unit, const std::vector<MatrixRecord>& records, double seconds,
                 std::size_t total);

  private:
    Progress reachedWithin(const LayerUnit& unit, double share, double seconds, std::size_t total);

    mutable std::mutex m_mutex;
    std::map<std::string, MatrixRecord> m_records;
    TimeLeft m_left;
};

}  // namespace cospadi
