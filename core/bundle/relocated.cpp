#include "core/bundle/relocated.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/sha256.h"
#include "core/model/model_locator.h"
#include "core/run/resolve_specification.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

bool isFile(const fs::path& path) {
    std::error_code unreadable;
    return fs::is_regular_file(path, unreadable);
}

// A model may be a folder.
bool isThere(const fs::path& path) {
    std::error_code unreadable;
    return fs::exists(path, unreadable);
}

}  // namespace

fs::path textOfHash(const fs::path& text, const std::string& sha256) {
    if (isFile(text) && (sha256.empty() || sha256OfFile(text) == sha256)) {
        return text;
    }
    for (const std::string& word : textNames()) {
        if (fs::path shipped = namedText(word); sha256OfFile(shipped) == sha256) {
            return shipped;
        }
    }
    throw Error(isFile(text) ? "differs from the text of the run" : "does not exist", text.string(),
                fmt::format("put the text with the sha256 {} there",
                            sha256.empty() ? "given on the bundle's page" : sha256));
}

RunSpecification relocated(const RunRow& run, const std::string& model) {
    std::optional<RunSpecification> specification = specificationOf(run);
    if (!specification) {
        throw Error("was made by another program", run.id,
                    "its numbers are in results.csv; they cannot be reproduced here");
    }
    const std::string expected = specification->modelSha256;
    specification->model = !model.empty()                  ? model
                           : isThere(specification->model) ? specification->model
                                                           : "default";
    specification->modelSha256.clear();
    if (isCalibrated(*specification)) {
        specification->calibration.text =
            textOfHash(specification->calibration.text, specification->calibration.textSha256)
                .string();
    }
    RunSpecification here = resolved(*specification);
    if (!expected.empty() && here.modelSha256 != expected) {
        throw Error(fmt::format("is not the model {}, which has the sha256 {}",
                                fs::path(run.model).filename().string(), expected),
                    here.model, "give the model's file after the folder");
    }
    static_cast<void>(layersOf(here));
    return here;
}

}  // namespace cospadi
