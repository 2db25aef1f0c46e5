#include "core/report/table_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/report/name_list.h"
#include "core/report/report.h"

namespace cospadi {

namespace {

std::vector<std::string> columnLabels(const ReportTable& table) {
    std::vector<std::string> labels;
    for (const ReportColumn& column : table.columns) {
        labels.push_back(column.name);
    }
    return labels;
}

// Places of what stays, in the order that is asked for.
std::vector<std::size_t> arranged(const std::vector<std::string>& labels,
                                  const std::vector<std::string>& order,
                                  const std::vector<std::string>& hidden) {
    std::vector<std::size_t> places(labels.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::erase_if(places, [&](std::size_t place) { return contains(hidden, labels[place]); });
    const auto rank = [&](std::size_t place) {
        return std::find(order.begin(), order.end(), labels[place]) - order.begin();
    };
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    return places;
}

template <typename Item>
void choose(std::vector<Item>& items, const std::vector<std::size_t>& places) {
    std::vector<Item> chosen;
    for (const std::size_t place : places) {
        chosen.push_back(std::move(items[place]));
    }
    items = std::move(chosen);
}

template <typename Renamed>
void renameHeading(ReportColumn& column, const Renamed& renamed) {
    if (renamed(column.name)) {
        column.over.clear();
        column.under.clear();
        return;
    }
    const bool over = renamed(column.over);
    const bool under = renamed(column.under);
    if (over || under) {
        column.name =
            column.over + (column.over.empty() || column.under.empty() ? "" : ", ") + column.under;
    }
}

}  // namespace

std::vector<std::string> rowLabels(const ReportTable& table) {
    std::vector<std::string> labels;
    for (const ReportRow& row : table.rows) {
        std::string label;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const ReportColumn& column = table.columns[c];
            const ReportCell& cell = row.cells[c];
            const bool isThere =
                std::holds_alternative<std::string>(cell) || std::isfinite(numberIn(cell));
            const bool names = column.kind == ColumnKind::Text || (column.naming && isThere);
            const std::string text = names ? displayText(cell, column) : "";
            label += (label.empty() || text.empty() ? "" : ", ") + text;
        }
        std::string unique = label;
        for (int copy = 2; contains(labels, unique); ++copy) {
            unique = fmt::format("{} #{}", label, copy);
        }
        labels.push_back(unique);
    }
    return labels;
}

std::vector<std::string> unknownLabels(const ReportTable& table, const TableLayout& layout) {
    const std::vector<std::string> rows = rowLabels(table);
    const std::vector<std::string> columns = columnLabels(table);
    std::vector<std::string> unknown;
    const auto look = [&](const std::vector<std::string>& names, bool inRows, bool inColumns) {
        for (const std::string& name : names) {
            const bool isKnown =
                (inRows && contains(rows, name)) || (inColumns && contains(columns, name));
            if (!isKnown && !contains(unknown, name)) {
                unknown.push_back(name);
            }
        }
    };
    look(layout.hidden, true, true);
    look(layout.rowOrder, true, false);
    look(layout.columnOrder, false, true);
    return unknown;
}

std::vector<std::string> renamableTexts(const ReportTable& table) {
    std::vector<std::string> texts;
    const auto add = [&](const std::string& text) {
        if (!text.empty() && !contains(texts, text)) {
            texts.push_back(text);
        }
    };
    for (const ReportColumn& column : table.columns) {
        for (const std::string* heading : {&column.name, &column.over, &column.under}) {
            add(*heading);
        }
    }
    for (const ReportRow& row : table.rows) {
        for (const ReportCell& cell : row.cells) {
            const auto* text = std::get_if<std::string>(&cell);
            add(text != nullptr ? *text : "");
        }
    }
    return texts;
}

namespace {

// "perplexity ↓"; one that says so already stays as it is.
void pointToTheBetter(ReportColumn& column) {
    const char* const arrow = column.best == BestValue::Lowest    ? " ↓"
                              : column.best == BestValue::Highest ? " ↑"
                                                                  : "";
    for (std::string* heading : {&column.name, &column.under}) {
        const bool isPointed =
            heading->find("↓") != std::string::npos || heading->find("↑") != std::string::npos;
        if (!heading->empty() && !isPointed) {
            *heading += arrow;
        }
    }
}

}  // namespace

void applyLayout(ReportTable& table, const TableLayout& layout) {
    choose(table.rows, arranged(rowLabels(table), layout.rowOrder, layout.hidden));
    const auto columns = arranged(columnLabels(table), layout.columnOrder, layout.hidden);
    choose(table.columns, columns);
    const auto renamed = [&](std::string& text) {
        const auto found = layout.renamed.find(text);
        if (found != layout.renamed.end()) {
            text = found->second;
        }
        return found != layout.renamed.end();
    };
    bool told = false;
    for (ReportRow& row : table.rows) {
        choose(row.cells, columns);
        for (ReportCell& cell : row.cells) {
            if (auto* text = std::get_if<std::string>(&cell)) {
                renamed(*text);
            } else if (auto* mean = std::get_if<MeanCell>(&cell); mean != nullptr) {
                mean->standardError = layout.standardErrors ? mean->standardError : 0;
                told = told || mean->standardError > 0;
                if (!layout.deviations && mean->standardError == 0) {
                    cell = ReportCell(double{mean->mean});
                }
            }
        }
    }
    for (ReportColumn& column : table.columns) {
        renameHeading(column, renamed);
        if (layout.directions) {
            pointToTheBetter(column);
        }
        column.digits = layout.decimals.value_or(column.digits);
        column.best = layout.best ? column.best : BestValue::None;
    }
    if (told) {
        table.notes.emplace_back("in brackets: the standard error over the items of the task");
    }
    table.caption = layout.caption;
    table.label = layout.label;
    table.markSecond = layout.best && layout.second.value_or(table.markSecond);
}

}  // namespace cospadi
