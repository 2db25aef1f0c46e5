#include "core/reproduce/reproduced_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/report/name_list.h"
#include "core/report/published_values.h"
#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/reproduce/comparison_table.h"
#include "core/reproduce/setting_differences.h"
#include "core/run/evaluate_run.h"
#include "core/store/paper_preset.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

// Another protocol's perplexities of the same runs must not decide over the measure of a table.
void keepMeasured(const PerplexityOptions& wanted, RunRow& row) {
    std::erase_if(row.evaluations, [&](const EvaluationRow& evaluation) {
        return evaluation.context != wanted.context || evaluation.maxTokens != wanted.maxTokens ||
               scoredTokensFromName(evaluation.score) != wanted.score;
    });
}

void addNotes(const Reproduction& entry, const Protocol& protocol,
              const std::vector<ReproducedRun>& runs, const std::vector<std::string>& shown,
              ReportTable& table) {
    for (const ReproducedRun& run : runs) {
        if (!run.hole.empty()) {
            table.notes.push_back(fmt::format("hole: {}: {}", run.description, run.hole));
        }
    }
    if (const std::string differ = settingDifferences(runs, shown); !differ.empty()) {
        table.notes.push_back(differ);
    }
    table.notes.insert(table.notes.end(), protocol.differs.begin(), protocol.differs.end());
    for (const StayingRows& staying : entry.staying) {
        table.notes.push_back(
            fmt::format("as published: {}: {}", fmt::join(staying.rows, ", "), staying.why));
    }
    if (!entry.published.empty()) {
        table.notes.push_back(fmt::format("rows of the paper: {}", kPaperSource));
    }
}

// Throws Error where the preset has no such column.
std::size_t placeOf(const ReportTable& table, const std::string& preset, const std::string& name) {
    std::vector<std::string> names;
    for (const ReportColumn& column : table.columns) {
        if (column.name == name) {
            return names.size();
        }
        names.push_back(column.name);
    }
    throw Error(fmt::format("\"{}\" is not a column of the preset {}", name, preset), "figure",
                fmt::format("there are: {}", fmt::join(names, ", ")));
}

// A last column with the curve that a row is a point of, from the columns that tell curves apart.
void addCurves(const FigureShape& figure, const std::string& preset, ReportTable& table) {
    placeOf(table, preset, figure.x);
    for (const std::string& y : figure.y) {
        placeOf(table, preset, y);
    }
    std::vector<std::size_t> places;
    for (const std::string& curve : figure.curves) {
        places.push_back(placeOf(table, preset, curve));
    }
    table.columns.push_back({kCurve});
    for (ReportRow& row : table.rows) {
        std::vector<std::string> told;
        for (const std::size_t at : places) {
            if (std::holds_alternative<std::monostate>(row.cells[at])) {
                continue;  // the ratio of a dense model
            }
            const std::string value = settingText(row.cells[at]);
            const std::string& column = table.columns[at].name;
            told.push_back(std::holds_alternative<std::string>(row.cells[at])
                               ? value
                               : fmt::format("{} {}", column, value));
        }
        row.cells.emplace_back(fmt::format("{}", fmt::join(told, ", ")));
    }
}

// The runs that a preset tables, and a row for each that is missing.
ReportTable presetTable(const RunStore& store, const std::string& preset,
                        const std::optional<FigureShape>& figure,
                        const std::vector<ReproducedRun>& runs) {
    RunSelection selection;
    selection.filter.ids.emplace();
    selection.filter.includeArchived = true;
    for (const ReproducedRun& run : runs) {
        if (run.row) {
            selection.filter.ids->push_back(run.row->id);
        }
    }
    ReportTable table;
    const bool hasHole =
        std::any_of(runs.begin(), runs.end(), [](const ReproducedRun& run) { return !run.row; });
    try {
        if (!selection.filter.ids->empty()) {
            table = buildReport(store, preset, selection);
        }
    } catch (const Error&) {  // of what is there it has nothing to show: the holes say why
        if (!hasHole) {
            throw;
        }
    }
    if (table.columns.empty()) {
        table.columns = {{"run"}};
    } else if (figure) {
        addCurves(*figure, preset, table);
    }
    for (const ReproducedRun& run : runs) {
        if (!run.row) {
            ReportRow hole;
            hole.cells.resize(table.columns.size());
            hole.cells.front() = fmt::format("{}: {}", run.description, run.hole);
            table.rows.push_back(std::move(hole));
        }
    }
    return table;
}

ReportTable settingsTable(const PublishedTable& published,
                          const std::map<std::string, std::string>& words) {
    const std::map<std::string, std::string> own =
        settingsOf(effective(presetSpecification(kPaperPreset)));
    ReportTable table;
    table.columns = {{"setting"}, {"paper"}, {"here, --preset paper"}, {"field"}};
    for (const PublishedRow& row : published.rows) {
        const std::string setting = settingOf(row, "setting").value_or("");
        const std::string field = settingOf(row, "field").value_or("");
        std::string printed;
        for (const auto& [key, value] : row.values) {
            printed = fmt::format("{}", value);
        }
        for (const auto& [key, text] : row.texts) {
            printed = text;
        }
        const auto found = own.find(field);
        const auto word = words.find(setting);
        table.rows.push_back({{setting, printed,
                               word != words.end()  ? word->second
                               : found != own.end() ? found->second
                                                    : std::string(),
                               field},
                              {},
                              false});
    }
    return table;
}

}  // namespace

std::vector<ReproducedTable> reproducedTables(const RunStore& store, const Reproduction& entry,
                                              const Protocol& protocol, const std::string& model,
                                              const std::vector<ReproducedRun>& runs) {
    std::vector<ReproducedTable> tables;
    for (const ReproducedOutput& output : entry.outputs) {
        const std::string name =
            output.name.empty() ? entry.name : fmt::format("{}-{}", entry.name, output.name);
        std::vector<ReproducedRun> shown;
        for (const ReproducedRun& run : runs) {
            if (hasSettings(run.specification, output.where)) {
                shown.push_back(run);
                if (run.row) {
                    keepMeasured(protocol.sweep.evaluate.options, *shown.back().row);
                }
            }
        }
        ReproducedTable made{name, {}, output.figure};
        switch (output.kind) {
            case ReproducedOutput::Kind::Settings:
                for (const std::string& published : entry.published) {
                    made.table = settingsTable(publishedTable(published), output.words);
                }
                break;
            case ReproducedOutput::Kind::Preset:
                made.table = presetTable(store, output.preset, output.figure, shown);
                break;
            case ReproducedOutput::Kind::Comparison:
                made.table = comparisonTable(entry, output, model, shown);
                break;
        }
        made.table.caption =
            fmt::format("{} of the paper from own runs: {}", entry.number, entry.shows);
        made.table.label = name;
        std::replace(made.table.label.begin(), made.table.label.end(), '_', '-');
        made.table.label = (entry.isFigure() ? "fig:own-" : "tab:own-") + made.table.label;
        addNotes(entry, protocol, shown, output.rows, made.table);
        tables.push_back(std::move(made));
        if (output.kind == ReproducedOutput::Kind::Preset && output.name.empty()) {
            for (const std::string& published : entry.published) {
                tables.push_back({name + "-paper", tableOf(publishedTable(published)), {}});
            }
        }
    }
    return tables;
}

}  // namespace cospadi
