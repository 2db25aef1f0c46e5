#include "ui/models/listed_perplexity.h"

#include <cmath>

#include "ui/base/format.h"
#include "ui/base/phrase_words.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

namespace {

// The latest by another measure; the rows of a run stand in order of time.
const EvaluationRow* latestOf(const RunRow& run) {
    const EvaluationRow* latest = nullptr;
    for (const EvaluationRow& evaluation : run.evaluations) {
        if (isPerplexity(evaluation) &&
            (latest == nullptr || latest->created <= evaluation.created)) {
            latest = &evaluation;
        }
    }
    return latest;
}

}  // namespace

QString formatPerplexity(double perplexity) {
    constexpr double kWhole = 1e4;
    return perplexity < kWhole ? formatFixed(perplexity, 2) : formatNumber(perplexity);
}

ListedPerplexity::ListedPerplexity(const std::vector<RunRow>& runs)
    : m_measure(commonMeasure(runs)) {}

double ListedPerplexity::of(const RunRow& run) const {
    return metricOf(run, "perplexity", m_measure);
}

QString ListedPerplexity::text(const RunRow& run) const {
    const double value = of(run);
    const EvaluationRow* other = std::isfinite(value) ? nullptr : latestOf(run);
    return other == nullptr ? formatPerplexity(value)
                            : formatPerplexity(other->perplexity) + QLatin1Char('*');
}

QString ListedPerplexity::tip(const RunRow& run) const {
    const EvaluationRow* latest = latestOf(run);
    if (latest == nullptr) {
        return Words::tr("Not measured");
    }
    return std::isfinite(of(run)) ? phraseWords(m_measure.label)
                                  : Words::tr("%1\nNot comparable: most runs are measured on %2")
                                        .arg(phraseWords(perplexityMeasure(*latest).label),
                                             phraseWords(m_measure.label));
}

QString ListedPerplexity::help() const {
    return m_measure.label.empty()
               ? Words::tr("Perplexity, where measured (lower is better)")
               : Words::tr(
                     "Perplexity (lower is better) on %1; an asterisk marks another text, "
                     "context or length, which is not compared")
                     .arg(phraseWords(m_measure.label));
}

}  // namespace cospadi::ui
