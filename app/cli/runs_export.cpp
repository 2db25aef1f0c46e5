// `cospadi runs export`: runs as one archive for another machine.
#include <fmt/format.h>

#include "app/cli/runs.h"
#include "core/run/run_archive.h"
#include "core/store/locations.h"
#include "core/store/run_id.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

int exportRuns(const Session& session, const std::vector<std::string>& ids, std::string out,
               const ArchiveOptions& options) {
    const RunStore store = RunStore::openForReading(storePath());
    std::vector<RunToArchive> runs;
    for (const std::string& id : ids) {
        const RunRow run = store.find(id);
        requireRunId(run.id, store.path().string());  // it names files here
        runs.push_back({run.id, store.directoryOf(run.id), store.annotations(run.id)});
    }
    out = out.empty() ? runs.front().id + ".tar" : out;
    const std::int64_t bytes = writeRunArchive(out, runs, options);
    session.print(fmt::format("{}  {}\nTake it in elsewhere with: cospadi runs import {}\n", out,
                              humanBytes(static_cast<double>(bytes)), out),
                  {{"path", out}, {"bytes", bytes}, {"runs", runs.size()}});
    return kOk;
}

}  // namespace

void addRunsExport(Command runs, Session& session) {
    auto ids = std::make_shared<std::vector<std::string>>();
    auto out = std::make_shared<std::string>();
    auto archiving = std::make_shared<ArchiveOptions>();
    const Command command =
        runs.addCommand("export", "Runs as one .tar, with tags and notes, for another machine");
    command.addOption("RUN", *ids, "Ids, beginnings of them, or directories").required();
    command.addOption("--out", *out, "The file [ID.tar]");
    command.addFlag(
        "--no-matrices", [archiving] { archiving->matrices = false; },
        "Only the records: enough for reports, not for evaluating again");
    command.addFlag("--model", archiving->model, "The self-contained model folder too");
    finishCommand(command, session, [&session, ids, out, archiving] {
        return exportRuns(session, *ids, *out, *archiving);
    });
}

}  // namespace cospadi::cli
