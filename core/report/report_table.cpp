#include "core/report/report_table.h"

#include <cmath>
#include <limits>

namespace cospadi {

namespace {

double numberOf(const ReportCell& cell) {
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        return static_cast<double>(*whole);
    }
    const auto* number = std::get_if<double>(&cell);
    return number != nullptr ? *number : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::vector<std::vector<bool>> bestCells(const ReportTable& table) {
    std::vector<std::vector<bool>> best(table.rows.size(),
                                        std::vector<bool>(table.columns.size(), false));
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        if (table.columns[column].best == BestValue::None) {
            continue;
        }
        const double sign = table.columns[column].best == BestValue::Lowest ? 1.0 : -1.0;
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            const double value = sign * numberOf(table.rows[row].cells[column]);
            int rivals = 0;
            bool beaten = std::isnan(value) || table.rows[row].baseline;
            for (std::size_t other = 0; other < table.rows.size(); ++other) {
                const double rival = sign * numberOf(table.rows[other].cells[column]);
                if (other == row || table.rows[other].baseline || std::isnan(rival) ||
                    table.rows[other].group != table.rows[row].group) {
                    continue;
                }
                ++rivals;
                beaten = beaten || rival < value;
            }
            best[row][column] = !beaten && rivals > 0;
        }
    }
    return best;
}

}  // namespace cospadi
