#include "ui/pages/pattern/entry_words.h"

#include <algorithm>

#include "ui/base/format.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

QString entryWords(const PatternData& data, const PatternPair& pair, std::int64_t row,
                   std::int64_t column) {
    const SparsityPattern& pattern = data.pattern;
    const auto used = [&](std::int64_t atom) {
        const std::int64_t columns = pattern.atomUsage[static_cast<std::size_t>(atom)];
        return Words::tr("atom %1 (used by %n column(s))", nullptr, static_cast<int>(columns))
            .arg(atom);
    };
    if (pair.second.k == 0) {
        const auto first = pattern.entries.begin() + column * pattern.k;
        const auto atoms =
            std::count_if(first, first + pattern.k, [](auto bit) { return bit != 0; });
        const QString where =
            Words::tr("column %1 (uses %n atom(s))", nullptr, static_cast<int>(atoms)).arg(column);
        const float value = data.values.values[static_cast<std::size_t>(column * pattern.k + row)];
        return value == 0 ? Words::tr("%1, %2: no entry").arg(used(row), where)
                          : Words::tr("%1, %2: value %3")
                                .arg(used(row), where, formatNumber(static_cast<double>(value)));
    }
    const PatternDifference& both = pair.difference;
    const std::int64_t here = both.firstAtom[static_cast<std::size_t>(row)];
    const std::int64_t there = both.secondAtom[static_cast<std::size_t>(row)];
    const auto at = static_cast<std::size_t>(column * both.rows + row);
    const QString apart = formatNumber(static_cast<double>(both.valueDifference[at]));
    const QString state[] = {Words::tr("in neither"), Words::tr("only in the first run"),
                             Words::tr("only in the second run"),
                             Words::tr("in both, value first − second %1").arg(apart)};
    return Words::tr("%1 · %2, column %3: %4")
        .arg(here < 0 ? Words::tr("no atom of the first run") : used(here),
             there < 0 ? Words::tr("none of the second")
                       : Words::tr("atom %1 of the second").arg(there))
        .arg(column)
        .arg(state[both.where[at]]);
}

}  // namespace cospadi::ui
