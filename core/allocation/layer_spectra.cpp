#include "core/allocation/layer_spectra.h"

#include "core/allocation/allocation_progress.h"
#include "core/allocation/trial.h"
#include "core/base/error.h"
#include "core/linalg/spectrum.h"

namespace cospadi {

std::optional<std::vector<std::vector<double>>> layerSpectra(const AllocationProblem& problem,
                                                             const GramSet* grams,
                                                             const ProgressCallback& progress,
                                                             const std::stop_token& stop) {
    const auto count = static_cast<std::int64_t>(problem.layers.size());
    AllocationProgress done(count, progress);
    std::vector<std::vector<double>> spectra(problem.layers.size());
    TrialLayers layers(problem.model, grams, problem.pool.threadCount());
    problem.pool.run(count, [&](std::int64_t i) {
        if (stop.stop_requested()) {
            return;
        }
        const LayerInfo& layer = problem.layers[static_cast<std::size_t>(i)];
        const TrialLayer read = layers.of(layer);
        if (!read.weight.allFinite()) {
            throw Error("the weight holds NaN or infinite values", layer.name,
                        "check the model file");
        }
        spectra[static_cast<std::size_t>(i)] = singularValues(
            read.whitening ? read.whitening->whitenedFromOriginal(read.weight) : read.weight);
        done.advance(1);
    });
    if (stop.stop_requested()) {
        return std::nullopt;
    }
    return spectra;
}

}  // namespace cospadi
