#include "core/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/error.h"
#include "core/report/bit_width_table.h"
#include "core/report/breakdown_tables.h"
#include "core/report/equal_bytes.h"
#include "core/report/paper_table.h"
#include "core/report/pareto_table.h"
#include "core/report/pivot.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_metrics.h"
#include "core/report/run_places.h"
#include "core/report/runtime_table.h"
#include "core/report/throughput_table.h"
#include "core/store/method_label.h"

namespace cospadi {

namespace {

std::vector<RunRow> finishedRuns(const RunStore& store, RunSelection selection) {
    if (selection.filter.status.empty()) {
        selection.filter.status = "finished";
    }
    return selectedRuns(store, selection);
}

ReportTable demoReport(const RunStore& store, const RunSelection& selection) {
    std::vector<RunRow> runs = finishedRuns(store, selection);
    std::erase_if(runs, [](const RunRow& run) {
        return std::find(run.tags.begin(), run.tags.end(), "demo") == run.tags.end();
    });
    if (runs.empty()) {
        throw Error("no finished run is tagged demo", store.path().string(),
                    "run `cospadi demo` first, or loosen the filters");
    }
    std::set<std::string> told = labelledSettings();
    told.insert({"cr", "layers"});
    RunPlaces places(
        runs,
        [](const RunRow& run) {
            return fmt::format("{} {} {}", methodLabel(run), layersLabel(run),
                               run.method == "dense" ? 0.0 : run.cr);
        },
        std::move(told));
    std::vector<RunRow> rows;  // the latest of each
    for (const RunPlace& place : places.places()) {
        rows.push_back(*place.runs.front());
    }
    std::stable_sort(rows.begin(), rows.end(), [](const RunRow& a, const RunRow& b) {
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
    const Measure measure = commonMeasure(rows);
    for (const RunRow& run : rows) {
        table.rows.push_back(
            {{methodLabel(run), layersLabel(run), crCell(run), rhoCell(run), bytesCell(run, rows),
              run.seconds, metricOf(run, "perplexity", measure)},
             fmt::format("{} {} {}", modelIdentity(run), layersLabel(run), run.cr),
             run.method == "dense"});
    }
    table.notes = perplexityNotes(rows, measure);
    const std::vector<std::string> ofPlaces = places.notes();
    table.notes.insert(table.notes.end(), ofPlaces.begin(), ofPlaces.end());
    return table;
}

// The ablations of the paper: ρ, and the solver's iterations.
std::vector<RunRow> sparseRuns(const RunStore& store, const RunSelection& selection) {
    std::vector<RunRow> runs = finishedRuns(store, selection);
    std::erase_if(runs, [](const RunRow& run) { return !isSparse(run); });
    return runs;
}

template <ThroughputLayout kLayout>
ReportTable throughputReport(const RunStore& store, const RunSelection& selection) {
    return throughputTable(finishedRuns(store, selection), kLayout);
}

ReportTable rhoReport(const RunStore& store, const RunSelection& selection) {
    PivotOptions options;
    options.rows = {"layers", "method", "cr"};
    options.columns = {"rho"};
    std::vector<RunRow> runs = sparseRuns(store, selection);
    const std::int64_t unequal = preferEqualBytes(runs);
    ReportTable table = pivot(runs, options);
    if (unequal > 0) {
        table.notes.push_back(
            fmt::format("{} runs whose bytes change with rho are left out, as there are others at "
                        "equal bytes; --where accounting=… shows them",
                        unequal));
    }
    return table;
}

ReportTable iterationsReport(const RunStore& store, const RunSelection& selection) {
    PivotOptions options;
    options.rows = {"layers", "method", "solver", "cr"};
    options.columns = {"iterations"};
    options.metric = "error";
    ReportTable table = pivot(sparseRuns(store, selection), options);
    table.notes.push_back("iterations usual: the solver's own schedule");
    return table;
}

ReportTable paperUpGateReport(const RunStore& store, const RunSelection& selection) {
    return paperTable(finishedRuns(store, selection), publishedTables(), PaperLayout::UpGate);
}

ReportTable paperMainReport(const RunStore& store, const RunSelection& selection) {
    return paperTable(finishedRuns(store, selection), publishedTables());
}

struct Preset {
    ReportPreset description;
    ReportTable (*build)(const RunStore& store, const RunSelection& selection);
};

const std::vector<Preset>& presets() {
    static const std::vector<Preset> all = {
        {{"demo", "the methods of `cospadi demo` on the default model"}, demoReport},
        {{"rho", "perplexity over ρ"}, rhoReport},
        {{"iterations", "error over the solver's iterations"}, iterationsReport},
        {{"solvers", "the solvers side by side: error, seconds, perplexity (the paper's Table 2)"},
         [](const RunStore& store, const RunSelection& selection) {
             return solversReport(finishedRuns(store, selection));
         }},
        {{"storage",
          "bytes of dictionary, values and mask (the paper's Table 10), and multiplications"},
         [](const RunStore& store, const RunSelection& selection) {
             return storageReport(store, finishedRuns(store, selection));
         }},
        {{"runtime",
          "where the time goes: coding, dictionary update and the rest (the paper's Table 9)"},
         [](const RunStore& store, const RunSelection& selection) {
             return runtimeReport(store, finishedRuns(store, selection));
         }},
        {{"pareto-bytes", "bytes of the linear layers against perplexity, one line per method"},
         [](const RunStore& store, const RunSelection& selection) {
             return paretoTable(finishedRuns(store, selection));
         }},
        {{"paper-main", "tasks of lm-eval laid out like the paper's main tables"}, paperMainReport},
        {{"paper-ug", "up and gate alone, laid out like the paper's UG quality tables (6, 14)"},
         paperUpGateReport},
        {{"coefficient-bits", "runs of `requantize` against 16 bits per coefficient (Figure 3)"},
         [](const RunStore& store, const RunSelection& selection) {
             return bitWidthTable(finishedRuns(store, selection));
         }},
        {{"throughput", "tokens per second over prompt lengths, one user (Table 15)"},
         throughputReport<ThroughputLayout::Prompts>},
        {{"serving-users", "tokens per second over HTTP by users, shortest prompt (Tables 7, 16)"},
         throughputReport<ThroughputLayout::Users>},
        {{"serving-grid", "tokens per second over HTTP by users and prompt lengths (Table 17)"},
         throughputReport<ThroughputLayout::Grid>},
        {{"latency", "percentiles of the time per token, alone and over HTTP"},
         throughputReport<ThroughputLayout::Latency>}};
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

ReportTable buildReport(const RunStore& store, const std::string& name,
                        const RunSelection& selection) {
    std::string known;
    for (const Preset& preset : presets()) {
        if (preset.description.name == name) {
            return preset.build(store, selection);
        }
        known += (known.empty() ? "" : ", ") + preset.description.name;
    }
    throw Error("there is no report preset \"" + name + "\"", "--preset", "there are: " + known);
}

}  // namespace cospadi
