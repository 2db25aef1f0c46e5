#include "core/run/run_result.h"

#include <algorithm>

#include "core/store/source_bytes.h"

namespace cospadi {

nlohmann::json resultRecord(const std::vector<MatrixRecord>& records, const RunSeconds& seconds) {
    nlohmann::json matrices = nlohmann::json::array();
    std::int64_t bytes = 0;
    std::int64_t denseBytes = 0;
    SourceBytes source;
    double errors = 0;
    double heldOutErrors = 0;
    bool heldOut = !records.empty();
    double coreSeconds = 0;
    for (const MatrixRecord& record : records) {
        matrices.push_back(toJson(record));
        bytes += record.bytes;
        denseBytes += record.denseBytes;
        source.add(record.sourceType, record.sourceBytes);
        errors += record.relativeError;
        heldOut = heldOut && record.heldOutError;
        heldOutErrors += record.heldOutError.value_or(0);
        coreSeconds += record.coreSeconds;
    }
    const auto count = static_cast<double>(std::max<std::size_t>(1, records.size()));
    nlohmann::json result{{"status", "finished"},
                          {"seconds", seconds.allocation + seconds.compression},
                          {"core_seconds", coreSeconds},
                          {"allocation_seconds", seconds.allocation},
                          {"calibration_seconds", seconds.calibration},
                          {"bytes", bytes},
                          {"dense_bytes", denseBytes},
                          {"relative_error", errors / count},
                          {"matrices", matrices}};
    if (heldOut) {
        result["held_out_error"] = heldOutErrors / count;
    }
    if (source.known()) {
        result["source_type"] = source.types();
        result["source_bytes"] = source.bytes();
    }
    return result;
}

}  // namespace cospadi
