#include "core/report/source_note.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/base/byte_text.h"
#include "core/report/run_labels.h"

namespace cospadi {

std::vector<std::string> sourceNotes(const std::vector<RunRow>& runs) {
    std::map<std::pair<std::string, std::string>, const RunRow*> sources;
    for (const RunRow& run : runs) {
        if (run.sourceBytes > 0 && run.sourceBytes < run.denseBytes && run.status == "finished") {
            sources.try_emplace({modelIdentity(run), layersLabel(run)}, &run);
        }
    }
    std::vector<std::string> notes;
    for (const auto& [key, run] : sources) {
        notes.push_back(fmt::format(
            "{}, layers {}: {} in the model's own file ({}), {} as bf16, the reference of cr",
            modelLabel(*run), layersLabel(*run), byteText(static_cast<double>(run->sourceBytes)),
            run->sourceType, byteText(static_cast<double>(run->denseBytes))));
    }
    return notes;
}

}  // namespace cospadi
