#include "app/cli/bench/bench_layers.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "app/cli/bench/bench_checks.h"
#include "app/cli/bench/model_bench.h"
#include "app/cli/bench/peak_memory.h"
#include "app/cli/bench/synthetic_layer.h"
#include "core/base/stopwatch.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/whitening.h"
#include "core/methods/compress_matrix.h"
#include "core/run/cost_estimate.h"

namespace cospadi::cli {

int benchLayers(const Session& session, const std::string& setName, bool quick) {
    const ModelSet& set = modelSet(setName);
    const std::int64_t part = quick ? 8 : 1;
    CpuBackend backend;
    ProgressLine line;
    std::vector<Check> checks;
    std::string notes = fmt::format(
        "{}; {}; cospadi, fast, CR 0.2, ρ 2, eq 11\n\n{:<20} {:>6} {:>6} "
        "{:>6} {:>6} {:>9} {:>8} {:>9} {:>9} {:>10}\n",
        set.name, backend.description(), "layer", "d1", "d2", "k", "s", "side", "error", "seconds",
        "cpu s", "memory");
    double processorOfAll = 0;
    int matrices = 0;
    double highest = 0;
    for (const LayerShape& shape : set.layers) {
        const std::int64_t d1 = shape.d1 / part;
        const std::int64_t d2 = shape.d2 / part;
        forgetPeak();
        const Eigen::MatrixXf w = powerLawWeight(d1, d2, kWeightExponent, 11);
        std::optional<Eigen::MatrixXd> gram = powerLawGram(d1, kGramExponent, 12);
        const double processorBefore = processorSeconds();
        const Stopwatch clock;  // from here on as a run does it
        const Whitening whitening(*gram, shape.name);
        gram.reset();
        LayerInfo layer;
        layer.d1 = d1;
        layer.d2 = d2;
        const double ofAnIteration = shareOfAnIteration(MatrixOptions{}, {{layer}});
        const CompressedMatrix result = compressMatrix(
            backend, w, &whitening, MatrixOptions{},
            [&](const IterationSummary& s) {
                const double share = std::min(1.0, ofAnIteration * s.iteration);
                line.show({shape.name, std::lround(100 * share), 100, clock.seconds(),
                           clock.seconds() * (1 - share) / share},
                          fmt::format("iteration {}: error {:.4f}", s.iteration, s.relativeError));
            },
            session.signals.token());
        line.clear();
        if (session.signals.token().stop_requested()) {
            return kCancelled;
        }
        const double seconds = clock.seconds();
        const double processor = processorSeconds() - processorBefore;
        const double peak = peakBytes();
        processorOfAll += processor * shape.count;
        matrices += shape.count;
        highest = std::max(highest, peak);
        const SparseDictionaryFactors& factors = *sparseFactors(result.weight);
        notes += fmt::format(
            "{:<20} {:>6} {:>6} {:>6} {:>6} {:>9} {:>8.4f} {:>9.1f} {:>9.1f} {:>10}\n", shape.name,
            d1, d2, factors.dictionary.cols(), factors.s, name(factors.side), result.relativeError,
            seconds, processor, humanBytes(peak));
    }
    // A run works on a matrix a core: all cores are busy with nearly the same work in all.
    const double whole = processorOfAll / backend.pool().threadCount();
    notes += fmt::format("\nWhole model, {} matrices, {} cores: {}\n", matrices,
                         backend.pool().threadCount(), humanSeconds(whole));
    checks.push_back({"peak memory of one layer", highest / 1e9, "GB", "limit", set.hostBytes / 1e9,
                      highest / set.hostBytes, 1, highest <= set.hostBytes});
    if (set.hostSeconds > 0) {
        checks.push_back({"the whole model, predicted", whole, "s", "limit", set.hostSeconds,
                          whole / set.hostSeconds, 1, whole <= set.hostSeconds});
    }
    return publishChecks(session, checks, notes);
}

}  // namespace cospadi::cli
