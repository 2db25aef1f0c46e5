#include "ui/sources/kept_calibration.h"

#include <fmt/format.h>

#include "core/run/cost_estimate.h"

namespace cospadi::ui {

namespace {

std::string calibrationOf(const RunSpecification& plan) {
    const CalibrationSpecification& text = plan.calibration;
    return fmt::format("{}\n{}\n{}\n{} {} {} {} {}", plan.model, plan.layers, text.text,
                       text.sequences, text.length, text.seed, plan.heldOut, isCalibrated(plan));
}

}  // namespace

void KeptCalibration::ask(const RunSpecification& plan) {
    m_plan = plan;
    const std::string question = calibrationOf(plan);
    if (question == m_asked) {
        return;
    }
    m_asked = question;
    m_work.ask([plan] { return isCalibrationKept(plan); },
               [this](bool isKept) { emit told(isKept); },
               [this](const Error&) { emit told(false); });
}

void KeptCalibration::askAgain() {
    m_asked.clear();
    ask(m_plan);
}

}  // namespace cospadi::ui
