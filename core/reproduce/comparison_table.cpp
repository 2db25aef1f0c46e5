#include "core/reproduce/comparison_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/methods/method.h"
#include "core/report/name_list.h"
#include "core/report/published_values.h"
#include "core/report/run_dimensions.h"
#include "core/report/up_gate.h"
#include "core/reproduce/own_values.h"

namespace cospadi {

namespace {

constexpr double kLast = 2;  // behind every ratio

// A row before it is cells of the table.
struct Line {
    std::string model;
    std::vector<ReportCell> settings;  // one a row setting
    std::vector<ReportCell> values;    // one a value column
    std::string curve, state;
    double ratio = kLast;  // rows are in its order; 0 of a dense model
    bool own = true;
    bool baseline = false;
};

std::string textOfCell(const ReportCell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) {
        return *text;
    }
    const double number = numberIn(cell);
    return std::isfinite(number) ? fmt::format("{}", number) : "";
}

std::string curveOf(const ReproducedOutput& output, const std::vector<ReportCell>& settings) {
    std::vector<std::string> words;
    for (std::size_t i = 0; output.figure && i < output.rows.size(); ++i) {
        const auto& curves = output.figure->curves;
        const std::string value = textOfCell(settings[i]);
        if (std::find(curves.begin(), curves.end(), output.rows[i]) != curves.end() &&
            !value.empty()) {
            words.push_back(
                output.rows[i] == "method" ? value : fmt::format("{} {}", output.rows[i], value));
        }
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

Line ownLine(const ReproducedOutput& output, const std::string& model, const ReproducedRun& run,
             const OwnValues& values) {
    Line line;
    line.model = model;
    line.baseline = isDense(run.specification);
    line.state = run.hole;
    const std::map<std::string, std::string> settings = settingsOf(run.specification);
    for (const std::string& row : output.rows) {
        const auto found = settings.find(row);
        line.settings.push_back(row == "method" ? ReportCell(methodOf(run.specification).name())
                                : found == settings.end() ? ReportCell()
                                                          : settingCell(found->second));
    }
    for (const ValueColumn& column : output.values) {
        line.values.push_back(run.row && isOwnValue(column.own) ? values.of(*run.row, column.own)
                                                                : ReportCell());
    }
    line.curve = curveOf(output, line.settings);
    if (line.baseline) {
        line.ratio = 0;
    } else if (hasRatio(run.specification)) {
        line.ratio = run.specification.cr;
    } else if (run.row && std::isfinite(run.row->measuredRatio())) {
        line.ratio = std::round(100 * run.row->measuredRatio()) / 100;
    }
    return line;
}

// Of the layers that are compressed, as own runs tell it: rows of up and gate alone print the ratio
// of the whole model, too.
std::optional<double> ratioOf(const PublishedRow& row) {
    return isUpGate(row) ? publishedUpGateRatio(row, publishedTables()) : row.cr;
}

Line publishedLine(const ReproducedOutput& output, const PublishedTable& table,
                   const PublishedRow& row) {
    Line line;
    line.own = false;
    line.model = fmt::format("{} (paper, table {})", row.model, table.number);
    line.baseline = row.method == "dense";
    const std::optional<double> ratio = ratioOf(row);
    line.ratio = line.baseline ? 0 : ratio.value_or(kLast);
    for (const std::string& setting : output.rows) {
        if (setting == "method") {
            line.settings.emplace_back(row.methodText.empty() ? row.method : row.methodText);
            continue;
        }
        if (setting == "cr") {
            line.settings.push_back(ratio ? ReportCell(*ratio) : ReportCell());
            continue;
        }
        const auto printed = settingOf(row, setting);
        line.settings.push_back(printed ? settingCell(*printed) : ReportCell());
    }
    for (const ValueColumn& column : output.values) {
        if (column.published == kPublishedGlobalRatio) {
            line.values.push_back(row.cr ? ReportCell(*row.cr) : ReportCell());
            continue;
        }
        const auto value = row.values.find(column.published);
        const auto text = row.texts.find(column.published);
        // A text, such as ∞, is no number that a figure could draw.
        line.values.push_back(value != row.values.end() ? ReportCell(column.scale * value->second)
                              : text != row.texts.end() && !output.figure ? ReportCell(text->second)
                                                                          : ReportCell());
    }
    line.curve = fmt::format("paper: {}", curveOf(output, line.settings));
    return line;
}

// A setting that is not printed is taken for the one that is asked for.
bool fitsPublished(const ReproducedOutput& output, const PublishedRow& row) {
    return std::all_of(output.where.begin(), output.where.end(), [&](const auto& wanted) {
        const auto printed =
            wanted.first == "method" ? std::optional(row.method) : settingOf(row, wanted.first);
        return !printed || contains(wanted.second, *printed);
    });
}

bool hasPlace(const ReproducedOutput& output, const Line& line) {
    const auto x = std::find(output.rows.begin(), output.rows.end(),
                             output.figure ? output.figure->x : output.rows.front());
    return !output.figure || std::isfinite(numberIn(
                                 line.settings[static_cast<std::size_t>(x - output.rows.begin())]));
}

std::vector<Line> publishedLines(const ReproducedOutput& output, const PublishedTable& table,
                                 const std::string& model) {
    const bool hasModel =
        std::any_of(table.rows.begin(), table.rows.end(),
                    [&](const PublishedRow& row) { return sameModel(row.model, model); });
    const bool isOneModel =
        hasModel || std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
            return row.model == table.rows.front().model;
        });
    std::vector<Line> lines;
    for (const PublishedRow& row : table.rows) {
        Line line = publishedLine(output, table, row);
        const bool has = std::any_of(line.values.begin(), line.values.end(),
                                     [](const ReportCell& cell) { return cell.index() != 0; });
        if (has && (!hasModel || sameModel(row.model, model)) && fitsPublished(output, row) &&
            hasPlace(output, line)) {
            line.curve += isOneModel ? "" : ", " + row.model;
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

ReportRow rowOfLine(const Line& line, bool hasCurve, bool hasState) {
    ReportRow row;
    row.cells.emplace_back(line.model);
    row.cells.insert(row.cells.end(), line.settings.begin(), line.settings.end());
    row.cells.insert(row.cells.end(), line.values.begin(), line.values.end());
    if (hasCurve) {
        row.cells.emplace_back(line.curve);
    }
    if (hasState) {
        row.cells.push_back(line.state.empty() ? ReportCell() : ReportCell(line.state));
    }
    row.baseline = line.baseline;
    row.block = fmt::format("{}", line.ratio);
    row.group = fmt::format("{} {} {}", line.ratio, line.own, line.model);
    return row;
}

}  // namespace

ReportTable comparisonTable(const Reproduction& entry, const ReproducedOutput& output,
                            const std::string& model, const std::vector<ReproducedRun>& runs) {
    std::vector<RunRow> rows;
    for (const ReproducedRun& run : runs) {
        if (run.row) {
            rows.push_back(*run.row);
        }
    }
    const OwnValues values(rows);
    std::vector<Line> lines;
    for (const ReproducedRun& run : runs) {
        // Without settings to stand at, the dense model is no point of a figure.
        if (!output.figure || !isDense(run.specification)) {
            lines.push_back(ownLine(output, model, run, values));
        }
    }
    for (const std::string& name : entry.published) {
        for (Line& line : publishedLines(output, publishedTable(name), model)) {
            if (!output.figure || !line.baseline) {
                lines.push_back(std::move(line));
            }
        }
    }
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
        return std::pair(a.ratio, !a.own) < std::pair(b.ratio, !b.own);
    });

    ReportTable table;
    table.columns.push_back({"model"});
    for (const std::string& row : output.rows) {
        const bool isNumber = std::all_of(lines.begin(), lines.end(), [&](const Line& line) {
            const auto at = static_cast<std::size_t>(&row - output.rows.data());
            return !std::holds_alternative<std::string>(line.settings[at]);
        });
        table.columns.push_back({row, isNumber ? ColumnKind::Number : ColumnKind::Text,
                                 row == "cr"    ? 2
                                 : row == "rho" ? 1
                                                : 0,
                                 BestValue::None, false, isNumber});
    }
    std::vector<std::string> names;
    for (const ValueColumn& column : output.values) {
        const std::string& name = column.own.empty() ? column.published : column.own;
        table.columns.push_back(columnOfValue(name, column.title));
        names.push_back(name);
    }
    const bool hasCurve = output.figure.has_value();
    const bool hasState = std::any_of(lines.begin(), lines.end(),
                                      [](const Line& line) { return !line.state.empty(); });
    if (hasCurve) {
        table.columns.push_back({kCurve});
    }
    if (hasState) {
        table.columns.push_back({kState});
    }
    for (const Line& line : lines) {
        table.rows.push_back(rowOfLine(line, hasCurve, hasState));
    }
    table.notes = values.notes(names);
    for (const ValueColumn& column : output.values) {
        if (std::string note = values.metricNote(column.own, column.title); !note.empty()) {
            table.notes.push_back(std::move(note));
        }
    }
    return table;
}

}  // namespace cospadi
