// `cospadi runs import-external`: runs of MLflow, W&B and TensorBoard as external ones.
#include <fmt/format.h>

#include <filesystem>

#include "app/cli/runs.h"
#include "app/cli/stated_flags.h"
#include "core/base/error.h"
#include "core/base/printable_text.h"
#include "core/records/external_records.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

struct ExternalImport {
    std::filesystem::path source;
    StatedFlags stated;
};

nlohmann::json trackedJson(const TrackedRun& tracked, const std::string& id) {
    nlohmann::json metrics = nlohmann::json::object();
    for (const auto& [name, points] : tracked.metrics) {
        if (!points.empty()) {
            metrics[name] = points.back().value;
        }
    }
    return {{"run", id},
            {"tracker", tracked.tracker},
            {"id", tracked.id},
            {"name", tracked.name},
            {"status", tracked.status},
            {"parameters", tracked.parameters.size()},
            {"metrics", metrics}};
}

int importExternal(const Session& session, const ExternalImport& options) {
    options.stated.check();
    const std::vector<TrackedRun> found = trackedRunsAt(options.source);
    ExternalModel external;
    if (options.stated.given()) {
        external = options.stated.model();
        if (found.size() > 1) {
            throw Error(
                fmt::format("holds {} runs, but --method describes a single model", found.size()),
                options.source.string(), "import them one by one, or without --method");
        }
    }
    RunStore store = RunStore::open(storePath());
    std::string text;
    nlohmann::json imported = nlohmann::json::array();
    for (const TrackedRun& tracked : found) {
        const std::string id = store.importRun(writeTrackedRun(runsDirectory(), tracked, external));
        std::size_t points = 0;
        for (const auto& [name, series] : tracked.metrics) {
            points += series.size();
        }
        text += fmt::format("{}  {} {}: {}, {}\n", id, tracked.tracker,
                            printableLine(tracked.name.empty() ? tracked.id : tracked.name),
                            counted(static_cast<std::int64_t>(tracked.metrics.size()), "metric"),
                            counted(static_cast<std::int64_t>(points), "point"));
        imported.push_back(trackedJson(tracked, id));
        for (const std::string& note : tracked.notes) {
            fmt::print(stderr, "skipped: {}\n", printableLine(note));
        }
    }
    session.print(text, {{"imported", imported}});
    return kOk;
}

}  // namespace

void addRunsImportExternal(Command runs, Session& session) {
    const Command command = runs.addCommand(
        "import-external", "Import runs of MLflow, W&B (offline) or TensorBoard as external runs");
    auto options = std::make_shared<ExternalImport>();
    command
        .addOption("FROM", options->source,
                   "mlruns, an experiment or run of it; a wandb folder or .wandb file; a folder "
                   "with event files")
        .required();
    options->stated.addTo(command,
                          "The model that was compressed: a path, default, or a name [the "
                          "parameter model of the run]");
    finishCommand(command, session,
                  [&session, options] { return importExternal(session, *options); });
}

}  // namespace cospadi::cli
