// The four faces of a ReportTable.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/byte_text.h"
#include "core/base/error.h"
#include "core/base/markdown_cell.h"
#include "core/report/latex_text.h"
#include "core/report/report.h"

namespace cospadi {

namespace {

std::string csvField(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    return fmt::format("\"{}\"", replaced(text, "\"", {"\"\""}));
}

// In full: as many digits as tell the number from its neighbours.
std::string exactText(const ReportCell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) {
        return *text;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        return fmt::format("{}", *whole);
    }
    const double number = numberIn(cell);
    return std::isfinite(number) ? fmt::format("{}", number) : "";
}

// Whether so many digits after the point tell a number from its neighbours.
bool isExactIn(int digits, double number) {
    const std::string text = exactText(number);
    const std::size_t point = text.find('.');
    return text.find('e') == std::string::npos &&
           (point == std::string::npos || static_cast<int>(text.size() - point) - 1 <= digits);
}

std::string renderCsv(const ReportTable& table) {
    std::string text;
    const auto endLine = [&] { text.replace(text.size() - 1, 1, "\r\n"); };
    // A column of means has its deviations and counts beside it.
    std::vector<bool> means(table.columns.size(), false);
    std::vector<bool> errors(table.columns.size(), false);  // and its standard errors
    for (std::size_t c = 0; c < means.size(); ++c) {
        means[c] = std::any_of(table.rows.begin(), table.rows.end(), [c](const ReportRow& row) {
            const auto* mean = std::get_if<MeanCell>(&row.cells[c]);
            return mean != nullptr && mean->count > 1;
        });
        errors[c] = std::any_of(table.rows.begin(), table.rows.end(), [c](const ReportRow& row) {
            const auto* mean = std::get_if<MeanCell>(&row.cells[c]);
            return mean != nullptr && mean->standardError > 0;
        });
        const std::string& name = table.columns[c].name;
        text += csvField(name) + ",";
        text += means[c] ? csvField(name + " std") + "," + csvField(name + " n") + "," : "";
        text += errors[c] ? csvField(name + " stderr") + "," : "";
    }
    endLine();
    for (const ReportRow& row : table.rows) {
        for (std::size_t c = 0; c < means.size(); ++c) {
            text += csvField(exactText(row.cells[c])) + ",";
            const auto* mean = std::get_if<MeanCell>(&row.cells[c]);
            if (means[c]) {
                text += mean != nullptr ? fmt::format("{},{},", mean->deviation, mean->count)
                                        : std::string(",,");
            }
            if (errors[c]) {
                text += mean != nullptr && mean->standardError > 0
                            ? fmt::format("{},", mean->standardError)
                            : std::string(",");
            }
        }
        endLine();
    }
    return text;
}

std::string renderMarkdown(const ReportTable& table) {
    const auto ranks = rankCells(table);
    std::string text = "|";
    for (const ReportColumn& column : table.columns) {
        text += fmt::format(" {} |", markdownText(printedHeading(column.name)));
    }
    text += "\n|";
    for (const ReportColumn& column : table.columns) {
        text += column.kind == ColumnKind::Text ? "---|" : "---:|";
    }
    text += "\n";
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        text += "|";
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const std::string cell =
                markdownText(displayText(table.rows[row].cells[c], table.columns[c]));
            text += ranks[row][c] == 1                       ? fmt::format(" **{}** |", cell)
                    : ranks[row][c] == 2 && table.markSecond ? fmt::format(" <u>{}</u> |", cell)
                                                             : fmt::format(" {} |", cell);
        }
        text += "\n";
    }
    for (const std::string& note : table.notes) {
        text += fmt::format("\n{}\n", markdownText(note));
    }
    return text;
}

// Behind a row's end or a rule LaTeX would take these for what belongs to it.
std::string atLineStart(const std::string& latex) {
    return (latex.starts_with('[') || latex.starts_with('*') ? "{}" : "") + latex;
}

// One line of headings, or two with a rule under every heading that columns share.
std::string latexHead(const ReportTable& table) {
    std::string upper;
    std::string rules;
    for (const HeadingSpan& span : headingSpans(table)) {
        upper += span.begin > 0 ? " & " : "";
        if (!span.over.empty()) {
            upper += fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", span.end - span.begin,
                                 latexText(printedHeading(span.over)));
            rules += fmt::format("{}\\cmidrule(lr){{{}-{}}}", rules.empty() ? "" : " ",
                                 span.begin + 1, span.end);
        }
    }
    std::string lower;
    for (const ReportColumn& column : table.columns) {
        const std::string heading =
            latexText(printedHeading(column.over.empty() ? column.name : column.under));
        lower += &column == &table.columns.front() ? atLineStart(heading) : " & " + heading;
    }
    return (upper.empty() ? "" : upper + " \\\\\n" + rules + "\n") + lower + " \\\\\n";
}

