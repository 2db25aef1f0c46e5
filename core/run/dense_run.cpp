#include "core/run/dense_run.h"

#include <fmt/format.h>

#include "core/exports/compressed_model.h"
#include "core/model/model_locator.h"
#include "core/run/compression_run.h"
#include "core/store/locations.h"

namespace cospadi {

std::filesystem::path denseRunOf(const std::string& model) {
    if (isCompressedFolder(locateModel(model))) {
        return {};
    }
    RunSpecification specification;
    specification.model = model;
    specification.method = &denseMethod();
    specification = resolved(specification);
    const std::filesystem::path source(specification.model);
    std::filesystem::path run =
        runsDirectory() /
        fmt::format("dense-{}-{}", source.stem().string(), specification.modelSha256.substr(0, 8));
    if (!std::filesystem::exists(run / "result.json")) {
        RunExecution execution;
        execution.writeModel = false;
        executeRun(specification, run, execution);
    }
    return run;
}

}  // namespace cospadi
