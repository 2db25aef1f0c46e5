// The file of designed tables.
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/report/figure_design.h"
#include "core/report/saved_list.h"
#include "core/report/saved_selection.h"
#include "core/report/table_design.h"
#include "core/store/locations.h"
#include "core/store/older_index.h"

namespace cospadi {

namespace {

using Json = nlohmann::ordered_json;

Json jsonOf(const TableDesign& design) {
    const TableLayout& layout = design.layout;
    return {{"name", design.name},
            {"preset", design.preset},
            {"published", design.published},
            {"rows", design.rows},
            {"columns", design.columns},
            {"metric", design.metric},
            {"beside", design.beside},
            {"runs", jsonOfSelection(design.runs)},
            {"decimals", layout.decimals ? Json(*layout.decimals) : Json()},
            {"best", layout.best},
            {"second", layout.second ? Json(*layout.second) : Json()},
            {"directions", layout.directions},
            {"deviations", layout.deviations},
            {"standard_errors", layout.standardErrors},
            {"caption", layout.caption},
            {"label", layout.label},
            {"row_order", layout.rowOrder},
            {"column_order", layout.columnOrder},
            {"hidden", layout.hidden},
            {"renamed", layout.renamed}};
}

TableDesign designOf(const Json& saved, const std::string& where) {
    TableDesign design;
    TableLayout& layout = design.layout;
    const SavedFields fields(saved, where);
    fields.read("name", design.name);
    if (design.name.empty()) {
        fields.fail("has no \"name\"");
    }
    const SavedFields named(saved, fmt::format("{}, table \"{}\"", where, design.name));
    named.read("preset", design.preset);
    named.read("published", design.published);
    named.read("rows", design.rows);
    named.read("columns", design.columns);
    named.read("metric", design.metric);
    named.read("beside", design.beside);
    named.read("decimals", layout.decimals);
    named.read("best", layout.best);
    named.read("second", layout.second);
    named.read("directions", layout.directions);
    named.read("deviations", layout.deviations);
    named.read("standard_errors", layout.standardErrors);
    named.read("caption", layout.caption);
    named.read("label", layout.label);
    named.read("row_order", layout.rowOrder);
    named.read("column_order", layout.columnOrder);
    named.read("hidden", layout.hidden);
    named.read("renamed", layout.renamed);
    if (layout.decimals && (*layout.decimals < 0 || *layout.decimals > 17)) {
        named.fail("has \"decimals\" outside 0 … 17");
    }
    if (const auto runs = saved.find("runs"); runs != saved.end()) {
        design.runs =
            selectionFromJson(*runs, fmt::format("{}, runs of \"{}\"", where, design.name));
    }
    return design;
}

const SavedList<TableDesign> kSavedTables = {
    {"table", "tables", "cospadi report … --save NAME"}, jsonOf, designOf};

}  // namespace

std::filesystem::path savedTablesPath() { return storePath().parent_path() / "tables.json"; }

std::vector<TableDesign> savedTables(const std::filesystem::path& file) {
    if (file == savedTablesPath()) {
        adoptOlderIndex();
    }
    return kSavedTables.read(file);
}

TableDesign savedTable(const std::filesystem::path& file, const std::string& name) {
    return kSavedTables.get(file, name);
}

void saveTable(const std::filesystem::path& file, const TableDesign& design) {
    const std::filesystem::path figures = file.parent_path() / savedFiguresPath().filename();
    if (findSavedFigure(figures, design.name)) {
        throw Error(fmt::format("there is already a figure saved as \"{}\"", design.name),
                    figures.string(), "give the table another name");
    }
    kSavedTables.put(file, design);
}

void forgetTable(const std::filesystem::path& file, const std::string& name) {
    kSavedTables.remove(file, name);
}

}  // namespace cospadi
