// `cospadi requantize`: a finished run's coefficients in fewer bits, with nothing solved again.
#include <fmt/format.h>

#include <functional>
#include <set>

#include "app/cli/mean_error_text.h"
#include "app/cli/result_json.h"
#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "core/methods/matrix_options.h"
#include "core/run/requantize_run.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

struct RequantizeOptions {
    std::string run;
    std::vector<std::int32_t> bits;
    Requantization how;
    std::vector<std::string> tags;
};

nlohmann::json requantizedJson(const DerivedRun& made, int bits, CoefficientRounding rounding) {
    const RunSummary& run = made.summary;
    return {{"run", run.id},
            {"directory", run.directory.string()},
            {"coefficient_bits", bits},
            {"rounding", name(rounding)},
            {"was_there", made.wasThere},
            {"matrices", run.matrices},
            {"bytes", run.bytes},
            {"dense_bytes", run.denseBytes},
            {"relative_error", numberOrNull(run.relativeError)}};
}

std::string requantizedText(const DerivedRun& made, int bits) {
    const RunSummary& run = made.summary;
    return fmt::format("{} bits: {}{}, {}, CR {:.4f} against bf16 as measured, {}\n", bits, run.id,
                       made.wasThere ? " (already made)" : "",
                       humanBytes(static_cast<double>(run.bytes)),
                       1 - static_cast<double>(run.bytes) / static_cast<double>(run.denseBytes),
                       meanErrorText(run.relativeError));
}

int requantize(const Session& session, const RequantizeOptions& options) {
    asUsage([&] {
        for (const std::int32_t bits : options.bits) {
            requireRequantizedBits(bits, "--coefficient-bits");
        }
    });
    requireStore();
    const std::filesystem::path source = storedRunDirectory(options.run);
    // All of them before the first is made.
    const FinishedRun run = openFinishedRun(source);
    const std::set<int, std::greater<>> widths(options.bits.begin(), options.bits.end());
    for (const int bits : widths) {
        requireRequantizable(run, bits);
    }
    std::string text;
    nlohmann::json made = nlohmann::json::array();
    bool cancelled = false;
    for (const int bits : widths) {
        Requantization how = options.how;
        how.bits = bits;
        RunProgress progress;
        const DerivedRun derived = requantizeRun(
            source, how,
            [&](const nlohmann::json& event) { showAndIndex(progress, event, options.tags); },
            session.signals.token());
        progress.clear();
        indexRun(derived.summary.directory, options.tags);
        if (derived.summary.termination == Termination::Cancelled) {
            text +=
                fmt::format("{} bits: cancelled after {}; run the same command again to resume\n",
                            bits, counted(derived.summary.matrices, "matrix", "matrices"));
            cancelled = true;
            break;
        }
        text += requantizedText(derived, bits);
        made.push_back(requantizedJson(derived, bits, how.rounding));
    }
    session.print(text, {{"from", run.id}, {"runs", made}, {"cancelled", cancelled}});
    return cancelled ? kCancelled : kOk;
}

}  // namespace

void addRequantize(Command app, Session& session) {
    const Command command = app.addCommand(
        "requantize",
        "Store a finished run's coefficients in fewer bits, as new runs; nothing is solved again");
    auto options = std::make_shared<RequantizeOptions>();
    command.addOption("RUN", options->run, "Id, a beginning of it, or the run's directory")
        .required();
    command
        .addOption("--coefficient-bits", options->bits,
                   fmt::format("Bits per coefficient, {} to {}; separated by commas, one run each",
                               kFewestRequantizedBits, kMostRequantizedBits))
        .delimiter(',')
        .required();
    command
        .addOption(
            "--rounding",
            [options](const std::string& word) {
                asUsage([&] { options->how.rounding = coefficientRoundingFromName(word); });
            },
            "truncate: cut off the mantissa's lowest bits, as in the paper; or nearest")
        .showDefault(name(options->how.rounding));
    command.addFlag("--calibrate", options->how.calibrate,
                    "Recompute the calibration's Gram matrices if they are not cached; without "
                    "them errors are not measured");
    command.addOption("--tag", options->tags, "Tag the runs; may be given several times")
        .oneWordEach();
    finishCommand(command, session, [&session, options] { return requantize(session, *options); });
}

}  // namespace cospadi::cli
