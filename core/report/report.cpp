#include "core/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/report/average_accuracy.h"
#include "core/report/bit_width_table.h"
#include "core/report/breakdown_tables.h"
#include "core/report/equal_bytes.h"
#include "core/report/global_ratio.h"
#include "core/report/paper_table.h"
#include "core/report/pareto_table.h"
#include "core/report/pivot.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_metrics.h"
#include "core/report/run_places.h"
#include "core/report/runtime_table.h"
#include "core/report/source_note.h"
#include "core/report/throughput_table.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"
#include "core/store/stated_compression.h"

namespace cospadi {

namespace {

ReportCell crCell(const RunRow& run) { return run.method == "dense" ? 0.0 : run.cr; }

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
        table.rows.push_back({{methodLabel(run), layersLabel(run), crCell(run), rhoCell(run),
                               bytesCell(run, rows), run.seconds, perplexityCell(run, measure)},
                              fmt::format("{} {}", layersLabel(run), run.cr),
                              run.method == "dense"});
    }
    table.notes = places.notes();
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
            fmt::format("{} runs whose bytes change with rho are left out, for there are others at "
                        "equal bytes; "
                        "--where accounting=… shows them",
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

std::vector<std::map<std::string, std::string>> settingsOfAll(const std::vector<RunRow>& runs) {
    std::vector<std::map<std::string, std::string>> settings;
    for (const RunRow& run : runs) {
        settings.push_back(settingsOf(run));
    }
    return settings;
}

std::vector<GlobalRatio> globalRatiosOf(const std::vector<RunRow>& runs) {
    std::vector<GlobalRatio> ratios;
    ratios.reserve(runs.size());
    for (const RunRow& run : runs) {
        ratios.push_back(globalRatioOf(run));
    }
    return ratios;
}

// Those that two runs have different values of, but for what the list shows anyway.
std::vector<std::string> varyingSettings(
    const std::vector<std::map<std::string, std::string>>& settings) {
    std::set<std::string> shown = labelledSettings();
    shown.insert({"model", "method", "layers", "cr", "rho"});
    std::map<std::string, std::set<std::string>> values;
    for (const auto& run : settings) {
        for (const auto& [field, value] : run) {
            values[field].insert(value);
        }
    }
    std::vector<std::string> varying;
    for (const auto& [field, known] : values) {
        if (known.size() > 1 && !shown.contains(field)) {
            varying.push_back(field);
        }
    }
    return varying;
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
        {{"pareto-bytes", "bytes of the linear layers against perplexity, every method a line"},
         [](const RunStore& store, const RunSelection& selection) {
             return paretoTable(finishedRuns(store, selection));
         }},
        {{"paper-main", "tasks of lm-eval laid out like the paper's main tables"}, paperMainReport},
        {{"paper-ug", "up and gate alone, laid out like the paper's UG quality tables (6, 14)"},
         paperUpGateReport},
        {{"coefficient-bits", "runs of `requantize` against 16 bits a coefficient (Figure 3)"},
         [](const RunStore& store, const RunSelection& selection) {
             return bitWidthTable(finishedRuns(store, selection));
         }},
        {{"throughput", "tokens a second over prompt lengths, one user (Table 15)"},
         throughputReport<ThroughputLayout::Prompts>},
        {{"serving-users", "tokens a second over HTTP by users, shortest prompt (Tables 7, 16)"},
         throughputReport<ThroughputLayout::Users>},
        {{"serving-grid", "tokens a second over HTTP by users and prompt lengths (Table 17)"},
         throughputReport<ThroughputLayout::Grid>},
        {{"latency", "percentiles of the time to a token, alone and over HTTP"},
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

ReportTable tableOfRuns(const std::vector<RunRow>& runs) {
    const std::vector<std::map<std::string, std::string>> settings = settingsOfAll(runs);
    const std::vector<std::string> varying = varyingSettings(settings);
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
                     {"perplexity", ColumnKind::Number, 2}};
    const Measure average = commonMeasure(runs, kAverageAccuracy);
    const bool hasAverages = std::any_of(runs.begin(), runs.end(), [&](const RunRow& run) {
        return std::isfinite(averageOf(run, average.tasks));
    });
    if (hasAverages) {
        table.columns.push_back({kAverageAccuracy, ColumnKind::Number, 4});
    }
    table.columns.push_back({"status"});
    const std::vector<GlobalRatio> global = globalRatiosOf(runs);
    const bool tellsGlobal =
        std::any_of(global.begin(), global.end(), [](const auto& one) { return one.isPartial; });
    if (tellsGlobal) {
        table.columns.push_back({"global cr", ColumnKind::Number, 4});
    }
    for (const std::string& field : varying) {
        table.columns.push_back({field});
    }
    table.columns.push_back({"tags"});
    const Measure measure = commonMeasure(runs);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const RunRow& run = runs[i];
        table.rows.push_back(
            {{run.id, std::filesystem::path(run.model).filename().string(), methodLabel(run),
              layersLabel(run), crCell(run), rhoCell(run), bytesCell(run, runs), run.relativeError,
              run.seconds, perplexityCell(run, measure)},
             {},
             run.method == "dense"});
        std::vector<ReportCell>& cells = table.rows.back().cells;
        if (hasAverages) {
            const double mean = averageOf(run, average.tasks);
            cells.push_back(!std::isfinite(mean) ? ReportCell() : ReportCell(mean));
        }
        cells.emplace_back(run.status);
        if (tellsGlobal) {
            cells.emplace_back(global[i].ratio);
        }
        for (const std::string& field : varying) {
            const auto value = settings[i].find(field);
            cells.push_back(value == settings[i].end() ? ReportCell() : settingCell(value->second));
        }
        cells.emplace_back(fmt::format("{}", fmt::join(run.tags, ", ")));
    }
    table.notes = sourceNotes(runs);
    if (hasAverages) {
        table.notes.push_back(fmt::format("{}: {}", kAverageAccuracy, inEnglish(average.label)));
    }
    return table;
}

int methodRank(const std::string& label) {
    const auto placeOf = [](const Method* method) {
        return std::find(methods().begin(), methods().end(), method) - methods().begin();
    };
    const Method* method = findMethod(label.substr(0, label.find(' ')));
    // Ours are the usual one and that without calibration, which stands before it.
    const auto place = method != nullptr ? 2 * placeOf(method)
                                         : 2 * placeOf(&usualMethod().withoutCalibration()) - 1;
    const auto is = [&](const char* solver) { return label.find(solver) != std::string::npos; };
    const bool byKsvd = is("(ksvd") || is("(mod") || is("(paper");
    return static_cast<int>(2 * place) + (byKsvd ? 0 : 1);
}

std::string layersLabel(const RunRow& run) {
    return run.layers.empty() || run.layers == ".*" ? "all" : run.layers;
}

std::string methodLabel(const RunRow& run, const std::set<std::string>& shown) {
    if (shown.empty()) {
        if (const std::string label = specifiedLabelOf(run); !label.empty()) {
            return label;
        }
    } else if (const auto specification = specificationOf(run)) {
        return methodLabel(*specification, shown);
    }
    const std::optional<StatedCompression> stated = statedCompressionOf(run);
    return stated ? importedLabel(*stated) : run.method;
}

}  // namespace cospadi
