#include "core/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/base/error.h"
#include "core/report/breakdown_tables.h"
#include "core/report/paper_table.h"
#include "core/report/pivot.h"
#include "core/report/run_dimensions.h"
#include "core/report/source_note.h"

namespace cospadi {

namespace {

ReportCell crCell(const RunRow& run) { return run.method == "dense" ? 0.0 : run.cr; }

ReportCell rhoCell(const RunRow& run) { return isSparse(run) ? ReportCell(run.rho) : ReportCell(); }

// What the layers weigh: the files that were written. A dense run writes none; its layers weigh
// what the runs that compressed the same layers of the same model count for them.
ReportCell bytesCell(const RunRow& run, const std::vector<RunRow>& others) {
    std::int64_t bytes = run.method == "dense" ? run.denseBytes : run.layerBytes;
    for (const RunRow& other : others) {
        if (bytes == 0 && run.method == "dense" && other.layers == run.layers &&
            other.model == run.model && other.status == "finished") {
            bytes = other.denseBytes;
        }
    }
    return bytes > 0 ? ReportCell(bytes) : ReportCell();
}

ReportCell perplexityCell(const RunRow& run, const Measure& measure) {
    return metricOf(run, "perplexity", measure);
}

ReportTable demoReport(const RunStore& store) {
    RunFilter filter;
    filter.tag = "demo";
    filter.status = "finished";
    std::vector<RunRow> runs;
    std::set<std::tuple<std::string, std::string, double>> seen;
    for (RunRow& run : store.list(filter)) {  // newest first
        const double cr = run.method == "dense" ? 0.0 : run.cr;
        if (seen.emplace(methodLabel(run), run.layers, cr).second) {
            runs.push_back(std::move(run));
        }
    }
    if (runs.empty()) {
        throw Error("no finished run is tagged demo", store.path().string(),
                    "run `cospadi demo` first");
    }
    std::stable_sort(runs.begin(), runs.end(), [](const RunRow& a, const RunRow& b) {
        const auto key = [](const RunRow& run) {
            const std::string layers = layersLabel(run);
            return std::tuple(layers != "all", layers, methodRank(methodLabel(run)));
        };
        return key(a) < key(b);
    });

    ReportTable table;
    table.columns = {{"method"},
                     {"layers"},
                     {"cr", ColumnKind::Number, 2, BestValue::None, false, true},
                     {"rho", ColumnKind::Number, 1, BestValue::None, false, true},
                     {"bytes", ColumnKind::Bytes},
                     {"seconds", ColumnKind::Number, 1},
                     {"perplexity", ColumnKind::Number, 2, BestValue::Lowest}};
    const Measure measure = commonMeasure(runs);
    for (const RunRow& run : runs) {
        table.rows.push_back({{methodLabel(run), layersLabel(run), crCell(run), rhoCell(run),
                               bytesCell(run, runs), run.seconds, perplexityCell(run, measure)},
                              fmt::format("{} {}", layersLabel(run), run.cr),
                              run.method == "dense"});
    }
    table.notes = sourceNotes(runs);
    return table;
}

// The ablations of the paper: ρ, and the solver's iterations.
ReportTable rhoReport(const RunStore& store) {
    std::vector<RunRow> runs = store.list();
    std::erase_if(runs, [](const RunRow& run) { return !isSparse(run); });
    PivotOptions options;
    options.rows = {"layers", "method", "cr"};
    options.columns = {"rho"};
    return pivot(runs, options);
}

ReportTable iterationsReport(const RunStore& store) {
    std::vector<RunRow> runs = store.list();
    std::erase_if(runs, [](const RunRow& run) { return !isSparse(run); });
    PivotOptions options;
    options.rows = {"layers", "method", "solver", "cr"};
    options.columns = {"iterations"};
    options.metric = "error";
    ReportTable table = pivot(runs, options);
    table.notes.push_back("iterations 0: the solver's own schedule");
    return table;
}

ReportTable paperMainReport(const RunStore& store) {
    return paperTable(store.list(), publishedTables());
}

// ", knapsack, target": how a run departs from the paper's way of sharing bytes and of feeding
// layers.
std::string departures(const RunRow& run) {
    const nlohmann::json specification = nlohmann::json::parse(run.specification, nullptr, false);
    std::string result;
    for (const auto& [field, usual] :
         {std::pair{"accounting", "eq11"}, {"allocation", "uniform"}, {"propagation", "off"}}) {
        if (field == std::string("accounting") && !isSparse(run)) {
            continue;
        }
        const std::string value =
            specification.is_object() ? specification.value(field, usual) : usual;
        result += value == usual ? "" : ", " + value;
    }
    return result;
}

struct Preset {
    ReportPreset description;
    ReportTable (*build)(const RunStore& store);
};

const std::vector<Preset>& presets() {
    static const std::vector<Preset> all = {
        {{"demo", "the methods of `cospadi demo` on the default model"}, demoReport},
        {{"rho", "perplexity over ρ"}, rhoReport},
        {{"iterations", "error over the solver's iterations"}, iterationsReport},
        {{"solvers", "the solvers side by side: error, seconds, perplexity (the paper's Table 2)"},
         solversReport},
        {{"storage", "bytes of dictionary, values and mask (the paper's Table 10)"}, storageReport},
        {{"paper-main", "tasks of lm-eval laid out like the paper's main tables"},
         paperMainReport}};
    return all;
}

}  // namespace

const std::vector<ReportPreset>& reportPresets() {
    static const std::vector<ReportPreset> descriptions = [] {
        std::vector<ReportPreset> found;
        for (const Preset& preset : presets()) {
            found.push_back(preset.description);
        }
        return found;
    }();
    return descriptions;
}

ReportTable buildReport(const RunStore& store, const std::string& name) {
    std::string known;
    for (const Preset& preset : presets()) {
        if (preset.description.name == name) {
            return preset.build(store);
        }
        known += (known.empty() ? "" : ", ") + preset.description.name;
    }
    throw Error("there is no report preset \"" + name + "\"", "--preset", "there are: " + known);
}

ReportTable tableOfRuns(const std::vector<RunRow>& runs) {
    ReportTable table;
    table.columns = {{"run"},
                     {"model"},
                     {"method"},
                     {"layers"},
                     {"cr", ColumnKind::Number, 2},
                     {"rho", ColumnKind::Number, 1},
                     {"bytes", ColumnKind::Bytes},
                     {"error", ColumnKind::Number, 4},
                     {"seconds", ColumnKind::Number, 1},
                     {"perplexity", ColumnKind::Number, 2},
                     {"status"}};
    const Measure measure = commonMeasure(runs);
    for (const RunRow& run : runs) {
        table.rows.push_back(
            {{run.id, std::filesystem::path(run.model).filename().string(), methodLabel(run),
              layersLabel(run), crCell(run), rhoCell(run), bytesCell(run, runs), run.relativeError,
              run.seconds, perplexityCell(run, measure), run.status},
             {},
             run.method == "dense"});
    }
    table.notes = sourceNotes(runs);
    return table;
}

int methodRank(const std::string& label) {
    const std::vector<std::string> order = {"dense", "svd",          "svd-llm",
                                            "",      "cospadi-free", "cospadi"};
    const std::string method = label.substr(0, label.find(' '));
    const auto found = std::find(order.begin(), order.end(), method);
    const auto rank = found == order.end() ? 3 : found - order.begin();
    const bool published = label.find("(ksvd") != std::string::npos;
    return static_cast<int>(2 * rank) + (published ? 0 : 1);
}

std::string layersLabel(const RunRow& run) {
    return run.layers.empty() || run.layers == ".*" ? "all" : run.layers;
}

std::string methodLabel(const RunRow& run) {
    const std::string extras = departures(run);
    if (!isSparse(run)) {
        return extras.empty() ? run.method : fmt::format("{} ({})", run.method, extras.substr(2));
    }
    if (run.solver == "ksvd") {
        return fmt::format("{} (ksvd {}x{}{})", run.method,
                           run.iterations > 0 ? run.iterations : 60,
                           run.powerIterations > 0 ? run.powerIterations : 8, extras);
    }
    return run.iterations > 0
               ? fmt::format("{} ({} {}{})", run.method, run.solver, run.iterations, extras)
               : fmt::format("{} ({}{})", run.method, run.solver, extras);
}

}  // namespace cospadi
