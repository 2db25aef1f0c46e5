#include "core/report/runs_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "core/report/average_accuracy.h"
#include "core/report/global_ratio.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_labels.h"
#include "core/report/run_metrics.h"
#include "core/report/source_note.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

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

}  // namespace

ReportTable tableOfRuns(const std::vector<RunRow>& runs, const std::optional<Measure>& perplexity) {
    const std::vector<std::map<std::string, std::string>> settings = settingsOfAll(runs);
    const std::vector<std::string> varying = varyingSettings(settings);
    ReportTable table;
    table.columns = {{"run"},
                     {"model"},
                     {"method"},
                     {"layers"},
                     {"cr", ColumnKind::Number, 2, BestValue::None, false, true},
                     {"rho", ColumnKind::Number, 1, BestValue::None, false, true},
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
    const Measure measure = perplexity ? *perplexity : commonMeasure(runs);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const RunRow& run = runs[i];
        table.rows.push_back({{run.id, modelLabel(run), methodLabel(run), layersLabel(run),
                               crCell(run), rhoCell(run), bytesCell(run, runs), run.relativeError,
                               run.seconds, metricOf(run, "perplexity", measure)},
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
    const std::vector<std::string> measured = perplexityNotes(runs, measure);
    table.notes.insert(table.notes.end(), measured.begin(), measured.end());
    if (hasAverages) {
        table.notes.push_back(fmt::format("{}: {}", kAverageAccuracy, inEnglish(average.label)));
    }
    return table;
}

}  // namespace cospadi
