#include "ui/models/perplexity_column.h"

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

QString textOf(const RunRow& run, const Measure& measure) {
    const double value = metricOf(run, "perplexity", measure);
    const EvaluationRow* other = std::isfinite(value) ? nullptr : latestOf(run);
    return other == nullptr ? formatPerplexity(value)
                            : formatPerplexity(other->perplexity) + QLatin1Char('*');
}

QString tipOf(const RunRow& run, const Measure& measure) {
    const EvaluationRow* latest = latestOf(run);
    if (latest == nullptr) {
        return Words::tr("Not measured");
    }
    return std::isfinite(metricOf(run, "perplexity", measure))
               ? phraseWords(measure.label)
               : Words::tr("%1\nNot comparable: most runs are measured on %2")
                     .arg(phraseWords(perplexityMeasure(*latest).label),
                          phraseWords(measure.label));
}

}  // namespace

QString formatPerplexity(double perplexity) {
    constexpr double kWhole = 1e4;
    return perplexity < kWhole ? formatFixed(perplexity, 2) : formatNumber(perplexity);
}

RunColumn perplexityColumn(const Measure& measure) {
    return {
        "perplexity",
        Words::tr("Perpl."),
        measure.label.empty()
            ? Words::tr("Perplexity, where measured (lower is better)")
            : Words::tr("Perplexity (lower is better) on %1; an asterisk marks another text, "
                        "context or length, which is not compared")
                  .arg(phraseWords(measure.label)),
        [measure](const RunRow& run) { return textOf(run, measure); },
        [measure](const RunRow& run) { return unknownLast(metricOf(run, "perplexity", measure)); },
        [measure](const RunRow& run) { return tipOf(run, measure); }};
}

}  // namespace cospadi::ui
