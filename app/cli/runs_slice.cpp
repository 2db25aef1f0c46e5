// `cospadi runs slice`: some layers of a finished run as a run of their own.
#include <fmt/format.h>

#include "app/cli/result_json.h"
#include "app/cli/run_command.h"
#include "app/cli/runs.h"
#include "core/report/global_ratio.h"
#include "core/run/slice_run.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

int slice(const Session& session, const std::string& word, const std::string& layers,
          const std::vector<std::string>& tags) {
    requireStore();
    const std::filesystem::path source = storedRunDirectory(word);
    RunProgress progress;
    const DerivedRun made = sliceRun(
        source, layers, [&](const nlohmann::json& event) { showAndIndex(progress, event, tags); });
    progress.clear();
    const RunSummary& run = made.summary;
    indexRun(run.directory, tags);
    const RunRow row = RunStore::open(storePath()).find(run.id);
    const GlobalRatio global = globalRatioOf(row);
    session.print(
        fmt::format("{}{}\n{}, {} on disk, {} as bf16; CR {:.4f} of these layers{}\n", run.id,
                    made.wasThere ? " (already made)" : "",
                    counted(run.matrices, "matrix", "matrices"),
                    humanBytes(static_cast<double>(run.bytes)),
                    humanBytes(static_cast<double>(run.denseBytes)), row.measuredRatio(),
                    global.isKnown() ? fmt::format(", {:.4f} of the whole model", global.ratio)
                                     : ", of the whole model unknown: its file is missing"),
        {{"run", run.id},
         {"directory", run.directory.string()},
         {"layers", row.layers},
         {"was_there", made.wasThere},
         {"matrices", run.matrices},
         {"bytes", run.bytes},
         {"dense_bytes", run.denseBytes},
         {"relative_error", numberOrNull(run.relativeError)},
         {"measured_cr", numberOrNull(row.measuredRatio())},
         {"global_cr", numberOrNull(global.ratio)}});
    return kOk;
}

}  // namespace

void addRunsSlice(Command runs, Session& session) {
    const RunVerb verb = addRunVerb(
        runs, "slice", "Make a new run from some layers of a finished run; the others are dense");
    auto layers = std::make_shared<std::string>();
    auto tags = std::make_shared<std::vector<std::string>>();
    verb.command
        .addOption("--layers", *layers,
                   "Regular expression searched in names such as blk.10.ffn_up; the paper's UG: "
                   "ffn_(up|gate)")
        .required();
    verb.command.addOption("--tag", *tags, "Tag the run; may be given several times").oneWordEach();
    finishCommand(verb.command, session, [&session, word = verb.run, layers, tags] {
        return slice(session, *word, *layers, *tags);
    });
}

}  // namespace cospadi::cli
