// How a table is laid out by hand, whatever it holds: digits, what stands out, which rows and
// columns in which order, and what they are called.
//
// Rows and columns are named by their labels: a column by its heading ("cr 0.2"), a row by the
// cells that tell it apart from others, joined by commas ("all, cospadi (fast)"). Labels that a
// table does not have are passed over, so that a layout outlives the runs it was made with.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/report/report_table.h"

namespace cospadi {

struct TableLayout {
    std::optional<int> decimals;        // of every number; each column's own where absent
    bool best = true;                   // bold
    std::optional<bool> second;         // underlined; as the table has it where absent
    bool directions = false;            // headings say which way is better: ↑, ↓
    bool deviations = true;             // "33.1 ± 0.4 (n=3)", else the mean alone
    bool standardErrors = false;        // "0.68 (0.01)", where a task tells them
    std::string caption, label;         // of a floating table in LaTeX
    std::vector<std::string> rowOrder;  // labels; all others follow as they were
    std::vector<std::string> columnOrder;
    std::vector<std::string> hidden;  // labels of rows and columns
    // Headings and texts, old to new; of a heading in two lines each line, or its whole name, which
    // makes one line of it.
    std::map<std::string, std::string> renamed;
    bool operator==(const TableLayout&) const = default;
};

// Labels are unique: a second row of the same name has "#2" behind it.
std::vector<std::string> rowLabels(const ReportTable& table);

// Labels that the layout hides or orders by and the table does not have, each once.
std::vector<std::string> unknownLabels(const ReportTable& table, const TableLayout& layout);

// What can be renamed, each once: headings by their whole names and by their lines, and texts.
std::vector<std::string> renamableTexts(const ReportTable& table);

// Hiding and order come first: labels are those of the table before anything is renamed.
void applyLayout(ReportTable& table, const TableLayout& layout);

}  // namespace cospadi
