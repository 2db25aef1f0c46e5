#include "core/run/calibration_phase.h"

#include "core/methods/method.h"
#include "core/methods/output_metric.h"
#include "core/run/resolve_specification.h"
#include "core/run/work_clock.h"

namespace cospadi {

// Of inputs that go along the forward pass Grams are summed layer by layer, and of rows of blocks
// there are none.
bool needsGrams(const RunSpecification& s) {
    const bool propagates = s.propagation != PropagationKind::Off;
    const bool used = !propagates || s.allocation->needs().grams || s.autoRho;
    return isCalibrated(s) && used && methodOf(s).asBlockMethod() == nullptr;
}

std::string sharedCalibrationKey(const RunSpecification& s) {
    return s.modelSha256 + toJson(s).at("calibration").dump() + std::to_string(s.heldOut);
}

std::optional<CalibrationMeasurements> measureText(const RunSpecification& specification,
                                                   const Model& model, RunBackends& backends,
                                                   int threads, PauseGate* gate,
                                                   const ProgressCallback& progress,
                                                   const std::stop_token& stop) {
    CalibrationMeasurements measured;
    const WorkClock clock(gate);
    if (needsGrams(specification)) {
        ThreadPool pool(threads);
        const auto products = backends.products(pool);
        measured.grams = calibrate(model, pool, calibrationOptionsOf(specification, model.layers()),
                                   progress, stop, products.get());
        if (!measured.grams) {
            return std::nullopt;
        }
    }
    if (usesOutputMetric(specification)) {
        ThreadPool pool(threads);
        measured.outputGrams =
            measureOutputGrams(model, pool, calibrationOptionsOf(specification), progress, stop);
        if (!measured.outputGrams) {
            return std::nullopt;
        }
    }
    measured.seconds = clock.seconds();
    return measured;
}

}  // namespace cospadi
