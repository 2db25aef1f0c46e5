// A table as its author designed it: which results, in what shape, laid out how. The window's
// Tables page and `cospadi report` make the same table of the same design, and designs are kept by
// name in one small JSON file beside the store (docs/formats.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/report/run_selection.h"
#include "core/report/table_layout.h"

namespace cospadi {

struct TableDesign {
    std::string name;
    // One of these two, or neither: then it is a pivot.
    std::string preset;     // report.h
    std::string published;  // a table of the paper, by name or number
    std::vector<std::string> rows = {"method"};
    std::vector<std::string> columns = {"cr"};
    std::string metric = "perplexity";
    RunSelection runs;                // of a pivot or preset
    std::vector<std::string> beside;  // tables of the paper whose rows stand below one's own
    TableLayout layout;
};

// What labels, order and names of the layout refer to: the table without it, as applyLayout() takes
// it. Throws Error where the design names what is not there, and where no run fits it.
ReportTable plainTable(const RunStore& store, const TableDesign& design);

// tables.json beside the store.
std::filesystem::path savedTablesPath();

// In the order in which they were first saved; none where there is no file. Throws Error naming the
// file, and the table and field in it, where it is damaged or of a newer program.
std::vector<TableDesign> savedTables(const std::filesystem::path& file);
// Throws Error that lists the names there are.
TableDesign savedTable(const std::filesystem::path& file, const std::string& name);
// Takes the place of one of the same name. Atomic; throws Error for a design without a name.
void saveTable(const std::filesystem::path& file, const TableDesign& design);
void forgetTable(const std::filesystem::path& file, const std::string& name);

}  // namespace cospadi
