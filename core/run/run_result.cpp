#include "core/run/run_result.h"

#include <algorithm>
#include <optional>

#include "core/forms/forms.h"
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
    std::optional<PhaseSeconds> phases = PhaseSeconds();
    std::int64_t multiplications = 0;
    for (const MatrixRecord& record : records) {
        matrices.push_back(toJson(record));
        bytes += record.bytes;
        denseBytes += record.denseBytes;
        source.add(record.sourceType, record.sourceBytes);
        errors += record.relativeError;
        heldOut = heldOut && record.heldOutError;
        heldOutErrors += record.heldOutError.value_or(0);
        coreSeconds += record.coreSeconds;
        phases = phases && record.phases ? std::optional(*phases += *record.phases) : std::nullopt;
        multiplications += record.multiplications;
    }
    // Of all matrices, or not at all: some may be of an older program's start.
    const bool countsAll =
        !records.empty() &&
        std::all_of(records.begin(), records.end(), [](const MatrixRecord& record) {
            return record.multiplications > 0 || isRemoved(record.form);
        });
    const auto count = static_cast<double>(std::max<std::size_t>(1, records.size()));
    nlohmann::json result{
        {"status", "finished"},
        {"seconds", seconds.allocation + seconds.compression + seconds.refinement},
        {"core_seconds", coreSeconds},
        {"allocation_seconds", seconds.allocation},
        {"calibration_seconds", seconds.calibration},
        {"bytes", bytes},
        {"dense_bytes", denseBytes},
        {"relative_error", errors / count},
        {"matrices", matrices}};
    if (seconds.refinement > 0) {
        result["refinement_seconds"] = seconds.refinement;
    }
    if (heldOut) {
        result["held_out_error"] = heldOutErrors / count;
    }
    if (phases && !records.empty()) {
        result["coding_seconds"] = phases->coding;
        result["dictionary_seconds"] = phases->dictionary;
    }
    if (countsAll) {
        result["multiplications"] = multiplications;
    }
    if (source.known()) {
        result["source_type"] = source.types();
        result["source_bytes"] = source.bytes();
    }
    return result;
}

}  // namespace cospadi
