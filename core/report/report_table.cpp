#include "core/report/report_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace cospadi {

namespace {

struct Rival {
    double value;  // smaller is better
    int* rank;
};

void rank(std::vector<Rival>& rivals) {
    if (rivals.size() < 2) {
        return;
    }
    std::sort(rivals.begin(), rivals.end(),
              [](const Rival& a, const Rival& b) { return a.value < b.value; });
    const double best = rivals.front().value;
    double second = std::numeric_limits<double>::quiet_NaN();
    for (const Rival& rival : rivals) {
        if (rival.value == best) {
            *rival.rank = 1;
        } else if (std::isnan(second) || rival.value == second) {
            second = rival.value;
            *rival.rank = 2;
        }
    }
}

template <class Item>
std::map<std::string, std::vector<std::size_t>> placesByGroup(const std::vector<Item>& items) {
    std::map<std::string, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < items.size(); ++i) {
        places[items[i].group].push_back(i);
    }
    return places;
}

}  // namespace

bool beginsBlock(const ReportTable& table, std::size_t row) {
    return row > 0 && table.rows[row].block != table.rows[row - 1].block;
}

std::string printedHeading(const std::string& heading) {
    static const std::pair<std::string, std::string> kSigns[] = {{"cr", "CR"}, {"rho", "ρ"}};
    std::string printed;
    for (std::size_t begin = 0; begin <= heading.size();) {
        const std::size_t end = std::min(heading.find(", ", begin), heading.size());
        std::string part = heading.substr(begin, end - begin);
        for (const auto& [setting, sign] : kSigns) {
            if (part == setting || part.starts_with(setting + " ")) {
                part.replace(0, setting.size(), sign);
            }
        }
        printed += (begin > 0 ? ", " : "") + part;
        begin = end + 2;
    }
    return printed;
}

std::vector<HeadingSpan> headingSpans(const ReportTable& table) {
    std::vector<HeadingSpan> spans;
    bool two = false;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const std::string& over = table.columns[column].over;
        two = two || !over.empty();
        if (!spans.empty() && !over.empty() && spans.back().over == over) {
            spans.back().end = column + 1;
        } else {
            spans.push_back({over, column, column + 1});
        }
    }
    return two ? spans : std::vector<HeadingSpan>{};
}

double numberIn(const ReportCell& cell) {
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        return static_cast<double>(*whole);
    }
    if (const auto* mean = std::get_if<MeanCell>(&cell)) {
        return mean->mean;
    }
    const auto* number = std::get_if<double>(&cell);
    return number != nullptr ? *number : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::vector<int>> rankCells(const ReportTable& table) {
    const std::size_t rows = table.rows.size();
    const std::size_t columns = table.columns.size();
    std::vector<std::vector<int>> ranks(rows, std::vector<int>(columns, 0));
    const auto add = [&](std::size_t row, std::size_t column, std::vector<Rival>& rivals) {
        const ReportColumn& kind = table.columns[column];
        const double value = numberIn(table.rows[row].cells[column]);
        if (kind.best != BestValue::None && !kind.baseline && !table.rows[row].baseline &&
            !std::isnan(value)) {
            rivals.push_back(
                {kind.best == BestValue::Lowest ? value : -value, &ranks[row][column]});
        }
    };
    if (table.bestAlong == BestAlong::Row) {
        for (const auto& [group, rivalColumns] : placesByGroup(table.columns)) {
            for (std::size_t row = 0; row < rows; ++row) {
                std::vector<Rival> rivals;
                for (const std::size_t column : rivalColumns) {
                    add(row, column, rivals);
                }
                rank(rivals);
            }
        }
        return ranks;
    }
    for (const auto& [group, rivalRows] : placesByGroup(table.rows)) {
        for (std::size_t column = 0; column < columns; ++column) {
            std::vector<Rival> rivals;
            for (const std::size_t row : rivalRows) {
                add(row, column, rivals);
            }
            rank(rivals);
        }
    }
    return ranks;
}

}  // namespace cospadi
