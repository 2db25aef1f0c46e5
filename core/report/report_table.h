// A table of results, before it is CSV, Markdown, LaTeX or lines on a terminal: typed cells, so
// that every renderer rounds and aligns for itself and CSV keeps full precision.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace cospadi {

enum class ColumnKind { Text, Number, Bytes };
enum class BestValue { None, Lowest, Highest };

// Where print has room for two lines of headings, columns beside each other that have the same
// `over` share it, and `under` stands below it; everywhere else, and where `over` is empty, the
// column is called by its name, which says both.
struct ReportColumn {
    std::string name;
    ColumnKind kind = ColumnKind::Text;
    int digits = 2;                    // after the point, except in CSV
    BestValue best = BestValue::None;  // the best of each group is set bold
    bool baseline = false;             // where rows are compared: never the best
    // Tells rows apart, as every column of text does: a setting, which is shown with all its
    // digits.
    bool naming = false;
    std::string over = {};
    std::string under = {};
    std::string group = {};  // where the cells of a row are compared: columns that are rivals
};

// A mean over repetitions: "33.10 ± 0.40 (n=3)". deviation is the sample's (n − 1), 0 for n = 1.
// standardError: of a single result over the items of its task, "0.68 (0.01)"; 0 where it is
// unknown, not asked for, or n > 1.
struct MeanCell {
    double mean = 0;
    double deviation = 0;
    std::int64_t count = 0;
    double standardError = 0;
    bool operator==(const MeanCell&) const = default;
};

// What stands for a number that is not there wherever a table is read; CSV leaves it empty.
inline constexpr const char* kNoNumber = "–";

// Empty, text, whole number, number or mean. A NaN counts as empty.
using ReportCell = std::variant<std::monostate, std::string, std::int64_t, double, MeanCell>;

// Whether the cells of a column are compared with each other, or those of a row.
enum class BestAlong { Column, Row };

struct ReportRow {
    std::vector<ReportCell> cells;  // one a column
    std::string group;              // rows that are compared with each other
    bool baseline = false;          // e.g. the dense model: never the best
    // Rows that stand together: LaTeX and the window draw a rule where it changes.
    std::string block = {};
};

struct ReportTable {
    std::vector<ReportColumn> columns;
    std::vector<ReportRow> rows;
    std::vector<std::string> notes;  // below the table: what was measured, what was left out
    BestAlong bestAlong = BestAlong::Column;
    bool markSecond = false;  // the second best is underlined
    // LaTeX: with either of them the table floats, and its notes are printed below it.
    std::string caption = {};
    std::string label = {};
};

// rank[row][column]: 1 where the cell holds the best value of its group (ties: all of them), 2 for
// the second best, 0 for all others. Groups of one cell have no best. Groups are of rows, or along
// a row of columns.
std::vector<std::vector<int>> rankCells(const ReportTable& table);

// Whether a rule stands above this row: it begins another block than the row before.
bool beginsBlock(const ReportTable& table, std::size_t row);

// As print has it: CR and ρ for the settings "cr" and "rho", with a value or without. CSV and
// Markdown keep the names of the settings.
std::string printedHeading(const std::string& heading);

// Columns beside each other under one heading; `over` is empty for a column of its own.
struct HeadingSpan {
    std::string over;
    std::size_t begin = 0;
    std::size_t end = 0;
};

// In order, all columns; empty where one line of headings is enough.
std::vector<HeadingSpan> headingSpans(const ReportTable& table);

// The number in a cell; NaN for text and empty ones.
double numberIn(const ReportCell& cell);

}  // namespace cospadi
