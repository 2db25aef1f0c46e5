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

struct ReportColumn {
    std::string name;
    ColumnKind kind = ColumnKind::Text;
    int digits = 2;                    // after the point, except in CSV
    BestValue best = BestValue::None;  // the best of each group is set bold
};

// Empty, text, whole number or number. A NaN shows as empty.
using ReportCell = std::variant<std::monostate, std::string, std::int64_t, double>;

struct ReportRow {
    std::vector<ReportCell> cells;  // one a column
    std::string group;              // rows that are compared with each other
    bool baseline = false;          // e.g. the dense model: never the best
};

struct ReportTable {
    std::vector<ReportColumn> columns;
    std::vector<ReportRow> rows;
};

// best[row][column]: the cell holds the best value of its group (ties: all of them). Groups of one
// row have no best.
std::vector<std::vector<bool>> bestCells(const ReportTable& table);

}  // namespace cospadi
