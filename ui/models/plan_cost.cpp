#include "ui/models/plan_cost.h"

#include <algorithm>
#include <utility>

#include "core/base/thread_pool.h"
#include "core/methods/method.h"
#include "core/methods/planned_storage.h"
#include "core/run/cost_estimate.h"
#include "ui/base/format.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

QStringList totalsWords(const PlanTotals& totals) {
    if (totals.runs == 0 || totals.layers == 0) {
        return {};
    }
    const QString layers = Words::tr("%n layer(s)", nullptr, static_cast<int>(totals.layers));
    const QString much =
        totals.runs > 1 ? Words::tr("%1 runs of %2").arg(totals.runs).arg(layers)
                        : Words::tr("%1: %2 → %3")
                              .arg(layers, formatBytes(totals.dense), formatBytes(totals.bytes));
    const QString seconds = formatDuration(totals.seconds);
    return {much, totals.calibrationSeconds > 0
                      ? Words::tr("about %1 + %2 calibration")
                            .arg(seconds, formatDuration(totals.calibrationSeconds))
                      : Words::tr("about %1").arg(seconds)};
}

void PlanCost::setLayers(std::vector<LayerInfo> selected, std::vector<LayerInfo> all,
                         double parameters) {
    m_selected = std::move(selected);
    m_all = std::move(all);
    m_parameters = parameters;
}

LayerUnit PlanCost::unitOf(const RunSpecification& plan, const LayerInfo& layer) const {
    for (LayerUnit& unit : unitsOf(plan, m_selected)) {
        if (std::any_of(unit.layers.begin(), unit.layers.end(),
                        [&](const LayerInfo& each) { return each.name == layer.name; })) {
            return std::move(unit);
        }
    }
    return unitsOf(withoutGroups(plan), {layer}).front();
}

PlanBytes PlanCost::bytes(const RunSpecification& plan) const {
    const MatrixOptions& options = plan;
    PlanBytes bytes;
    for (const LayerUnit& unit : unitsOf(options, m_selected)) {
        for (const LayerInfo& layer : unit.layers) {
            bytes.source.add(layer.storedDtype, layer.storedBytes);
        }
        const LayerInfo layer = unit.shape();
        bytes.dense += 2 * static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
    }
    const StoragePlan storage = plannedStorage(options, m_selected);
    bytes.parts = storage.parts;
    bytes.total = storage.bytes();
    return bytes;
}

double PlanCost::passRate() const {
    const double measured = m_rates.calibrationRate();
    return (measured > 0 ? measured : usualCalibrationRate()) * ThreadPool::availableCores();
}

double PlanCost::rateOf(const RunSpecification& plan) const {
    const double measured = m_rates.rate(plan);
    return (measured > 0 ? measured : methodOf(plan).workRate(plan).perSecond) *
           ThreadPool::availableCores();
}

double PlanCost::seconds(const RunSpecification& plan) const {
    return (allocationWork(plan, m_selected) + solverWork(plan, m_selected)) / rateOf(plan) +
           (refinementWork(plan, m_all) + propagationWork(plan, m_all)) / passRate();
}

double PlanCost::calibrationSeconds(const RunSpecification& plan) const {
    if (!isCalibrated(plan)) {
        return 0;
    }
    const bool isRead =
        plan.propagation == PropagationKind::Off || plan.allocation->needs().grams || plan.autoRho;
    const double grams =
        isRead && !m_isCalibrationKept
            ? calibrationWork(plan.calibration, calibratedLayers(m_selected, m_all))
            : 0;
    return (gradientWork(plan, m_all) + grams) / passRate();
}

double PlanCost::memory(const RunSpecification& plan) const {
    return memoryEstimate(plan, m_selected, m_all, m_parameters, ThreadPool::availableCores());
}

}  // namespace cospadi::ui
