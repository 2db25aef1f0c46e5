#include "core/report/report_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/report/series.h"

namespace cospadi {

namespace {

class Arguments {
  public:
    void add(const char* option, const std::string& value) {
        if (!value.empty()) {
            m_words.insert(m_words.end(), {option, value});
        }
    }
    void add(const char* option, const std::vector<std::string>& values, const char* between) {
        add(option, fmt::format("{}", fmt::join(values, between)));
    }
    void add(const char* option, const std::vector<double>& values) {
        add(option, fmt::format("{}", fmt::join(values, ",")));
    }
    void flag(const char* option, bool set) {
        if (set) {
            m_words.emplace_back(option);
        }
    }
    std::vector<std::string> words() && { return std::move(m_words); }

  private:
    std::vector<std::string> m_words = {"report"};
};

void addSelection(Arguments& arguments, const RunSelection& runs) {
    arguments.add("--method", runs.filter.method);
    arguments.add("--solver", runs.filter.solver);
    arguments.add("--cr", runs.cr);
    arguments.add("--rho", runs.rho);
    arguments.add("--layers", runs.layers);
    arguments.add("--model", runs.filter.model);
    arguments.add("--status", runs.filter.status);
    arguments.add("--tag", runs.filter.tag);
    for (const std::string& tag : runs.tags) {
        arguments.add("--tag", tag);
    }
    for (const RunCondition& condition : runs.where) {
        arguments.add("--where", textOf(condition));
    }
    arguments.add("--search", runs.filter.text);
    arguments.flag("--starred", runs.filter.starredOnly);
    arguments.flag("--archived", runs.filter.includeArchived);
    arguments.add("--limit", runs.filter.limit > 0 ? std::to_string(runs.filter.limit) : "");
}

void addShape(Arguments& arguments, const TableDesign& design) {
    arguments.add("--preset", design.preset);
    arguments.add("--published", design.published);
    if (!design.published.empty()) {
        return;
    }
    if (design.preset.empty()) {
        arguments.add("--rows", design.rows, ",");
        if (design.columns.empty()) {
            arguments.flag("--no-columns", true);
        }
        arguments.add("--columns", design.columns, ",");
        arguments.add("--metric", design.metric);
        arguments.add("--beside", design.beside, ",");
    }
    addSelection(arguments, design.runs);
}

}  // namespace

std::vector<std::string> reportArguments(const TableDesign& design) {
    Arguments arguments;
    addShape(arguments, design);
    const TableLayout& layout = design.layout;
    arguments.add("--decimals", layout.decimals ? std::to_string(*layout.decimals) : "");
    arguments.flag("--no-best", !layout.best);
    arguments.flag("--underline-second", layout.second.value_or(false));
    arguments.flag("--no-second", !layout.second.value_or(true));
    arguments.flag("--directions", layout.directions);
    arguments.flag("--no-deviation", !layout.deviations);
    arguments.flag("--standard-errors", layout.standardErrors);
    arguments.add("--caption", layout.caption);
    arguments.add("--label", layout.label);
    arguments.add("--row-order", layout.rowOrder, ";");
    arguments.add("--column-order", layout.columnOrder, ";");
    arguments.add("--hide", layout.hidden, ";");
    for (const auto& [old, name] : layout.renamed) {
        arguments.add("--rename", old + "=" + name);
    }
    return std::move(arguments).words();
}

std::vector<std::string> reportArguments(const FigureDesign& design) {
    Arguments arguments;
    arguments.add("--series", design.chart);
    arguments.add("--metric", design.axes.y);
    if (design.chart == "ablation") {
        arguments.add("--x", design.axes.x);
        arguments.add("--curve", design.axes.curve);
        arguments.add("--facet", design.axes.facet);
    }
    arguments.add("--matrix", choosesMatrices(design.chart) ? design.matrix : "");
    addSelection(arguments, design.runs);
    return std::move(arguments).words();
}

}  // namespace cospadi
