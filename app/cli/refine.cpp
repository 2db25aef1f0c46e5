// `cospadi refine`: a finished run's factors refined by the model's predictions.
#include <fmt/format.h>

#include <cmath>

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
    RefinementOptions how;
    RefineExecution execution;
    std::vector<std::string> tags;
};

std::string refinedText(const DerivedRun& made, const RefinementGain& gain) {
    const RunSummary& run = made.summary;
    return fmt::format(
        "{}{}\n"
        "Divergence from the dense model on held-out text: {:.4f} nats a token, {:.4f} before\n"
        "{}, CR {:.4f} against bf16 as measured, {}\n",
        run.id, made.wasThere ? " (made before)" : "", gain.after, gain.before,
        humanBytes(static_cast<double>(run.bytes)),
        1 - static_cast<double>(run.bytes) / static_cast<double>(run.denseBytes),
        std::isfinite(run.relativeError) ? fmt::format("mean error {:.4f}", run.relativeError)
                                         : "error not measured");
}

int refine(const Session& session, const RefineOptions& options) {
    asUsage([&] { options.how.validate(); });
    requireStore();
    const std::filesystem::path source = storedRunDirectory(options.run);
    RunProgress progress;
    const DerivedRun made = refineRun(
        source, options.how, options.execution,
        [&](const nlohmann::json& event) { showAndIndex(progress, event, options.tags); },
        session.signals.token());
    progress.clear();
    indexRun(made.summary.directory, options.tags);
    if (made.summary.termination == Termination::Cancelled) {
        session.print("Cancelled; start the same command to go on\n",
                      {{"run", made.summary.id}, {"cancelled", true}});
        return kCancelled;
    }
    const RefinementGain gain = refinementGainIn(made.summary.directory);
    session.print(refinedText(made, gain),
                  {{"run", made.summary.id},
                   {"directory", made.summary.directory.string()},
                   {"was_there", made.wasThere},
                   {"matrices", made.summary.matrices},
                   {"bytes", made.summary.bytes},
                   {"dense_bytes", made.summary.denseBytes},
                   {"relative_error", numberOrNull(made.summary.relativeError)},
                   {"held_out_before", gain.before},
                   {"held_out_after", gain.after},
                   {"cancelled", false}});
    return kOk;
}

}  // namespace

void addRefine(Command app, Session& session) {
    const Command command =
        app.addCommand("refine",
                       "A finished run's factors refined by the dense model's predictions, as a "
                       "run of its own; supports, ranks and bytes stay");
    auto options = std::make_shared<RefineOptions>();
    command.addOption("RUN", options->run, "Id, a beginning of it, or the run's directory")
        .required();
    command
        .addOption("--sequences", options->how.sequences,
                   "Sequences of the run's calibration text; an eighth is held out")
        .showDefault();
    command.addOption("--passes", options->how.passes, "Passes over those that are fitted")
        .showDefault();
    command
        .addOption("--step-sequences", options->how.stepSequences, "Sequences that a step goes by")
        .showDefault();
    command
        .addOption("--learning-rate", options->how.learningRate,
                   "A step's change of an entry, in sizes of its atom; it falls to 0")
        .showDefault();
    command.addOption("--seed", options->how.seed, "Of the orders of sequences").showDefault();
    command.addOption("--threads", options->execution.threads, "0: all cores").showDefault();
    command.addFlag("--calibrate", options->execution.calibrate,
                    "Where the calibration's Gram matrices are not cached, compute them again; "
                    "without them errors by layer are not measured");
    command.addOption("--tag", options->tags, "Tag the run; may be given several times")
        .oneWordEach();
    finishCommand(command, session, [&session, options] { return refine(session, *options); });
}

}  // namespace cospadi::cli
