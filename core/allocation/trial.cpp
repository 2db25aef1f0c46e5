#include "core/allocation/trial.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/linalg/cpu_backend.h"

namespace cospadi {

TrialLayer TrialLayers::of(const LayerInfo& layer) {
    TrialLayer trial;
    trial.name = layer.name;
    trial.weight = m_model.weight(layer.name);
    if (m_grams != nullptr) {
        const std::shared_ptr<Factor> factor = factorOf(layer.gramKey);
        const std::scoped_lock lock(factor->making);
        if (!factor->whitening) {
            factor->whitening.emplace(m_grams->gram(layer.gramKey), layer.name);
            if (m_grams->heldOut > 0) {
                CpuBackend backend(1);
                factor->heldOut = Whitening::forMeasuring(
                    m_grams->gram(layer.gramKey, GramShare::HeldOut), layer.name, backend);
            }
        }
        trial.whitening = factor->whitening;
        trial.heldOut = factor->heldOut;
        if (m_grams->weightGradients) {
            trial.rowFisher = m_grams->weightGradients->rowSums(layer.name);
        }
    }
    if (m_outputs != nullptr) {
        CpuBackend backend(1);
        trial.outputs = outputMetric(*m_outputs, layer.name, backend);
    }
    return trial;
}

std::shared_ptr<TrialLayers::Factor> TrialLayers::factorOf(const std::string& gram) {
    const std::scoped_lock lock(m_mutex);
    const auto known = std::find_if(m_recent.begin(), m_recent.end(),
                                    [&](const auto& recent) { return recent.first == gram; });
    if (known != m_recent.end()) {
        m_recent.splice(m_recent.begin(), m_recent, known);
    } else {
        m_recent.emplace_front(gram, std::make_shared<Factor>());
        if (m_recent.size() > m_kept) {
            m_recent.pop_back();  // whoever uses it keeps it
        }
    }
    return m_recent.front().second;
}

double errorOfTrial(const CompressedMatrix& trial) {
    if (trial.outputError && trial.heldOutError && trial.relativeError > 0) {
        return *trial.outputError * *trial.heldOutError / trial.relativeError;
    }
    return trial.outputError.value_or(trial.heldOutError.value_or(trial.relativeError));
}

CompressedMatrix compressedOnTrial(const TrialLayer& layer, MatrixOptions options, double cr,
                                   int iterations, const std::stop_token& stop) {
    CpuBackend backend(1);
    options.cr = cr;
    options.iterations = iterations;
    try {
        return compressMatrix(backend, layer.weight, layer.whitening ? &*layer.whitening : nullptr,
                              options, {}, stop, {}, layer.heldOut ? &*layer.heldOut : nullptr,
                              layer.outputs ? &*layer.outputs : nullptr,
                              layer.rowFisher ? &*layer.rowFisher : nullptr);
    } catch (const Error& error) {
        throw Error(error.problem(), fmt::format("{}, {}", layer.name, error.where()),
                    error.hint());
    }
}

}  // namespace cospadi
