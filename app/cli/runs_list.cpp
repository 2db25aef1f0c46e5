// `cospadi runs list`: the stored runs, or counts and totals by some of their fields.
#include <optional>

#include "app/cli/result_json.h"
#include "app/cli/run_command.h"
#include "app/cli/run_filter.h"
#include "app/cli/run_json.h"
#include "app/cli/runs.h"
#include "core/report/report.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

int list(const Session& session, const RunSelection& selection) {
    std::vector<std::string> notes;
    const RunStore store = RunStore::openForReading(storePath(), &notes);
    tell(notes);
    std::optional<Measure> perplexity;  // that --where goes by
    const std::vector<RunRow> runs = selectedRuns(store, selection, &perplexity);
    nlohmann::json rows = nlohmann::json::array();
    for (const RunRow& run : runs) {
        rows.push_back(runJson(run));
    }
    std::string text = render(tableOfRuns(runs, perplexity), ReportFormat::Terminal);
    if (runs.empty()) {
        RunFilter any;
        any.includeArchived = true;
        any.limit = 1;
        text = store.list(any).empty()
                   ? "No runs yet: cospadi compress default --layers ffn_up\n"
                   : "No run matches the filters (--archived includes archived ones)\n";
    }
    session.print(text, {{"runs", rows}});
    return kOk;
}

int group(const Session& session, const std::vector<std::string>& fields,
          const RunSelection& selection) {
    const RunStore store = RunStore::openForReading(storePath());
    RunFilter chosen;
    chosen.includeArchived = true;  // what is archived, the selection says
    chosen.ids.emplace();
    for (const RunRow& run : selectedRuns(store, selection)) {
        chosen.ids->push_back(run.id);
    }
    ReportTable table;
    for (const std::string& field : fields) {
        table.columns.push_back({field});
    }
    table.columns.insert(table.columns.end(), {{"runs", ColumnKind::Number},
                                               {"mean error", ColumnKind::Number, 4},
                                               {"best error", ColumnKind::Number, 4},
                                               {"bytes in all", ColumnKind::Bytes},
                                               {"seconds in all", ColumnKind::Number, 1}});
    nlohmann::json rows = nlohmann::json::array();
    for (const RunGroup& g : store.group(fields, chosen)) {
        ReportRow row;
        nlohmann::json object;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            row.cells.push_back(g.values[i]);
            object[fields[i]] = g.values[i];
        }
        row.cells.insert(row.cells.end(), {g.runs, g.meanError, g.bestError, g.bytes, g.seconds});
        table.rows.push_back(std::move(row));
        object["runs"] = g.runs;
        object["mean_relative_error"] = numberOrNull(g.meanError);
        object["best_relative_error"] = numberOrNull(g.bestError);
        object["total_bytes"] = g.bytes;
        object["total_seconds"] = g.seconds;
        rows.push_back(object);
    }
    session.print(render(table, ReportFormat::Terminal), {{"groups", rows}});
    return kOk;
}

}  // namespace

void addRunsList(Command runs, Session& session) {
    auto selection = std::make_shared<RunSelection>();
    auto fields = std::make_shared<std::vector<std::string>>();
    const Command command = runs.addCommand("list", "List the stored runs, newest first");
    addRunFilters(command, *selection);
    command
        .addOption("--group", *fields,
                   "Show counts, mean error and totals by these fields instead: method, solver, "
                   "layers, model, status, accounting, cr, rho, iterations, seed")
        .delimiter(',')
        .oneWordEach();
    finishCommand(command, session, [&session, selection, fields] {
        return fields->empty() ? list(session, *selection) : group(session, *fields, *selection);
    });
}

}  // namespace cospadi::cli
