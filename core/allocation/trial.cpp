#include "core/allocation/trial.h"

#include "core/linalg/cpu_backend.h"

namespace cospadi {

TrialLayer trialLayer(const Model& model, const GramSet* grams, const LayerInfo& layer) {
    TrialLayer trial{model.weight(layer.name), std::nullopt};
    if (grams != nullptr) {
        trial.whitening.emplace(grams->gram(layer.gramKey), layer.name);
    }
    return trial;
}

CompressedMatrix compressedOnTrial(const TrialLayer& layer, MatrixOptions options, double cr,
                                   int iterations, const std::stop_token& stop) {
    CpuBackend backend(1);
    options.cr = cr;
    options.iterations = iterations;
    return compressMatrix(backend, layer.weight, layer.whitening ? &*layer.whitening : nullptr,
                          options, {}, stop);
}

}  // namespace cospadi
