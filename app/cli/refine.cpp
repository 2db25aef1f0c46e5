// `cospadi refine`: a finished run's factors refined by the model's predictions.
#include <fmt/format.h>

#include "app/cli/mean_error_text.h"
#include "app/cli/result_json.h"
#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "core/run/refine_run.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

struct RefineOptions {
    std::string run;
    RefineSettings how;
    int threads = 0;
    std::vector<std::string> tags;
};

std::string refinedText(const DerivedRun& made, const RefinementGain& gain) {
    const RunSummary& run = made.summary;
    return fmt::format("{}{}\n{}{}, CR {:.4f} against bf16 as measured, {}\n", run.id,
                       made.wasThere ? " (already made)" : "", gainText(gain),
                       humanBytes(static_cast<double>(run.bytes)),
                       1 - static_cast<double>(run.bytes) / static_cast<double>(run.denseBytes),
                       meanErrorText(run.relativeError));
}

int refine(const Session& session, const RefineOptions& options) {
    asUsage([&] { validate(refinedSpecification(RunSpecification(), options.how)); });
    requireStore();
    const std::filesystem::path source = storedRunDirectory(options.run);
    DerivedRun made;
    {
        RunProgress progress;
        RunExecution execution;
        execution.threads = options.threads;
        execution.onEvent = [&](const nlohmann::json& event) {
            showAndIndex(progress, event, options.tags);
        };
        made = refineRun(source, options.how, execution, session.signals.token());
    }
    const RunSummary& run = made.summary;
    indexRun(run.directory, options.tags);
    const bool isCancelled = run.termination == Termination::Cancelled;
    nlohmann::json object{{"run", run.id},
                          {"directory", run.directory.string()},
                          {"was_there", made.wasThere},
                          {"matrices", run.matrices},
                          {"bytes", run.bytes},
                          {"dense_bytes", run.denseBytes},
                          {"relative_error", numberOrNull(run.relativeError)},
                          {"held_out_before", nullptr},
                          {"held_out_after", nullptr},
                          {"cancelled", isCancelled}};
    if (isCancelled) {
        session.print("Cancelled; run the same command again to resume\n", object);
        return kCancelled;
    }
    const RefinementGain gain = refinementGainIn(run.directory);
    object["held_out_before"] = gain.before;
    object["held_out_after"] = gain.after;
    session.print(refinedText(made, gain), object);
    return kOk;
}

}  // namespace

void addRefine(Command app, Session& session) {
    const Command command = app.addCommand(
        "refine",
        "Refine a finished run's factors towards the dense model's predictions, as a new run with "
        "the same supports, ranks and bytes. `compress --refine` does so while compressing");
    auto options = std::make_shared<RefineOptions>();
    command.addOption("RUN", options->run, "Id, a beginning of it, or the run's directory")
        .required();
    command
        .addOption("--sequences", options->how.sequences,
                   "Sequences of the run's calibration text to use; an eighth is held out")
        .showDefault();
    command
        .addOption("--rate", options->how.rate,
                   "Change of an entry per step, relative to its atom's size; decays to 0")
        .showDefault();
    command.addOption("--threads", options->threads, "0: all cores").showDefault();
    command.addOption("--tag", options->tags, "Tag the run; may be given several times")
        .oneWordEach();
    finishCommand(command, session, [&session, options] { return refine(session, *options); });
}

}  // namespace cospadi::cli
