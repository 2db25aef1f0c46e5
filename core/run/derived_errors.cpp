#include "core/run/derived_errors.h"

#include <fmt/format.h>

#include <limits>

#include "core/base/error.h"
#include "core/calibration/gram_cache.h"
#include "core/methods/compress_matrix.h"
#include "core/run/resolve_specification.h"

namespace cospadi {

namespace {

std::optional<GramSet> gramsAtHand(const RunSpecification& s, const Model& model,
                                   const DerivedErrorOptions& options, RunReporter& report,
                                   const std::stop_token& stop) {
    if (s.propagation != PropagationKind::Off) {
        report.warning("",
                       "its errors are not measured: they depend on the outputs of the preceding "
                       "compressed layers, whose Gram matrices are not kept");
        return std::nullopt;
    }
    std::string why = "the Gram matrices of its calibration are not cached";
    try {
        CalibrationOptions calibration = calibrationOptionsOf(s, model.layers());
        calibration.weightGradients = false;  // nothing is solved
        const std::string key = gramCacheKey(model.sha256(), calibration);
        if (auto cached = openGrams(gramCacheFolder(key), key, model.layers(), calibration)) {
            return cached;
        }
        if (options.calibrate) {
            ThreadPool pool(options.threads);
            return calibrate(
                model, pool, calibration, [&](const Progress& p) { report.progress(p); }, stop);
        }
    } catch (const Error& error) {  // the text is gone
        if (options.calibrate) {
            throw;
        }
        why = error.what();
    }
    report.warning(
        "", fmt::format("its errors are not measured: {}; --calibrate recomputes the Gram matrices",
                        why));
    return std::nullopt;
}

}  // namespace

DerivedErrors::DerivedErrors(const RunSpecification& specification, const Model& model,
                             const std::vector<std::string>& layers,
                             const DerivedErrorOptions& options, RunReporter& report,
                             const std::stop_token& stop) {
    const bool isWhitened = isCalibrated(specification);
    if (isWhitened) {
        m_grams = gramsAtHand(specification, model, options, report, stop);
        if (!m_grams) {
            return;
        }
    }
    std::vector<LayerUnit> units;  // one by one: each is measured in its own metric
    for (const std::string& layer : layers) {
        units.push_back({{model.layerInfo(layer)}});
    }
    m_problems.emplace(model, m_grams ? &*m_grams : nullptr, units, specification, true);
}

void DerivedErrors::measure(MatrixRecord& record, const StoredWeight& weight,
                            const LayerInfo& layer, Backend& backend) {
    record.relativeError = std::numeric_limits<double>::quiet_NaN();
    record.heldOutError.reset();
    record.targetError.reset();
    if (!m_problems) {
        return;
    }
    const UnitProblem problem = m_problems->of({{layer}}, backend);
    const LayerProblem& own = problem.layers.front();
    record.relativeError = storedError(backend, own.weight, problem.metric(), weight);
    if (problem.heldOut() != nullptr) {
        record.heldOutError = storedError(backend, own.weight, problem.heldOut(), weight);
    }
}

}  // namespace cospadi
