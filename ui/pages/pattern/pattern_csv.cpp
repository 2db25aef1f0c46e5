#include "ui/pages/pattern/pattern_csv.h"

namespace cospadi::ui {

QString patternCsv(const PatternData& data) {
    const SparsityPattern& pattern = data.pattern;
    QString text = QStringLiteral("atom,column,value\n");
    for (std::int64_t j = 0; j < pattern.d2; ++j) {
        for (std::int64_t i = 0; i < pattern.k; ++i) {
            const auto at = static_cast<std::size_t>(j * pattern.k + i);
            if (pattern.entries[at] != 0) {
                text += QStringLiteral("%1,%2,%3\n")
                            .arg(i)
                            .arg(j)
                            .arg(static_cast<double>(data.values.values[at]), 0, 'g', 9);
            }
        }
    }
    return text;
}

}  // namespace cospadi::ui
