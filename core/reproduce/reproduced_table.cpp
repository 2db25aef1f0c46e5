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
#include "core/reproduce/comparison_table.h"
#include "core/reproduce/setting_differences.h"
#include "core/run/evaluate_run.h"
#include "core/store/paper_preset.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

bool fits(const RunSpecification& specification,
          const std::map<std::string, std::vector<std::string>>& where) {
    const std::map<std::string, std::string> settings = settingsOf(specification);
    return std::all_of(where.begin(), where.end(), [&](const auto& wanted) {
        const auto found = settings.find(wanted.first);
        return found != settings.end() && contains(wanted.second, found->second);
    });
}

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

// The runs that a preset tables, and a row for each that is missing.
ReportTable presetTable(const RunStore& store, const std::string& preset,
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
    const bool allMissing = selection.filter.ids->empty();
    if (allMissing) {
        table.columns = {{"run"}};
    } else {
        table = buildReport(store, preset, selection);
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
            if (fits(run.specification, output.where)) {
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
                made.table = presetTable(store, output.preset, shown);
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
        if (output.kind == ReproducedOutput::Kind::Preset) {
            for (const std::string& published : entry.published) {
                tables.push_back({name + "-paper", tableOf(publishedTable(published)), {}});
            }
        }
    }
    return tables;
}

}  // namespace cospadi
