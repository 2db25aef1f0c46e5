#include "core/report/global_ratio.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/model/weight_source.h"
#include "core/store/run_specification.h"

namespace cospadi {

namespace {

// Of all linear layers of a model as bf16; 0 where it cannot be read. A file that was replaced
// since is read again.
std::int64_t linearBytesOf(const std::string& model) {
    static std::mutex mutex;
    static std::map<std::string, std::pair<std::filesystem::file_time_type, std::int64_t>> known;
    std::error_code failed;
    const auto changed = std::filesystem::last_write_time(model, failed);
    if (failed) {
        return 0;
    }
    const std::scoped_lock lock(mutex);
    const auto found = known.find(model);
    if (found != known.end() && found->second.first == changed) {
        return found->second.second;
    }
    std::int64_t bytes = 0;
    try {
        for (const LayerInfo& layer : WeightSource::open(model).layers()) {
            bytes += 2 * layer.d1 * layer.d2;
        }
    } catch (const Error&) {  // no model, or one that is being written
        return 0;
    }
    known[model] = {changed, bytes};
    return bytes;
}

}  // namespace

double globalRatio(std::int64_t bytes, std::int64_t denseBytes, std::int64_t allBytes) {
    if (allBytes <= 0 || allBytes < denseBytes) {
        return unknownNumber;
    }
    const std::int64_t untouched = allBytes - denseBytes;
    return 1 - static_cast<double>(bytes + untouched) / static_cast<double>(allBytes);
}

GlobalRatio globalRatioOf(const RunRow& run) {
    GlobalRatio global;
    if (run.method == "dense") {
        global.ratio = 0;
        return global;
    }
    if (run.denseBytes <= 0) {
        return global;
    }
    const bool all = run.status == "finished" && run.layers == RunSpecification().layers;
    global.allBytes = all ? run.denseBytes : linearBytesOf(run.model);
    global.ratio = globalRatio(run.layerBytes, run.denseBytes, global.allBytes);
    global.isPartial = run.denseBytes < global.allBytes;
    return global;
}

}  // namespace cospadi
