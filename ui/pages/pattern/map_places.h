// What belongs to the places of a pattern's map, given which atom stands in which row (−1: none)
// and which column in which place; an empty order leaves all where they are. Pure functions.
#pragma once

#include <QSize>
#include <cstdint>
#include <vector>

#include "core/forms/sparse_dictionary/sparsity_pattern.h"
#include "ui/charts/pattern_view.h"
#include "ui/pages/pattern/chosen_entries.h"

namespace cospadi::ui {

// atoms: of one run in the rows of a comparison, which stand in this order on the map.
std::vector<std::int64_t> atomsInRows(const std::vector<std::int64_t>& atoms,
                                      const std::vector<std::int64_t>& rowOrder);

// How long the bars beside and above the map are.
struct MapBars {
    std::vector<double> rows;     // columns that use the atom
    std::vector<double> columns;  // atoms that the column uses
};
MapBars usageBars(const SparsityPattern& pattern, const std::vector<std::int64_t>& atoms,
                  const std::vector<std::int64_t>& columnOrder);

// The choice and what belongs to it; map: how many columns and rows there are.
MapMarks marksOf(const PatternChoice& choice, const SparsityPattern& pattern,
                 const std::vector<std::int64_t>& atoms,
                 const std::vector<std::int64_t>& columnOrder, const QSize& map);

}  // namespace cospadi::ui
