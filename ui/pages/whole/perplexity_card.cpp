#include "ui/pages/whole/perplexity_card.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/export_button.h"
#include "ui/pages/whole/target_prediction.h"

namespace cospadi::ui {

PerplexityCard::PerplexityCard(QWidget* parent) : Card(tr("Predicted perplexity by CR"), parent) {
    m_chart = new CurveChart;
    m_chart->setObjectName(QStringLiteral("wholeChart"));
    m_chart->setAccessibleName(tr("Predicted perplexity by CR"));
    m_chart->setLogarithmic(true);
    m_chart->setAxisTitles(tr("CR"), tr("perplexity"));
    showEmptyWords();
    auto* save = new ExportButton(
        [this] { return m_chart->exportSource(QStringLiteral("predicted-perplexity")); });
    headerRow()->addWidget(save);
    body()->addWidget(m_chart, 1);
    connect(save, &ExportButton::exported, this, &PerplexityCard::exported);
}

void PerplexityCard::showEmptyWords() {
    m_chart->setEmptyText(tr("<p style='font-size:large; color:%1'>The whole model under one "
                             "slider</p><p>While you watch, every matrix is tried and the cost of "
                             "its errors is measured: a first estimate in seconds, all of it in "
                             "about three minutes, once for every method, ρ and storage.</p>")
                              .arg(theme().text.name()));
}

void PerplexityCard::show(const TargetPrediction& prediction,
                          const std::vector<MeasuredPerplexity>& runs) {
    m_chart->setAxisTitles(tr("CR"), prediction.curves()->densePerplexity > 0
                                         ? tr("perplexity")
                                         : tr("perplexity relative to the model's own"));
    m_chart->setCurves(predictedCurves(prediction.overRatios(), prediction.shared(), runs));
}

void PerplexityCard::clear() { m_chart->setCurves({}); }

void PerplexityCard::changeEvent(QEvent* event) {
    Card::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_chart != nullptr) {
        showEmptyWords();  // a colour stands in the words
    }
}

}  // namespace cospadi::ui
