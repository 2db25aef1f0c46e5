#include "core/allocation/curve_plan.h"

#include <algorithm>
#include <utility>

#include "core/allocation/curve_grid.h"
#include "core/allocation/trial.h"

namespace cospadi {

namespace {

// Those that are solved beyond the trials, and one for what they cost.
std::int64_t unitsOfGroup(const GroupTask& task) {
    const bool isTrial = task.at.iterations == kTrialIterations;
    return (task.isProbed ? 1 : 0) + (isTrial ? 0 : static_cast<std::int64_t>(task.layers.size()));
}

// Of one that is not known.
std::int64_t missingUnitsOf(const GroupTask& task, const CurveStore& store) {
    if (task.at.iterations == kTrialIterations) {
        return unitsOfGroup(task);
    }
    const auto solved = std::count_if(
        task.layers.begin(), task.layers.end(),
        [&](const LayerInfo& layer) { return store.error(layer.name, task.at).has_value(); });
    return unitsOfGroup(task) - solved;
}

}  // namespace

CurvePlan planOfCurves(const std::vector<LayerInfo>& layers, const MatrixOptions& options) {
    CurvePlan plan;
    plan.levels = levelTasks(layers, options);
    plan.wholeRatios = kLevelRatios;
    plan.groups = kindTasks(layers, options);
    for (GroupTask& task : endTasks(layers, options)) {
        plan.groups.push_back(std::move(task));
    }
    plan.shapes = shapeTasks(layers, options);
    return plan;
}

CurvePlan planOfProbes(const std::vector<LayerInfo>& layers, const MatrixOptions& options) {
    CurvePlan plan;
    plan.levels = probeTasks(layers, options);
    return plan;
}

std::int64_t unitsOf(const CurvePlan& plan) {
    auto units = static_cast<std::int64_t>(plan.wholeRatios.size());
    for (const GroupTask& task : plan.groups) {
        units += unitsOfGroup(task);
    }
    for (const auto* tasks : {&plan.levels, &plan.shapes}) {
        for (const CurveTask& task : *tasks) {
            units += static_cast<std::int64_t>(task.settings.size()) + (task.isProbed ? 1 : 0);
        }
    }
    return units;
}

bool isKnown(const GroupTask& task, const CurveStore& store, const CurveTexts& texts) {
    return task.isProbed
               ? store.divergence(jointName(task.layers), task.at, texts.group).has_value()
               : std::all_of(task.layers.begin(), task.layers.end(), [&](const LayerInfo& layer) {
                     return store.error(layer.name, task.at).has_value();
                 });
}

std::int64_t missingUnits(const CurvePlan& plan, const CurveStore& store, const CurveTexts& texts,
                          const MatrixOptions& options) {
    std::int64_t count = 0;
    for (const auto* tasks : {&plan.levels, &plan.shapes}) {
        for (const CurveTask& task : *tasks) {
            const std::string& layer = task.layer->name;
            for (const TrialSetting& at : task.settings) {
                count += store.error(layer, at) ? 0 : 1;
            }
            const TrialSetting probed = trialAt(kProbedRatio, options);
            count += task.isProbed && !store.divergence(layer, probed, texts.probe) ? 1 : 0;
        }
    }
    for (const GroupTask& task : plan.groups) {
        count += isKnown(task, store, texts) ? 0 : missingUnitsOf(task, store);
    }
    for (const double cr : plan.wholeRatios) {
        count += store.wholeLoss(trialAt(cr, options), texts.whole) ? 0 : 1;
    }
    return count;
}

}  // namespace cospadi
