#include "core/allocation/trial.h"

#include <algorithm>

#include "core/linalg/cpu_backend.h"

namespace cospadi {

TrialLayer TrialLayers::of(const LayerInfo& layer) {
    TrialLayer trial{m_model.weight(layer.name), std::nullopt, std::nullopt, std::nullopt};
    if (m_grams != nullptr) {
        const std::shared_ptr<Factor> factor = factorOf(layer.gramKey);
        const std::scoped_lock lock(factor->making);
        if (!factor->whitening) {
            factor->whitening.emplace(m_grams->gram(layer.gramKey), layer.name);
        }
        trial.whitening = factor->whitening;
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
    return trial.outputError.value_or(trial.relativeError);
}

CompressedMatrix compressedOnTrial(const TrialLayer& layer, MatrixOptions options, double cr,
                                   int iterations, const std::stop_token& stop) {
    CpuBackend backend(1);
    options.cr = cr;
    options.iterations = iterations;
    return compressMatrix(backend, layer.weight, layer.whitening ? &*layer.whitening : nullptr,
                          options, {}, stop, {}, nullptr, layer.outputs ? &*layer.outputs : nullptr,
                          layer.rowFisher ? &*layer.rowFisher : nullptr);
}

}  // namespace cospadi
