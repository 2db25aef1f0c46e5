#include "ui/pages/pattern/pattern_places.h"

#include <numeric>
#include <utility>

#include "ui/charts/pattern_pyramid.h"

namespace cospadi::ui {

PatternPlaces::PatternPlaces()
    : m_pattern(std::make_shared<PatternData>()), m_pair(std::make_shared<PatternPair>()) {}

PatternPlaces::PatternPlaces(std::shared_ptr<const PatternData> pattern,
                             std::shared_ptr<const PatternPair> pair, bool atomsByUse,
                             bool columnsByCluster)
    : m_pattern(std::move(pattern)), m_pair(std::move(pair)) {
    if (m_pattern->pattern.k == 0) {
        return;
    }
    if (columnsByCluster) {
        m_columnOrder = m_pattern->clusters.order;
    }
    if (!atomsByUse) {
        return;
    }
    m_rowOrder = m_pattern->rowsByUse;
    if (isPaired()) {  // atoms without a partner stand below
        m_rowOrder.resize(static_cast<std::size_t>(m_pair->difference.rows));
        std::iota(m_rowOrder.begin() + static_cast<std::ptrdiff_t>(m_pattern->pattern.k),
                  m_rowOrder.end(), m_pattern->pattern.k);
    }
}

std::int64_t PatternPlaces::rowCount() const {
    return isPaired() ? m_pair->difference.rows : m_pattern->pattern.k;
}

std::vector<std::int64_t> PatternPlaces::inRows(const std::vector<std::int64_t>& atoms) const {
    if (m_rowOrder.empty()) {
        return atoms;
    }
    std::vector<std::int64_t> result;
    result.reserve(m_rowOrder.size());
    for (const std::int64_t row : m_rowOrder) {
        result.push_back(atoms[static_cast<std::size_t>(row)]);
    }
    return result;
}

std::vector<std::int64_t> PatternPlaces::firstAtoms() const {
    return isPaired() ? inRows(m_pair->difference.firstAtom) : m_rowOrder;
}

std::vector<std::int64_t> PatternPlaces::secondAtoms() const {
    return inRows(m_pair->difference.secondAtom);
}

std::int64_t PatternPlaces::atomIn(std::int64_t row) const {
    const std::int64_t at = placed(m_rowOrder, row);
    return isPaired() ? m_pair->difference.firstAtom[static_cast<std::size_t>(at)] : at;
}

std::int64_t PatternPlaces::columnIn(std::int64_t column) const {
    return placed(m_columnOrder, column);
}

MapMarks PatternPlaces::marksOf(const PatternChoice& choice) const {
    const SparsityPattern& pattern = m_pattern->pattern;
    const auto entry = [&](std::int64_t atom, std::int64_t column) {
        return atom >= 0 &&
               pattern.entries[static_cast<std::size_t>(column * pattern.k + atom)] != 0;
    };
    const int rows = static_cast<int>(rowCount());
    const int columns = static_cast<int>(columnCount());
    MapMarks marks;
    if (choice.kind == PatternChoice::Kind::Atom) {
        for (int row = 0; row < rows; ++row) {
            marks.row = atomIn(row) == choice.place ? row : marks.row;
        }
        for (int column = 0; column < columns; ++column) {
            marks.columns.push_back(entry(choice.place, columnIn(column)));
        }
    } else if (choice.kind == PatternChoice::Kind::Column) {
        for (int column = 0; column < columns; ++column) {
            marks.column = columnIn(column) == choice.place ? column : marks.column;
        }
        for (int row = 0; row < rows; ++row) {
            marks.rows.push_back(entry(atomIn(row), choice.place));
        }
    }
    return marks;
}

std::vector<double> usesInRows(const SparsityPattern& pattern,
                               const std::vector<std::int64_t>& atoms) {
    std::vector<double> uses;
    const auto count = static_cast<std::int64_t>(atoms.empty() ? static_cast<std::size_t>(pattern.k)
                                                               : atoms.size());
    for (std::int64_t row = 0; row < count; ++row) {
        const std::int64_t atom = placed(atoms, row);
        uses.push_back(
            atom < 0 ? 0.0
                     : static_cast<double>(pattern.atomUsage[static_cast<std::size_t>(atom)]));
    }
    return uses;
}

std::vector<double> usesInColumns(const SparsityPattern& pattern,
                                  const std::vector<std::int64_t>& columnOrder) {
    const std::vector<std::int64_t> uses = columnUsage(pattern);
    std::vector<double> ordered;
    for (std::int64_t column = 0; column < pattern.d2; ++column) {
        ordered.push_back(
            static_cast<double>(uses[static_cast<std::size_t>(placed(columnOrder, column))]));
    }
    return ordered;
}

}  // namespace cospadi::ui
