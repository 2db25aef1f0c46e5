#include "core/report/run_labels.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/methods/method.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"
#include "core/store/stated_compression.h"

namespace cospadi {

std::string methodLabel(const RunRow& run, const std::set<std::string>& shown) {
    if (shown.empty()) {
        if (const std::string label = specifiedLabelOf(run); !label.empty()) {
            return label;
        }
    } else if (const auto specification = specificationOf(run)) {
        return methodLabel(*specification, shown);
    }
    const std::optional<StatedCompression> stated = statedCompressionOf(run);
    return stated ? importedLabel(*stated) : run.method;
}

std::string modelLabel(const RunRow& run) {
    return std::filesystem::path(run.model).filename().string();
}

std::string modelIdentity(const RunRow& run) {
    return run.modelSha256.empty() ? run.model : run.modelSha256;
}

std::string layersLabel(const RunRow& run) {
    return run.layers.empty() || run.layers == ".*" ? "all" : run.layers;
}

int methodRank(const std::string& label) {
    const auto placeOf = [](const Method* method) {
        return std::find(methods().begin(), methods().end(), method) - methods().begin();
    };
    const Method* method = findMethod(label.substr(0, label.find(' ')));
    // Ours are the usual one and that without calibration, which stands before it.
    const auto place = method != nullptr ? 2 * placeOf(method)
                                         : 2 * placeOf(&usualMethod().withoutCalibration()) - 1;
    const auto is = [&](const char* solver) { return label.find(solver) != std::string::npos; };
    const bool byKsvd = is("(ksvd") || is("(mod") || is("(paper");
    return static_cast<int>(2 * place) + (byKsvd ? 0 : 1);
}

}  // namespace cospadi
