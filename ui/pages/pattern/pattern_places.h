// Which atom and which column of a pattern stand in each row and column of the maps. With another
// run beside it a row is a pair of matched atoms (core/patterns/pattern_difference.h), and atoms
// without a partner stand below. A value: what it arranges is shared and does not change.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ui/charts/map_marks.h"
#include "ui/pages/pattern/chosen_entries.h"
#include "ui/sources/pattern_source.h"

namespace cospadi::ui {

class PatternPlaces {
  public:
    PatternPlaces();  // of nothing
    // Neither is null; k = 0: there is none.
    PatternPlaces(std::shared_ptr<const PatternData> pattern,
                  std::shared_ptr<const PatternPair> pair, bool atomsByUse, bool columnsByCluster);

    const PatternData& pattern() const { return *m_pattern; }
    const std::shared_ptr<const PatternPair>& pair() const { return m_pair; }
    bool isPaired() const { return m_pair->second.k > 0; }
    std::int64_t rowCount() const;
    std::int64_t columnCount() const { return m_pattern->pattern.d2; }

    // As patternPyramid() has orders: empty, as they are. Of rows: numbers of atoms, or of rows of
    // the difference.
    const std::vector<std::int64_t>& rowOrder() const { return m_rowOrder; }
    const std::vector<std::int64_t>& columnOrder() const { return m_columnOrder; }
    // The atom of either run in every row; −1: none. firstAtoms() may be empty: as they are.
    std::vector<std::int64_t> firstAtoms() const;
    std::vector<std::int64_t> secondAtoms() const;  // where paired

    std::int64_t atomIn(std::int64_t row) const;  // of the first run; −1: none
    std::int64_t columnIn(std::int64_t column) const;
    // What belongs to the choice, on a map of the first run.
    MapMarks marksOf(const PatternChoice& choice) const;

  private:
    std::vector<std::int64_t> inRows(const std::vector<std::int64_t>& atoms) const;

    std::shared_ptr<const PatternData> m_pattern;
    std::shared_ptr<const PatternPair> m_pair;
    std::vector<std::int64_t> m_rowOrder;
    std::vector<std::int64_t> m_columnOrder;
};

// How many columns use the atom in each row, and how many atoms the column in each place uses; 0
// where there is none.
std::vector<double> usesInRows(const SparsityPattern& pattern,
                               const std::vector<std::int64_t>& atoms);
std::vector<double> usesInColumns(const SparsityPattern& pattern,
                                  const std::vector<std::int64_t>& columnOrder);

}  // namespace cospadi::ui
