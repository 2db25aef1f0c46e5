// What the maps tell: words for the entry under the pointer, and files.
#include <algorithm>

#include "ui/base/format.h"
#include "ui/base/names_for_readers.h"
#include "ui/charts/difference_map.h"
#include "ui/charts/map_export.h"
#include "ui/charts/pattern_pyramid.h"
#include "ui/charts/pattern_view.h"
#include "ui/pages/pattern/pattern_maps.h"

namespace cospadi::ui {

QString PatternMaps::words(std::int64_t row, std::int64_t column) const {
    const auto used = [this](std::int64_t atom) {
        const std::int64_t columns = m_pattern->pattern.atomUsage[static_cast<std::size_t>(atom)];
        return tr("atom %1 (used by %n column(s))", nullptr, static_cast<int>(columns)).arg(atom);
    };
    if (m_pair->second.k == 0) {
        const SparsityPattern& pattern = m_pattern->pattern;
        const auto first = pattern.entries.begin() + column * pattern.k;
        const auto atoms =
            std::count_if(first, first + pattern.k, [](auto bit) { return bit != 0; });
        const QString where =
            tr("column %1 (uses %n atom(s))", nullptr, static_cast<int>(atoms)).arg(column);
        const float value =
            m_pattern->values.values[static_cast<std::size_t>(column * m_pattern->pattern.k + row)];
        return value == 0 ? tr("%1, %2: no entry").arg(used(row), where)
                          : tr("%1, %2: value %3")
                                .arg(used(row), where, formatNumber(static_cast<double>(value)));
    }
    const PatternDifference& both = m_pair->difference;
    const std::int64_t here = both.firstAtom[static_cast<std::size_t>(row)];
    const std::int64_t there = both.secondAtom[static_cast<std::size_t>(row)];
    const auto at = static_cast<std::size_t>(column * both.rows + row);
    const QString apart = formatNumber(static_cast<double>(both.valueDifference[at]));
    const QString state[] = {tr("in neither"), tr("only in the first run"),
                             tr("only in the second run"),
                             tr("in both, value first − second %1").arg(apart)};
    return tr("%1 · %2, column %3: %4")
        .arg(here < 0 ? tr("no atom of the first run") : used(here),
             there < 0 ? tr("none of the second") : tr("atom %1 of the second").arg(there))
        .arg(column)
        .arg(state[both.where[at]]);
}

void PatternMaps::point(PatternView* view, int row, int column) {
    const bool inside =
        row >= 0 && row < rowCount() && column >= 0 && column < m_pattern->pattern.d2;
    const QString told =
        inside ? words(placed(m_rowOrder, row), placed(m_columnOrder, column)) : QString();
    if (inside && view->cursorEntry() == QPoint(column, row)) {
        tellReaders(view, told);
    }
    emit pointedAt(told);
}

ExportSource PatternMaps::exportSource() const {
    ExportSource source = mapExportSource(*m_first, QStringLiteral("pattern-%1").arg(m_matrix),
                                          tr("atoms of D (%1)").arg(m_pattern->pattern.k),
                                          tr("%1 (%2)").arg(m_columns).arg(m_pattern->pattern.d2));
    source.csv = [data = m_pattern] {
        const SparsityPattern& pattern = data->pattern;
        QString text = QStringLiteral("atom,column,value\n");
        for (std::int64_t j = 0; j < pattern.d2; ++j) {
            for (std::int64_t i = 0; i < pattern.k; ++i) {
                const auto at = static_cast<std::size_t>(j * pattern.k + i);
                if (pattern.entries[at] != 0) {
                    text += QStringLiteral("%1,%2,%3\n")
                                .arg(i)
                                .arg(j)
                                .arg(static_cast<double>(data->values.values[at]), 0, 'g', 9);
                }
            }
        }
        return text;
    };
    return source;
}

ExportSource PatternMaps::differenceSource() const {
    ExportSource source = mapExportSource(
        *m_difference, QStringLiteral("pattern-difference-%1").arg(m_matrix),
        tr("matched atoms (%1)").arg(m_shownPair->difference.rows),
        tr("%1 (%2)").arg(m_columns).arg(m_pattern->pattern.d2),
        differenceLegend(m_shownPair->difference, m_shownLook, m_names),
        // White, whatever the window is.
        m_shownPair == m_pair
            ? differencePyramid(m_shownPair->difference, m_shownLook, m_rowOrder, m_columnOrder)
                  .value(0)
            : QImage());
    source.csv = [pair = m_shownPair] { return differenceCsv(pair->difference); };
    return source;
}

}  // namespace cospadi::ui
