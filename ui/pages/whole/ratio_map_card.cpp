#include "ui/pages/whole/ratio_map_card.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "ui/charts/export_button.h"
#include "ui/charts/heat_map.h"
#include "ui/models/prediction_curves.h"
#include "ui/pages/whole/matrix_fate.h"
#include "ui/pages/whole/target_prediction.h"

namespace cospadi::ui {

RatioMapCard::RatioMapCard(const TargetPrediction* prediction, QWidget* parent)
    : Card(tr("CR of every matrix, in percent"), parent), m_prediction(prediction) {
    setNote(tr("P pinned, ≤ limited, × left out"));
    m_map = new HeatMap;
    m_map->setObjectName(QStringLiteral("wholeMap"));
    m_map->setAccessibleName(tr("CR of every matrix, by kind and block"));
    m_map->setEmptyText(tr("The CR of every matrix appears here once the curves are measured."));
    m_fate = new MatrixFate;
    auto* save =
        new ExportButton([this] { return m_map->exportSource(QStringLiteral("predicted-cr")); });
    headerRow()->addWidget(save);
    body()->addWidget(m_map, 1);
    body()->addWidget(m_fate);
    connect(save, &ExportButton::exported, this, &RatioMapCard::exported);
    connect(m_map, &HeatMap::chosen, this, [this](int row, int column) {
        const ModelCurves* curves = m_prediction->curves();
        m_chosen = curves != nullptr ? layerInCell(*curves, row, column) : QString();
        show(m_target);
    });
    connect(m_fate, &MatrixFate::changed, this, &RatioMapCard::targetChanged);
}

void RatioMapCard::clear() { m_map->setData({}); }

void RatioMapCard::chooseNothing() {
    m_chosen.clear();
    m_fate->chooseNothing();
}

void RatioMapCard::show(const PredictionTarget& target) {
    m_target = target;
    const std::optional<Prediction>& shared = m_prediction->shared();
    if (m_prediction->curves() == nullptr || !shared) {
        clear();
        return;
    }
    m_map->setData(ratioMap(*m_prediction->curves(), *shared, target, m_chosen));
    m_fate->setTarget(target);
    for (const LayerPrediction& layer : shared->layers) {
        if (!m_chosen.isEmpty() && layer.name == m_chosen.toStdString()) {
            m_fate->show(m_chosen, target, layer);
        }
    }
}

}  // namespace cospadi::ui
