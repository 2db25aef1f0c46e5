#include "ui/models/pattern_facts.h"

#include <QLocale>
#include <algorithm>
#include <numeric>

#include "core/dictionary/iteration_summary.h"
#include "ui/base/format.h"
#include "ui/base/quantity_words.h"
#include "ui/base/theme.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

namespace {

class Rows {
  public:
    void add(const QString& name, const QString& value) {
        m_html += QStringLiteral(
                      "<tr><td style='color:%3; padding-right:12px'>%1</td><td "
                      "align='right'><b>%2</b></td></tr>")
                      .arg(name, value, theme().muted.name());
    }
    void add(const QString& name, std::int64_t value) { add(name, formatCount(value)); }
    void add(const QString& name, double value, int decimals) {
        add(name, QLocale().toString(value, 'f', decimals));
    }
    void head(const QString& words) {
        m_html += QStringLiteral("<tr><td colspan='2' style='padding-top:6px'><b>%1</b></td></tr>")
                      .arg(words);
    }
    QString html() const {
        return QStringLiteral("<table cellspacing='0' cellpadding='2'>%1</table>").arg(m_html);
    }

  private:
    QString m_html;
};

QString headOf(const QString& place, const QString& run) {
    return run.isEmpty() ? place : QStringLiteral("%1: %2").arg(place, run.toHtmlEscaped());
}

QString columnsInWords(std::int64_t count) {
    return Words::tr("%1 column(s)", nullptr, static_cast<int>(count)).arg(formatCount(count));
}

void addComparison(const PatternComparison& comparison, std::int64_t secondAtoms,
                   const QString& name, Rows& rows) {
    rows.head(headOf(Words::tr("Second run"), name));
    rows.add(Words::tr("its atoms k"), secondAtoms);
    rows.add(Words::tr("matched atoms"), comparison.matched);
    rows.add(Words::tr("their mean |cos|"), comparison.meanCosine, 3);
    rows.add(Words::tr("entries in both"), formatPercent(comparison.overlap()));
    rows.add(Words::tr("only in the first run"), comparison.onlyFirst);
    rows.add(Words::tr("only in the second run"), comparison.onlySecond);
    rows.add(Words::tr("difference of W̃"), formatError(comparison.approximationDifference));
}

}  // namespace

QString patternFacts(const PatternData& data, const PatternPair& second, const QString& problem,
                     const QString& firstName, const QString& secondName) {
    const SparsityPattern& pattern = data.pattern;
    const auto& usage = pattern.atomUsage;
    const auto total = std::accumulate(usage.begin(), usage.end(), std::int64_t{0});
    const auto [least, most] = std::minmax_element(usage.begin(), usage.end());
    const auto cells = static_cast<double>(pattern.k) * static_cast<double>(pattern.d2);
    Rows rows;
    if (second.second.k > 0) {
        addComparison(second.comparison, second.second.k, secondName, rows);
        rows.head(headOf(Words::tr("First run"), firstName));
    } else if (!problem.isEmpty()) {
        rows.head(Words::tr("Second run: %1").arg(problem.toHtmlEscaped()));
    }
    rows.add(Words::tr("atoms k"), pattern.k);
    rows.add(pattern.side == DictionarySide::Output ? Words::tr("columns d₁ (inputs)")
                                                    : Words::tr("columns d₂ (outputs)"),
             pattern.d2);
    rows.add(Words::tr("non-zeros"), total);
    rows.add(Words::tr("per column, on average"),
             static_cast<double>(total) / static_cast<double>(pattern.d2), 1);
    rows.add(Words::tr("density"), formatPercent(static_cast<double>(total) / cells));
    rows.add(Words::tr("mask"), formatBytes(cells / 8));
    const std::int64_t dead = std::count(usage.begin(), usage.end(), std::int64_t{0});
    rows.add(Words::tr("dead atoms"), dead);
    rows.add(Words::tr("atoms in use, K_active"), pattern.k - dead);
    rows.add(Words::tr("multiplications per token"), data.multiplications);
    for (auto fact = data.facts.begin(); fact != data.facts.end(); ++fact) {
        if (fact.key() != QLatin1String("k") && fact.key() != QLatin1String("active_atoms")) {
            rows.add(quantityWords(fact.key()), fact.value().toString());
        }
    }
    rows.add(Words::tr("most used atom"), columnsInWords(*most));
    rows.add(Words::tr("least used atom"), columnsInWords(*least));
    rows.add(Words::tr("usage entropy"), usageEntropy(usage), 4);
    rows.add(Words::tr("mutual coherence"), data.analysis.coherence.front(), 4);
    rows.add(Words::tr("mean |cos| of atoms"), data.analysis.meanAbsoluteCosine, 4);
    rows.add(Words::tr("clusters of columns"),
             static_cast<std::int64_t>(data.clusters.sizes.size()));
    return rows.html();
}

}  // namespace cospadi::ui
