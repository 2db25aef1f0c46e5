#include "ui/pages/pattern/pattern_charts.h"

#include <algorithm>

#include "ui/base/theme.h"
#include "ui/charts/map_export.h"
#include "ui/charts/pattern_pyramid.h"
#include "ui/charts/pattern_view.h"
#include "ui/charts/usage_chart.h"
#include "ui/models/histogram_curve.h"
#include "ui/pages/pattern/chosen_entries.h"

namespace cospadi::ui {

namespace {

Curve barsOf(const Histogram& histogram) {
    return histogramCurve(histogram.low, histogram.high,
                          QList<double>(histogram.counts.begin(), histogram.counts.end()));
}

// Over 0 … 100 % of them.
Curve descending(const std::vector<double>& values) {
    Curve curve;
    curve.colour = theme().dictionary;
    const double last = static_cast<double>(std::max<std::size_t>(values.size(), 2) - 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
        curve.points.append(QPointF(100.0 * static_cast<double>(i) / last, values[i]));
    }
    return curve;
}

}  // namespace

PatternCharts::PatternCharts(QWidget* parent)
    : QTabWidget(parent),
      m_usage(new UsageChart),
      m_coefficients(new CurveChart),
      m_coherence(new CurveChart),
      m_together(new PatternView),
      m_chosen(new ChosenEntries) {
    setObjectName(QStringLiteral("compact"));
    m_usage->setObjectName(QStringLiteral("atom-usage"));
    m_coefficients->setObjectName(QStringLiteral("coefficients"));
    m_coefficients->setAccessibleName(tr("Histogram of the coefficients"));
    m_coefficients->setAxisTitles(tr("coefficient × norm of its atom"), tr("non-zeros"));
    m_coefficients->setZeroBased(true);
    m_coefficients->setEmptyText(tr("How large the coefficients of S are."));
    m_coherence->setObjectName(QStringLiteral("coherence"));
    m_coherence->setAccessibleName(tr("Mutual coherence of the atoms"));
    m_coherence->setAxisTitles(tr("atoms, most coherent first (% of k)"),
                               tr("largest |cos| with another atom"));
    m_coherence->setZeroBased(true);
    m_coherence->setEmptyText(tr("How similar the atoms of the dictionary are."));
    m_together->setObjectName(QStringLiteral("co-occurrence"));
    m_together->setAccessibleName(tr("Co-occurrence of atoms"));
    m_together->setMinimumSize(80, 60);
    m_together->setToolTip(
        tr("Atoms × atoms, most used first: of the columns that use one or the other, the share "
           "that uses both (Jaccard). Dark: always together."));
    addTab(m_usage, tr("Usage"));
    addTab(m_coefficients, tr("Values"));
    addTab(m_coherence, tr("Coherence"));
    addTab(m_together, tr("Pairs"));
    addTab(m_chosen, tr("Selected"));
}

void PatternCharts::showPattern(const PatternData& shown) {
    if (shown.pattern.k == 0) {
        m_usage->setUsage({}, {});
        m_coefficients->setCurves({});
        m_coherence->setCurves({});
        m_together->clear();
        return;
    }
    QList<double> counts;
    for (const std::int64_t atom : shown.rowsByUse) {
        counts.append(static_cast<double>(shown.pattern.atomUsage[static_cast<std::size_t>(atom)]));
    }
    m_usage->setUsage({}, counts);
    m_coefficients->setCurves({barsOf(shown.analysis.coefficients)});
    m_coherence->setCurves({descending(shown.analysis.coherence)});
    m_together->setPyramid(densityPyramid(shown.coOccurrence, shown.pattern.k, shown.pattern.k));
}

ExportSource PatternCharts::exportSource(const QString& matrix) const {
    const QString name = QStringLiteral("%1-%2").arg(currentWidget()->objectName(), matrix);
    if (currentWidget() == m_together) {
        return mapExportSource(*m_together, name, tr("atoms, most used first"),
                               tr("atoms, most used first"));
    }
    return static_cast<CurveChart*>(currentWidget())->exportSource(name);
}

}  // namespace cospadi::ui
