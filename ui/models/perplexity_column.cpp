#include "ui/models/perplexity_column.h"

#include <cmath>

#include "ui/base/format.h"
#include "ui/base/phrase_words.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

namespace {

// What a run's cell is about: its perplexity by the measure, whatever it came to, else its latest
// by another one; the rows of a run stand in order of time. Null where nothing was measured.
struct Shown {
    const EvaluationRow* evaluation = nullptr;
    bool isOther = false;
};

Shown shownOf(const RunRow& run, const Measure& measure) {
    Shown shown;
    for (const EvaluationRow& evaluation : run.evaluations) {
        if (!isPerplexity(evaluation)) {
            continue;
        }
        if (isPerplexityBy(evaluation, measure)) {
            return {&evaluation, false};
        }
        if (shown.evaluation == nullptr || shown.evaluation->created <= evaluation.created) {
            shown = {&evaluation, true};
        }
    }
    return shown;
}

QString textOf(const RunRow& run, const Measure& measure) {
    const Shown shown = shownOf(run, measure);
    if (shown.evaluation == nullptr) {
        return formatPerplexity(unknownNumber);
    }
    const double value = shown.evaluation->perplexity;
    return shown.isOther && std::isfinite(value) ? formatPerplexity(value) + QLatin1Char('*')
                                                 : formatPerplexity(value);
}

QString tipOf(const RunRow& run, const Measure& measure) {
    const Shown shown = shownOf(run, measure);
    if (shown.evaluation == nullptr) {
        return Words::tr("Not measured");
    }
    const QString label =
        phraseWords(shown.isOther ? perplexityMeasure(*shown.evaluation).label : measure.label);
    if (!std::isfinite(shown.evaluation->perplexity)) {
        return Words::tr("%1\nNot a finite number").arg(label);
    }
    return shown.isOther ? Words::tr("%1\nNot comparable: most runs are measured on %2")
                               .arg(label, phraseWords(measure.label))
                         : label;
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
