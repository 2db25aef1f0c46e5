// The file of designed tables.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/report/table_design.h"
#include "core/store/locations.h"
#include "core/store/older_index.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

// "cr": [0.2] where it is one of these; any other relation stands behind the field: "rho>=".
Json jsonOf(const std::vector<RunCondition>& conditions) {
    Json where = Json::object();
    for (const RunCondition& condition : conditions) {
        const bool isPlain = condition.relation == Relation::Is;
        where[condition.field + (isPlain ? "" : signOf(condition.relation))] = condition.values;
    }
    return where;
}

RunCondition conditionFrom(const std::string& key, const std::vector<std::string>& values) {
    for (const Relation relation : {Relation::AtLeast, Relation::AtMost, Relation::IsNot,
                                    Relation::Below, Relation::Above, Relation::Holds}) {
        if (key.ends_with(signOf(relation))) {
            return {key.substr(0, key.size() - std::string(signOf(relation)).size()), relation,
                    values};
        }
    }
    return {key, Relation::Is, values};
}

Json jsonOf(const TableDesign& design) {
    const TableLayout& layout = design.layout;
    const RunFilter& filter = design.runs.filter;
    return {{"name", design.name},
            {"preset", design.preset},
            {"published", design.published},
            {"rows", design.rows},
            {"columns", design.columns},
            {"metric", design.metric},
            {"beside", design.beside},
            {"runs",
             {{"method", filter.method},
              {"solver", filter.solver},
              {"model", filter.model},
              {"status", filter.status},
              {"tag", filter.tag},
              {"search", filter.text},
              {"tags", design.runs.tags},
              {"where", jsonOf(design.runs.where)},
              {"layers", design.runs.layers},
              {"cr", design.runs.cr},
              {"rho", design.runs.rho},
              {"starred", filter.starredOnly},
              {"archived", filter.includeArchived},
              {"limit", filter.limit}}},
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

// Reads the fields of one object; absent ones keep what they hold.
class Fields {
  public:
    Fields(const Json& object, std::string where) : m_object(object), m_where(std::move(where)) {
        if (!object.is_object()) {
            fail("is not an object");
        }
    }

    template <typename Value>
    void read(const char* field, Value& value) const {
        const auto found = m_object.find(field);
        if (found == m_object.end() || found->is_null()) {
            return;
        }
        try {
            value = found->get<Value>();
        } catch (const nlohmann::json::exception&) {
            fail(fmt::format("has an unfit \"{}\"", field));
        }
    }

    template <typename Value>
    void read(const char* field, std::optional<Value>& value) const {
        if (const auto found = m_object.find(field); found != m_object.end() && !found->is_null()) {
            Value known{};
            read(field, known);
            value = known;
        }
    }

    [[noreturn]] void fail(const std::string& problem) const {
        throw Error(problem, m_where, "mend the file, or move it away to begin anew");
    }

  private:
    const Json& m_object;
    std::string m_where;
};

TableDesign designOf(const Json& saved, const std::string& where) {
    TableDesign design;
    TableLayout& layout = design.layout;
    RunFilter& filter = design.runs.filter;
    const Fields fields(saved, where);
    fields.read("name", design.name);
    if (design.name.empty()) {
        fields.fail("has no \"name\"");
    }
    const Fields named(saved, fmt::format("{}, table \"{}\"", where, design.name));
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
        const Fields selection(*runs, fmt::format("{}, runs of \"{}\"", where, design.name));
        selection.read("method", filter.method);
        selection.read("solver", filter.solver);
        selection.read("model", filter.model);
        selection.read("status", filter.status);
        selection.read("tag", filter.tag);
        selection.read("search", filter.text);
        selection.read("tags", design.runs.tags);
        std::map<std::string, std::vector<std::string>> filters;
        selection.read("where", filters);
        for (const auto& [field, values] : filters) {
            design.runs.where.push_back(conditionFrom(field, values));
        }
        selection.read("layers", design.runs.layers);
        selection.read("cr", design.runs.cr);
        selection.read("rho", design.runs.rho);
        selection.read("starred", filter.starredOnly);
        selection.read("archived", filter.includeArchived);
        selection.read("limit", filter.limit);
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
    const Fields fields(saved, file.string());  // refuses what is no JSON object
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
