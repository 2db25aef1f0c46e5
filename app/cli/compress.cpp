#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "app/cli/specification_flags.h"
#include "core/methods/method.h"
#include "core/run/run_beginning.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

struct CompressOptions {
    RunSpecification specification;
    DeviceOptions device;
    std::string out;
    bool noModel = false;
    bool model = false;
    std::vector<std::string> tags;
};

// Without --out the same command finds its unfinished run again.
void goOnWithEarlier(const RunBeginning& beginning, CompressOptions& options) {
    beginning.requireIdle();
    if (const auto& run = beginning.earlier()) {
        options.specification = goingOn(*run, options.specification);
        options.out = run->directory.string();
        fmt::print(stderr, "resuming {}, {} done\n", options.out,
                   counted(run->matrices, "matrix", "matrices"));
    }
}

int compress(const Session& session, CompressOptions options) {
    asUsage([&] { validate(options.specification); });
    RunExecution execution;
    execution.writeModel = !options.noModel;
    execution.partialModel = options.model;
    execution.device = options.device.open();
    std::optional<RunBeginning> beginning;
    if (options.out.empty()) {
        // First what takes time, or the same lock: the hash of the model, an index that is adopted.
        options.specification = resolved(options.specification);
        const std::filesystem::path runs = runsDirectory();
        beginning.emplace(options.specification, runs, FinishedRuns::PassOver,
                          runsElsewhere(RunStore::open(storePath()), runs));
        goOnWithEarlier(*beginning, options);
        execution.onOpened = [&beginning] { beginning.reset(); };
    }
    const RunSummary run =
        runWithProgress(session, options.specification, options.out, execution, options.tags);
    nlohmann::json object{
        {"run", run.id},
        {"directory", run.directory.string()},
        {"termination", run.termination == Termination::Cancelled ? "cancelled" : "finished"},
        {"matrices", run.matrices},
        {"bytes", run.bytes},
        {"dense_bytes", run.denseBytes},
        {"source_type", run.sourceType},
        {"source_bytes", run.sourceBytes},
        {"relative_error", run.relativeError},
        {"whitened", isCalibrated(options.specification)},
        {"seconds", run.seconds},
        {"model_bytes", run.modelBytes}};
    if (run.heldOutError) {
        object["held_out_error"] = *run.heldOutError;
    }
    std::string gained;
    if (isRefined(options.specification) && run.termination != Termination::Cancelled) {
        const RefinementGain gain = refinementGainIn(run.directory);
        gained = gainText(gain);
        object["held_out_before"] = gain.before;
        object["held_out_after"] = gain.after;
    }
    if (run.termination == Termination::Cancelled) {
        session.print(
            fmt::format("cancelled after {}, kept in {}\n"
                        "Run the same command again to resume.\n",
                        counted(run.matrices, "matrix", "matrices"), run.directory.string()),
            object);
        return kCancelled;
    }
    const double ratio = run.denseBytes > 0 ? 1 - static_cast<double>(run.bytes) /
                                                      static_cast<double>(run.denseBytes)
                                            : 0;
    session.print(
        fmt::format(
            "{}: {} on disk, {} as bf16{}; CR {:.4f} against bf16 as measured, {}{}{}{}\n"
            "run {}\n{}\n{}",
            counted(run.matrices, "matrix", "matrices"), humanBytes(static_cast<double>(run.bytes)),
            humanBytes(static_cast<double>(run.denseBytes)),
            run.sourceBytes == 0
                ? ""
                : fmt::format(", {} in the model's file ({})",
                              humanBytes(static_cast<double>(run.sourceBytes)), run.sourceType),
            ratio,
            std::isfinite(run.relativeError) ? fmt::format("mean error {:.4f}, ", run.relativeError)
                                             : "",
            run.heldOutError ? fmt::format("{:.4f} on held-out text, ", *run.heldOutError) : "",
            humanSeconds(run.seconds), gained, run.id, run.directory.string(),
            run.modelBytes == 0 ? ""
                                : fmt::format("{}, {}: the whole model, self-contained\n",
                                              (run.directory / "model").string(),
                                              humanBytes(static_cast<double>(run.modelBytes)))),
        object);
    return kOk;
}

}  // namespace

void addCompress(Command app, Session& session) {
    const Command command = app.addCommand(
        "compress", "Compress the chosen layers of a model; resumes an unfinished run");
    auto options = std::make_shared<CompressOptions>();
    addRunFlags(command, options->specification, RatiosFlag::With);
    options->device.addTo(command);
    command.addOption("--out", options->out,
                      "Directory of the run [a new one in the runs directory]");
    command
        .addOption("--tag", options->tags, "Tag the run in the store; may be given several times")
        .oneWordEach();
    const Argument noModel = command.addFlag("--no-model", options->noModel,
                                             "Do not write the self-contained folder OUT/model");
    command
        .addFlag("--model", options->model,
                 "Write the folder even if only some of the layers are compressed")
        .excludes(noModel);
    finishCommand(command, session, [&session, options] { return compress(session, *options); });
}

}  // namespace cospadi::cli
