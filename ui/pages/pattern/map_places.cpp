#include "ui/pages/pattern/map_places.h"

#include "core/patterns/pattern_values.h"
#include "ui/charts/pattern_pyramid.h"

namespace cospadi::ui {

std::vector<std::int64_t> atomsInRows(const std::vector<std::int64_t>& atoms,
                                      const std::vector<std::int64_t>& rowOrder) {
    if (rowOrder.empty()) {
        return atoms;
    }
    std::vector<std::int64_t> result;
    result.reserve(rowOrder.size());
    for (const std::int64_t row : rowOrder) {
        result.push_back(atoms[static_cast<std::size_t>(row)]);
    }
    return result;
}

MapBars usageBars(const SparsityPattern& pattern, const std::vector<std::int64_t>& atoms,
                  const std::vector<std::int64_t>& columnOrder) {
    const std::vector<std::int64_t> columnUses = columnUsage(pattern);
    MapBars bars;
    const auto count = static_cast<std::int64_t>(atoms.empty() ? static_cast<std::size_t>(pattern.k)
                                                               : atoms.size());
    for (std::int64_t row = 0; row < count; ++row) {
        const std::int64_t atom = placed(atoms, row);
        bars.rows.push_back(
            atom < 0 ? 0.0
                     : static_cast<double>(pattern.atomUsage[static_cast<std::size_t>(atom)]));
    }
    for (std::int64_t column = 0; column < pattern.d2; ++column) {
        bars.columns.push_back(
            static_cast<double>(columnUses[static_cast<std::size_t>(placed(columnOrder, column))]));
    }
    return bars;
}

MapMarks marksOf(const PatternChoice& choice, const SparsityPattern& pattern,
                 const std::vector<std::int64_t>& atoms,
                 const std::vector<std::int64_t>& columnOrder, const QSize& map) {
    MapMarks marks;
    const auto entry = [&](std::int64_t atom, std::int64_t column) {
        return atom >= 0 &&
               pattern.entries[static_cast<std::size_t>(column * pattern.k + atom)] != 0;
    };
    if (choice.kind == PatternChoice::Kind::Atom) {
        for (int row = 0; row < map.height(); ++row) {
            marks.row = placed(atoms, row) == choice.place ? row : marks.row;
        }
        for (int column = 0; column < map.width(); ++column) {
            marks.columns.push_back(entry(choice.place, placed(columnOrder, column)));
        }
    } else if (choice.kind == PatternChoice::Kind::Column) {
        for (int column = 0; column < map.width(); ++column) {
            marks.column = placed(columnOrder, column) == choice.place ? column : marks.column;
        }
        for (int row = 0; row < map.height(); ++row) {
            marks.rows.push_back(entry(placed(atoms, row), choice.place));
        }
    }
    return marks;
}

}  // namespace cospadi::ui