std::string renderLatex(const ReportTable& table) {
    const auto ranks = rankCells(table);
    const bool floats = !table.caption.empty() || !table.label.empty();
    std::string text = "% \\usepackage{booktabs}\n";
    if (floats) {
        text += "\\begin{table}[tb]\n\\centering\n";
        text +=
            table.caption.empty() ? "" : fmt::format("\\caption{{{}}}\n", latexText(table.caption));
        text += table.label.empty() ? "" : fmt::format("\\label{{{}}}\n", table.label);
    }
    text += "\\begin{tabular}{";
    for (const ReportColumn& column : table.columns) {
        text += column.kind == ColumnKind::Text ? 'l' : 'r';
    }
    text += "}\n\\toprule\n" + latexHead(table) + "\\midrule\n";
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        text += beginsBlock(table, row) ? "\\midrule\n" : "";
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const std::string cell =
                latexText(displayText(table.rows[row].cells[c], table.columns[c]));
            text += c > 0 ? " & " : "";
            text += ranks[row][c] == 1 ? fmt::format("\\textbf{{{}}}", cell)
                    : ranks[row][c] == 2 && table.markSecond
                        ? fmt::format("\\underline{{{}}}", cell)
                    : c == 0 ? atLineStart(cell)
                             : cell;
        }
        text += " \\\\\n";
    }
    text += "\\bottomrule\n\\end{tabular}\n";
    if (!floats) {
        for (const std::string& note : table.notes) {
            text += fmt::format("% {}\n", replaced(note, "\r\n", {" ", " "}));
        }
        return text;
    }
    if (!table.notes.empty()) {
        text += "\n\\smallskip\n\\begin{minipage}{\\linewidth}\\footnotesize\n";
        for (const std::string& note : table.notes) {
            text += latexText(replaced(note, "\r\n", {" ", " "})) + ".\\par\n";
        }
        text += "\\end{minipage}\n";
    }
    return text + "\\end{table}\n";
}

// Characters, not bytes: a name may hold more than ASCII.
std::size_t width(const std::string& text) {
    std::size_t count = 0;
    for (const char c : text) {
        count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    }
    return count;
}

std::string renderTerminal(const ReportTable& table) {
    std::vector<std::vector<std::string>> lines(1);
    for (const ReportColumn& column : table.columns) {
        lines[0].push_back(printedHeading(column.name));
    }
    for (const ReportRow& row : table.rows) {
        auto& line = lines.emplace_back();
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            line.push_back(displayText(row.cells[c], table.columns[c]));
        }
    }
    std::vector<std::size_t> widths(table.columns.size(), 0);
    for (const auto& line : lines) {
        for (std::size_t c = 0; c < line.size(); ++c) {
            widths[c] = std::max(widths[c], width(line[c]));
        }
    }
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::string out;
        for (std::size_t c = 0; c < widths.size(); ++c) {
            const std::string gap(widths[c] - width(lines[i][c]), ' ');
            const bool left = table.columns[c].kind == ColumnKind::Text;
            out += (c > 0 ? "  " : "") + (left ? lines[i][c] + gap : gap + lines[i][c]);
        }
        text += out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
        if (i == 0) {
            text += std::string(width(out), '-') + "\n";
        }
    }
    for (const std::string& note : table.notes) {
        text += note + "\n";
    }
    return text;
}

}  // namespace

std::string displayText(const ReportCell& cell, const ReportColumn& column) {
    const double number = numberIn(cell);
    if (!std::isfinite(number)) {
        const auto* text = std::get_if<std::string>(&cell);
        return text != nullptr ? *text : column.kind == ColumnKind::Text ? "" : kNoNumber;
    }
    if (column.naming && !isExactIn(column.digits, number)) {
        return exactText(cell);
    }
    const auto rounded = [&](double value) {
        return column.kind == ColumnKind::Bytes ? byteText(value)
                                                : fmt::format("{:.{}f}", value, column.digits);
    };
    if (const auto* mean = std::get_if<MeanCell>(&cell); mean != nullptr && mean->count > 1) {
        return fmt::format("{} ± {} (n={})", rounded(number), rounded(mean->deviation),
                           mean->count);
    } else if (mean != nullptr && mean->standardError > 0) {
        return fmt::format("{} ({})", rounded(number), rounded(mean->standardError));
    }
    return column.kind != ColumnKind::Bytes && std::holds_alternative<std::int64_t>(cell)
               ? exactText(cell)
               : rounded(number);
}

ReportFormat reportFormatFromName(const std::string& name) {
    if (name == "csv") {
        return ReportFormat::Csv;
    }
    if (name == "md" || name == "markdown") {
        return ReportFormat::Markdown;
    }
    if (name == "latex" || name == "tex") {
        return ReportFormat::Latex;
    }
    if (name == "table") {
        return ReportFormat::Terminal;
    }
    throw Error("there is no report format \"" + name + "\"", "--format",
                "there are: csv, md, latex, table");
}

std::string render(const ReportTable& table, ReportFormat format) {
    switch (format) {
        case ReportFormat::Csv:
            return renderCsv(table);
        case ReportFormat::Markdown:
            return renderMarkdown(table);
        case ReportFormat::Latex:
            return renderLatex(table);
        case ReportFormat::Terminal:
            return renderTerminal(table);
    }
    return {};
}

}  // namespace cospadi
