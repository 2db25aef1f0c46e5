#include "core/run/preparation_phase.h"

#include <utility>

#include "core/methods/output_metric.h"
#include "core/run/allocation_phase.h"
#include "core/run/cost_phase.h"
#include "core/run/grouping_phase.h"
#include "core/run/pausable_progress.h"
#include "core/run/work_clock.h"

namespace cospadi {

namespace {

class PreparationPhase {
  public:
    PreparationPhase(const PreparationInputs& inputs, const std::stop_token& stop)
        : m_in(inputs), m_specification(inputs.specification), m_stop(stop) {
        m_result.units = m_specification;
    }

    std::optional<RunPreparation> run() {
        if (!measureTheText()) {
            return std::nullopt;
        }
        const bool isWhole = timed(&PreparationPhase::allocate) &&
                             timed(&PreparationPhase::group) && timed(&PreparationPhase::probe);
        if (m_result.seconds > 0) {
            m_in.report.preparation(m_result.seconds);
        }
        return isWhole ? std::optional(std::move(m_result)) : std::nullopt;
    }

  private:
    // What it measures counts, whether or not it comes to its end.
    bool timed(bool (PreparationPhase::*phase)()) {
        m_measures = false;
        const WorkClock clock(m_in.gate);
        const bool isWhole = (this->*phase)();
        m_result.seconds += m_measures ? clock.seconds() : 0;
        return isWhole;
    }

    // All false when cancelled.
    bool measureTheText() {
        auto measured = measureText(m_specification, m_in.model, m_in.backends, m_in.threads,
                                    m_in.gate, m_progress, m_stop);
        if (measured) {
            m_result.text = *std::move(measured);
        }
        return measured.has_value();
    }

    bool allocate() {
        if (!isAllocated(m_specification)) {
            return true;
        }
        const std::filesystem::path file = m_in.directory / "allocation.json";
        if (!std::filesystem::exists(file)) {
            m_measures = true;
            const CalibrationMeasurements& text = m_result.text;
            const std::optional<std::string> caution =
                chooseAllocation({m_specification, m_in.model, m_in.layers, text.gramsOrNull(),
                                  text.outputGramsOrNull(), m_in.threads},
                                 file, m_progress, m_stop);
            if (!caution) {
                return false;
            }
            if (!caution->empty()) {
                m_in.report.warning("", *caution);
            }
        }
        m_result.allocation = readAllocation(file, m_in.layers, m_specification.autoRho);
        return true;
    }

    bool group() {
        if (!choosesGroups(m_specification)) {
            return true;
        }
        const std::filesystem::path file = m_in.directory / "groups.json";
        m_measures = !std::filesystem::exists(file);
        const auto groups = groupsOfRun({m_in.model, m_in.layers, m_result.text.gramsOrNull(),
                                         m_specification.cr, m_in.threads},
                                        file, m_progress, m_stop);
        if (!groups) {
            return false;
        }
        m_result.units = withGroups(m_specification, *groups);
        return true;
    }

    bool probe() {
        if (!methodOf(m_specification).weighsPartsByCost(m_specification)) {
            return true;
        }
        const std::filesystem::path file = m_in.directory / "costs.json";
        m_measures = !std::filesystem::exists(file);
        auto costs = costsOfRun(
            {m_specification, m_in.model, m_in.layers, *m_result.text.grams, m_in.threads}, file,
            m_progress, m_stop);
        if (!costs) {
            return false;
        }
        m_result.costs = *std::move(costs);
        return true;
    }

    const PreparationInputs& m_in;
    const RunSpecification& m_specification;
    const std::stop_token& m_stop;
    const ProgressCallback m_progress = pausableProgress(m_in.report, m_in.gate, m_stop);
    RunPreparation m_result;
    bool m_measures = false;  // the phase at work: else it reads what an earlier start found
};

void addOutputs(UnitProblem& problem, const LayerUnit& unit, const OutputGrams& grams,
                Backend& backend) {
    if (!unit.isShared()) {
        problem.layers.front().outputs = outputMetric(grams, unit.id(), backend);
        return;
    }
    std::vector<const OutputMetric*> layers;
    for (std::size_t i = 0; i < unit.layers.size(); ++i) {
        problem.layers[i].outputs = diagonalOutputMetric(grams, unit.layers[i].name);
        layers.push_back(&*problem.layers[i].outputs);
    }
    if (!unit.overOutputs) {
        problem.commonOutputs = sideBySide(layers, unit.id());
    }
}

}  // namespace

UnitProblemSource RunPreparation::complete(const UnitProblemSource& source) const {
    return [this, &source](const LayerUnit& unit, Backend& backend) {
        UnitProblem problem = source(unit, backend);
        if (text.outputGrams) {
            addOutputs(problem, unit, *text.outputGrams, backend);
        }
        for (std::size_t i = 0; !costs.empty() && i < unit.layers.size(); ++i) {
            problem.layers[i].cost = costs.at(unit.layers[i].name);
        }
        return problem;
    };
}

std::optional<RunPreparation> prepareRun(const PreparationInputs& inputs,
                                         const std::stop_token& stop) {
    return PreparationPhase(inputs, stop).run();
}

}  // namespace cospadi
