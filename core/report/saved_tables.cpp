// The file of designed tables.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/report/figure_design.h"
#include "core/report/saved_selection.h"
#include "core/report/table_design.h"
#include "core/store/locations.h"
#include "core/store/older_index.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

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

void write(const std::filesystem::path& file, const std::vector<TableDesign>& designs) {
    Json tables = Json::array();
    for (const TableDesign& design : designs) {
        tables.push_back(jsonOf(design));
    }
    std::filesystem::create_directories(file.parent_path());
    writeFileAtomically(file, Json{{"format", kFormat}, {"tables", tables}}.dump(2) + "\n");
}

auto named(std::vector<TableDesign>& designs, const std::string& name) {
    return std::find_if(designs.begin(), designs.end(),
                        [&](const TableDesign& design) { return design.name == name; });
}

[[noreturn]] void failUnknown(const std::vector<TableDesign>& designs, const std::string& name,
                              const std::filesystem::path& file) {
    std::string names;
    for (const TableDesign& design : designs) {
        names += (names.empty() ? "" : ", ") + design.name;
    }
    throw Error(fmt::format("no table is saved as \"{}\"", name), file.string(),
                names.empty() ? "save one: cospadi report … --save NAME" : "there are: " + names);
}

}  // namespace

std::filesystem::path savedTablesPath() { return storePath().parent_path() / "tables.json"; }

std::vector<TableDesign> savedTables(const std::filesystem::path& file) {
    std::vector<TableDesign> designs;
    if (file == savedTablesPath()) {
        adoptOlderIndex();
    }
    if (!std::filesystem::exists(file)) {
        return designs;
    }
    std::ifstream stream(file, std::ios::binary);
    const Json saved = Json::parse(stream, nullptr, false);
    const SavedFields fields(saved, file.string());  // refuses what is no JSON object
    int format = 0;
    fields.read("format", format);
    if (format != kFormat) {
        fields.fail(fmt::format("has format {}; this program knows {}", format, kFormat));
    }
    const auto tables = saved.find("tables");
    if (tables == saved.end() || !tables->is_array()) {
        fields.fail("has no list \"tables\"");
    }
    for (const Json& table : *tables) {
        designs.push_back(designOf(table, file.string()));
    }
    return designs;
}

TableDesign savedTable(const std::filesystem::path& file, const std::string& name) {
    std::vector<TableDesign> designs = savedTables(file);
    const auto found = named(designs, name);
    if (found == designs.end()) {
        failUnknown(designs, name, file);
    }
    return *found;
}

void saveTable(const std::filesystem::path& file, const TableDesign& design) {
    if (design.name.empty()) {
        throw Error("a table needs a name to be saved", "name", "give it one");
    }
    const std::filesystem::path figures = file.parent_path() / savedFiguresPath().filename();
    if (isSavedFigure(figures, design.name)) {
        throw Error(fmt::format("a figure is saved as \"{}\"", design.name), figures.string(),
                    "give the table another name");
    }
    std::vector<TableDesign> designs = savedTables(file);
    const auto found = named(designs, design.name);
    if (found != designs.end()) {
        *found = design;
    } else {
        designs.push_back(design);
    }
    write(file, designs);
}

void forgetTable(const std::filesystem::path& file, const std::string& name) {
    std::vector<TableDesign> designs = savedTables(file);
    const auto found = named(designs, name);
    if (found == designs.end()) {
        failUnknown(designs, name, file);
    }
    designs.erase(found);
    write(file, designs);
}

}  // namespace cospadi
