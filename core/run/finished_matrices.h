// The matrices of a run that are done, and how far it is by the work of those that are left.
// Thread-safe from the first add() on.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/forms/matrix_record.h"
#include "core/methods/layer_groups.h"

namespace cospadi {

class FinishedMatrices {
  public:
    // Of an earlier start.
    void take(const MatrixRecord& record) { m_records[record.name] = record; }
    // What this start has to do.
    void expect(const std::vector<LayerUnit>& units);

    bool contains(const std::string& layer) const;
    std::size_t size() const;
    // Of the layers that are done, in their order.
    std::vector<MatrixRecord> records(const std::vector<LayerInfo>& layers) const;

    // Of the stage "compress", after `seconds` of it, `total` matrices in all.
    Progress add(const LayerUnit& unit, const std::vector<MatrixRecord>& records, double seconds,
                 std::size_t total);

  private:
    mutable std::mutex m_mutex;
    std::map<std::string, MatrixRecord> m_records;
    double m_totalWork = 0;
    double m_doneWork = 0;
};

}  // namespace cospadi
