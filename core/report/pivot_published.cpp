#include "core/report/pivot_published.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/report/name_list.h"
#include "core/report/published_values.h"
#include "core/report/run_dimensions.h"

namespace cospadi {

namespace {

std::string publishedLabel(const PublishedValue& value, const PivotOptions& options) {
    const bool named = contains(options.rows, "model") || contains(options.columns, "model") ||
                       value.dense || value.model.empty();
    return fmt::format("{}{} (paper, table {})", value.method, named ? "" : ", " + value.model,
                       value.table);
}

void addPublished(std::vector<ReportRow>& rows, const PublishedValue& value,
                  const PivotOptions& options, const std::vector<PivotKey>& columns) {
    ReportRow row;
    for (const std::string& dimension : options.rows) {
        row.cells.emplace_back(dimension == "method"
                                   ? publishedLabel(value, options)
                                   : settingOf(value.row, dimension).value_or(""));
    }
    const std::size_t names = row.cells.size();
    row.block = fmt::format("paper {} {}", value.table, value.model);
    row.group = row.block + "\n" +
                groupOfRivals(options.rows, PivotKey(row.cells.begin(), row.cells.end()));
    row.cells.resize(names + columns.size());
    row.baseline = value.dense;
    bool stands = false;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        bool fits = true;
        for (std::size_t i = 0; i < options.columns.size(); ++i) {
            const auto setting = settingOf(value.row, options.columns[i]);
            fits = fits && (setting ? *setting == settingText(columns[c][i]) : value.dense);
        }
        if (fits) {
            row.cells[names + c] = value.value;
            stands = true;
        }
    }
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const ReportRow& other) {
        return std::equal(row.cells.begin(), row.cells.begin() + static_cast<std::ptrdiff_t>(names),
                          other.cells.begin());
    });
    if (stands && same == rows.end()) {
        rows.push_back(std::move(row));
    } else if (stands) {
        for (std::size_t c = names; c < row.cells.size(); ++c) {
            if (same->cells[c] == ReportCell()) {
                same->cells[c] = row.cells[c];
            }
        }
    }
}

}  // namespace

void addPublishedRows(ReportTable& table, const PivotOptions& options,
                      const std::vector<PivotKey>& columns) {
    if (!options.beside.empty() && !contains(options.rows, "method")) {
        throw Error("published rows are distinguished by their method", "--beside",
                    "add method to --rows");
    }
    for (const PublishedTable& source : options.beside) {
        std::vector<ReportRow> rows;
        for (const PublishedValue& value : publishedValues({source}, options.metric)) {
            addPublished(rows, value, options, columns);
        }
        table.notes.push_back(
            rows.empty() ? fmt::format("table {} of the paper has no {} for these settings",
                                       source.number, options.metric)
                         : fmt::format("from the paper ({}), table {}: {}", kPaperSource,
                                       source.number, source.caption));
        table.rows.insert(table.rows.end(), rows.begin(), rows.end());
    }
}

}  // namespace cospadi
