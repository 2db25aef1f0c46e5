// The file of figures.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "core/base/error.h"
#include "core/report/figure_design.h"
#include "core/report/name_list.h"
#include "core/report/saved_selection.h"
#include "core/report/table_design.h"
#include "core/store/locations.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFigureFormat = 1;

Json jsonOf(const FigureDesign& design) {
    return {{"name", design.name},        {"chart", design.chart},
            {"x", design.axes.x},         {"y", design.axes.y},
            {"curve", design.axes.curve}, {"facet", design.axes.facet},
            {"matrix", design.matrix},    {"log_x", design.isLogX},
            {"log_y", design.isLogY},     {"runs", jsonOfSelection(design.runs)}};
}

FigureDesign figureOf(const Json& saved, const std::string& where) {
    FigureDesign design;
    const SavedFields fields(saved, where);
    fields.read("name", design.name);
    if (design.name.empty()) {
        fields.fail("has no \"name\"");
    }
    const SavedFields named(saved, fmt::format("{}, figure \"{}\"", where, design.name));
    named.read("chart", design.chart);
    named.read("x", design.axes.x);
    named.read("y", design.axes.y);
    named.read("curve", design.axes.curve);
    named.read("facet", design.axes.facet);
    named.read("matrix", design.matrix);
    named.read("log_x", design.isLogX);
    named.read("log_y", design.isLogY);
    if (const auto runs = saved.find("runs"); runs != saved.end()) {
        design.runs =
            selectionFromJson(*runs, fmt::format("{}, runs of \"{}\"", where, design.name));
    }
    return design;
}

void writeFigures(const std::filesystem::path& file, const std::vector<FigureDesign>& designs) {
    Json figures = Json::array();
    for (const FigureDesign& design : designs) {
        figures.push_back(jsonOf(design));
    }
    std::filesystem::create_directories(file.parent_path());
    writeFileAtomically(file, Json{{"format", kFigureFormat}, {"figures", figures}}.dump(2) + "\n");
}

auto figureNamed(std::vector<FigureDesign>& designs, const std::string& name) {
    return std::find_if(designs.begin(), designs.end(),
                        [&](const FigureDesign& design) { return design.name == name; });
}

[[noreturn]] void failNoFigure(const std::vector<FigureDesign>& designs, const std::string& name,
                               const std::filesystem::path& file) {
    std::string names;
    for (const FigureDesign& design : designs) {
        names += (names.empty() ? "" : ", ") + design.name;
    }
    throw Error(fmt::format("no figure is saved as \"{}\"", name), file.string(),
                names.empty() ? "save one: cospadi report --series … --save NAME, or Figures in "
                                "the window"
                              : "there are: " + names);
}

}  // namespace

SeriesOptions seriesOf(const FigureDesign& design) {
    if (!contains(seriesKinds(), design.chart)) {
        throw Error(fmt::format("the figure \"{}\" is of the chart {}, which the window alone "
                                "draws",
                                design.name, design.chart),
                    "--saved", "open it there: Figures on the page Runs");
    }
    SeriesOptions options;
    options.kind = design.chart;
    options.metric = design.axes.y;
    options.matrix = design.matrix;
    options.axes = design.axes;
    return options;
}

std::filesystem::path savedFiguresPath() { return storePath().parent_path() / "figures.json"; }

std::vector<FigureDesign> savedFigures(const std::filesystem::path& file) {
    std::vector<FigureDesign> designs;
    if (!std::filesystem::exists(file)) {
        return designs;
    }
    std::ifstream stream(file, std::ios::binary);
    const Json saved = Json::parse(stream, nullptr, false);
    const SavedFields fields(saved, file.string());  // refuses what is no JSON object
    int format = 0;
    fields.read("format", format);
    if (format != kFigureFormat) {
        fields.fail(fmt::format("has format {}; this program knows {}", format, kFigureFormat));
    }
    const auto figures = saved.find("figures");
    if (figures == saved.end() || !figures->is_array()) {
        fields.fail("has no list \"figures\"");
    }
    for (const Json& figure : *figures) {
        designs.push_back(figureOf(figure, file.string()));
    }
    return designs;
}

bool isSavedFigure(const std::filesystem::path& file, const std::string& name) {
    std::vector<FigureDesign> designs = savedFigures(file);
    return figureNamed(designs, name) != designs.end();
}

FigureDesign savedFigure(const std::filesystem::path& file, const std::string& name) {
    std::vector<FigureDesign> designs = savedFigures(file);
    const auto found = figureNamed(designs, name);
    if (found == designs.end()) {
        failNoFigure(designs, name, file);
    }
    return *found;
}

void saveFigure(const std::filesystem::path& file, const FigureDesign& design) {
    if (design.name.empty()) {
        throw Error("a figure needs a name to be saved", "name", "give it one");
    }
    const std::filesystem::path tablesFile = file.parent_path() / savedTablesPath().filename();
    for (const TableDesign& table : savedTables(tablesFile)) {
        if (table.name == design.name) {
            throw Error(fmt::format("a table is saved as \"{}\"", design.name), tablesFile.string(),
                        "give the figure another name");
        }
    }
    std::vector<FigureDesign> designs = savedFigures(file);
    const auto found = figureNamed(designs, design.name);
    if (found != designs.end()) {
        *found = design;
    } else {
        designs.push_back(design);
    }
    writeFigures(file, designs);
}

void forgetFigure(const std::filesystem::path& file, const std::string& name) {
    std::vector<FigureDesign> designs = savedFigures(file);
    const auto found = figureNamed(designs, name);
    if (found == designs.end()) {
        failNoFigure(designs, name, file);
    }
    designs.erase(found);
    writeFigures(file, designs);
}

}  // namespace cospadi
