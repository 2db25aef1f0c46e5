// `cospadi runs export`: runs as one archive for another machine.
#include <fmt/format.h>

#include "app/cli/runs.h"
#include "core/records/mlflow_export.h"
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
    session.print(fmt::format("{}  {}\nImport it elsewhere with: cospadi runs import {}\n", out,
                              humanBytes(static_cast<double>(bytes)), out),
                  {{"path", out}, {"bytes", bytes}, {"runs", runs.size()}});
    return kOk;
}

int exportMlflow(const Session& session, const std::vector<std::string>& ids,
                 const std::string& out, const ArchiveOptions& options,
                 const std::string& experiment) {
    const RunStore store = RunStore::openForReading(storePath());
    MlflowExportOptions how;
    how.matrices = options.matrices;
    how.experiment = experiment.empty() ? how.experiment : experiment;
    const std::filesystem::path folder = out.empty() ? "mlruns" : out;
    const MlflowExport made = exportToMlflow(folder, store, ids, how);
    nlohmann::json places = nlohmann::json::array();
    std::string text;
    for (const std::filesystem::path& run : made.runs) {
        places.push_back(run.string());
        text += run.string() + "\n";
    }
    session.print(
        fmt::format("{}{}, {}, in the experiment {}\n", text, counted(made.metrics, "metric"),
                    counted(made.points, "point"), how.experiment),
        {{"path", folder.string()},
         {"experiment", how.experiment},
         {"runs", places},
         {"metrics", made.metrics},
         {"points", made.points}});
    return kOk;
}

}  // namespace

void addRunsExport(Command runs, Session& session) {
    auto ids = std::make_shared<std::vector<std::string>>();
    auto out = std::make_shared<std::string>();
    auto format = std::make_shared<std::string>("tar");
    auto experiment = std::make_shared<std::string>();
    auto archiving = std::make_shared<ArchiveOptions>();
    const Command command = runs.addCommand(
        "export",
        "Export runs as a .tar with tags and notes for another machine, or as an MLflow folder");
    command.addOption("RUN", *ids, "Ids, beginnings of them, or directories").required();
    command
        .addOption("--format", *format,
                   "tar: for `runs import`; mlflow: a folder with parameters, metrics by iteration "
                   "and files as artefacts")
        .oneOf({"tar", "mlflow"})
        .showDefault();
    command.addOption("--out", *out, "The file, or the MLflow folder [ID.tar; mlruns]");
    const Argument named = command.addOption("--experiment", *experiment,
                                             "MLflow: the experiment of the runs [CoSpaDi]");
    command.addFlag(
        "--no-matrices", [archiving] { archiving->matrices = false; },
        "Only the records: sufficient for reports, but not for evaluations");
    const Argument model = command.addFlag("--model", archiving->model,
                                           "tar: include the self-contained model folder");
    finishCommand(command, session, [=, &session] {
        if (*format == "mlflow") {
            if (model.count() > 0) {
                throw UsageError("applies to --format tar only", "--model", "omit it");
            }
            return exportMlflow(session, *ids, *out, *archiving, *experiment);
        }
        if (named.count() > 0) {
            throw UsageError("applies to --format mlflow only", "--experiment",
                             "add --format mlflow");
        }
        return exportRuns(session, *ids, *out, *archiving);
    });
}

}  // namespace cospadi::cli
