// `cospadi runs import`: runs into the index, from directories or from an archive of another
// machine.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "app/cli/run_command.h"
#include "app/cli/runs.h"
#include "core/base/error.h"
#include "core/base/printable_text.h"
#include "core/run/run_archive.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

void tellPassedOver(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) {
        fmt::print(stderr, "skipped: {}\n", printableLine(warning));
    }
}

int importArchive(const Session& session, const std::filesystem::path& archive) {
    RunStore store = RunStore::open(storePath());
    nlohmann::json ids = nlohmann::json::array();
    std::string text;
    std::vector<std::string> notes;
    RunsFromArchive runs = readRunArchive(archive, runsDirectory());
    std::optional<Error> problem;
    for (const RunToArchive& run : runs.taken) {
        try {
            ids.push_back(store.importRun(run.directory, &notes));
            text += fmt::format("{}\n", run.directory.string());
        } catch (const Error& error) {  // what the index does not take stays nowhere
            std::error_code ignored;
            std::filesystem::remove_all(run.directory, ignored);
            runs.refused.emplace_back(error.what());
            problem = error;
        }
    }
    if (ids.empty() && problem) {
        throw Error(*problem);
    }
    tellPassedOver(runs.refused);
    tell(notes);
    session.print(text, {{"imported", ids.size()}, {"runs", ids}, {"warnings", runs.refused}});
    return kOk;
}

int importRuns(const Session& session, const std::string& word) {
    const std::filesystem::path path = word.empty() ? runsDirectory() : std::filesystem::path(word);
    std::error_code unknown;  // of what cannot be looked at, reading says why
    if (std::filesystem::is_regular_file(path, unknown)) {
        return importArchive(session, path);
    }
    RunStore store = RunStore::open(storePath());
    ImportSummary summary;
    if (std::filesystem::exists(path / "run.json", unknown)) {
        store.importRun(path, &summary.notes);
        summary.imported = 1;
    } else {
        ProgressLine line;
        summary = store.importTree(path, session.progress(line));
    }
    tellPassedOver(summary.warnings);
    if (summary.imported == 0 && !word.empty()) {
        throw Error("there is no run to import here", path.string(),
                    "give a run's directory, a folder of runs, or a .tar of `runs export`");
    }
    tell(summary.notes);
    session.print(fmt::format("{} imported\n", counted(summary.imported, "run")),
                  {{"imported", summary.imported}, {"warnings", summary.warnings}});
    return kOk;
}

}  // namespace

void addRunsImport(Command runs, Session& session) {
    auto from = std::make_shared<std::string>();
    const Command command =
        runs.addCommand("import", "Import runs from directories or an exported file");
    command.addOption("FROM", *from,
                      "A run, a folder of runs, or a .tar of `runs export` [the runs directory]");
    finishCommand(command, session, [&session, from] { return importRuns(session, *from); });
}

}  // namespace cospadi::cli
