// The file of figures.
#include <fmt/format.h>

#include <utility>

#include "core/base/error.h"
#include "core/report/figure_design.h"
#include "core/report/name_list.h"
#include "core/report/saved_list.h"
#include "core/report/saved_selection.h"
#include "core/report/table_design.h"
#include "core/store/locations.h"

namespace cospadi {

namespace {

using Json = nlohmann::ordered_json;

Json jsonOf(const FigureDesign& design) {
    Json saved = {
        {"name", design.name},     {"chart", design.chart},      {"x", design.axes.x},
        {"y", design.axes.y},      {"curve", design.axes.curve}, {"facet", design.axes.facet},
        {"matrix", design.matrix}, {"log_x", design.isLogX},     {"log_y", design.isLogY}};
    if (const auto& parallel = design.parallel) {
        saved["axes"] = {
            {"order", parallel->order}, {"hidden", parallel->hidden}, {"colour", parallel->colour}};
    }
    if (const auto& sweep = design.sweep) {
        saved["sweep"] = {{"name", sweep->name},
                          {"shows", sweep->axes.metric},
                          {"down", sweep->axes.rows},
                          {"across", sweep->axes.columns}};
    }
    saved["runs"] = jsonOfSelection(design.runs);
    return saved;
}

void readCharts(const Json& saved, const std::string& where, FigureDesign& design) {
    if (const auto axes = saved.find("axes"); axes != saved.end()) {
        const SavedFields fields(*axes, fmt::format("{}, axes of \"{}\"", where, design.name));
        design.parallel.emplace();
        fields.read("order", design.parallel->order);
        fields.read("hidden", design.parallel->hidden);
        fields.read("colour", design.parallel->colour);
    }
    if (const auto sweep = saved.find("sweep"); sweep != saved.end()) {
        const SavedFields fields(*sweep, fmt::format("{}, sweep of \"{}\"", where, design.name));
        design.sweep.emplace();
        fields.read("name", design.sweep->name);
        fields.read("shows", design.sweep->axes.metric);
        fields.read("down", design.sweep->axes.rows);
        fields.read("across", design.sweep->axes.columns);
    }
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
    readCharts(saved, where, design);
    if (const auto runs = saved.find("runs"); runs != saved.end()) {
        design.runs =
            selectionFromJson(*runs, fmt::format("{}, runs of \"{}\"", where, design.name));
    }
    return design;
}

const SavedList<FigureDesign> kSavedFigures = {
    {"figure", "figures", "cospadi report --series … --save NAME, or Figures in the window"},
    jsonOf,
    figureOf};

}  // namespace

SeriesOptions seriesOf(const FigureDesign& design) {
    if (!contains(seriesKinds(), design.chart)) {
        throw Error(
            fmt::format("the figure \"{}\" shows the chart {}, which only the window can draw",
                        design.name, design.chart),
            "--saved", "open it in the window: Figures on the page Runs");
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
    return kSavedFigures.read(file);
}

std::optional<FigureDesign> findSavedFigure(const std::filesystem::path& file,
                                            const std::string& name) {
    for (FigureDesign& design : kSavedFigures.read(file)) {
        if (design.name == name) {
            return std::move(design);
        }
    }
    return std::nullopt;
}

FigureDesign savedFigure(const std::filesystem::path& file, const std::string& name) {
    return kSavedFigures.get(file, name);
}

void saveFigure(const std::filesystem::path& file, const FigureDesign& design) {
    const std::filesystem::path tablesFile = file.parent_path() / savedTablesPath().filename();
    for (const TableDesign& table : savedTables(tablesFile)) {
        if (table.name == design.name) {
            throw Error(fmt::format("there is already a table saved as \"{}\"", design.name),
                        tablesFile.string(), "give the figure another name");
        }
    }
    kSavedFigures.put(file, design);
}

void forgetFigure(const std::filesystem::path& file, const std::string& name) {
    kSavedFigures.remove(file, name);
}

}  // namespace cospadi
