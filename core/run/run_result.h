// result.json of a run (docs/formats.md).
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/forms/matrix_record.h"

namespace cospadi {

// Of all starts together, but calibration's.
struct RunSeconds {
    double compression = 0;
    double allocation = 0;
    double refinement = 0;
    double calibration = 0;  // of the latest start
};

// records: of all layers, in forward order.
nlohmann::json resultRecord(const std::vector<MatrixRecord>& records, const RunSeconds& seconds);

}  // namespace cospadi
