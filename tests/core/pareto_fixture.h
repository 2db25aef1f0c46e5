// What tests of the table of bytes against a metric share: runs of 500,000 weights, and cells by
// the names of their columns.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/report/report_table.h"
#include "core/store/run_row.h"
#include "tests/core/report_fixture.h"

namespace cospadi::pareto_fixture {

using report_fixture::storedRun;
using report_fixture::withSettings;

// 500,000 weights, as all runs of the fixture have.
constexpr double kWeights = 500'000;

inline RunRow denseRun(double perplexity) {
    RunRow run = storedRun("dense", 0, 2, 1, perplexity);
    run.layerBytes = 0;
    run.denseBytes = 0;
    return run;
}

inline RunRow quantised(const std::string& method, int bits, int groupSize, double perplexity) {
    RunRow run = withSettings(storedRun(method, 0, 2, 1, perplexity),
                              {{"bits", bits}, {"group_size", groupSize}});
    run.layerBytes = static_cast<std::int64_t>(kWeights * (bits + 32.0 / groupSize) / 8);
    run.cr = run.measuredRatio();
    return run;
}

inline std::size_t columnOf(const ReportTable& table, const std::string& name) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].name == name) {
            return c;
        }
    }
    return table.columns.size();
}

inline std::string textOf(const ReportTable& table, const ReportRow& row,
                          const std::string& column) {
    const std::size_t c = columnOf(table, column);
    const auto* text = c < row.cells.size() ? std::get_if<std::string>(&row.cells[c]) : nullptr;
    return text != nullptr ? *text : "";
}

inline double numberOf(const ReportTable& table, const ReportRow& row, const std::string& column) {
    const std::size_t c = columnOf(table, column);
    return c < row.cells.size() ? numberIn(row.cells[c]) : std::nan("");
}

inline std::vector<std::string> linesOf(const ReportTable& table) {
    std::vector<std::string> lines;
    for (const ReportRow& row : table.rows) {
        lines.push_back(textOf(table, row, "method"));
    }
    return lines;
}

}  // namespace cospadi::pareto_fixture
