#include "app/cli/bench/bench_layers.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>

#include "app/cli/bench/bench_checks.h"
#include "app/cli/bench/synthetic_layer.h"
#include "core/base/stopwatch.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/whitening.h"
#include "core/methods/compress_matrix.h"

namespace cospadi::cli {

namespace {

constexpr double kMemoryLimit = 3.0 * 1024 * 1024 * 1024;  // bytes
constexpr int kBlocks = 16;

struct Shape {
    const char* name;
    std::int64_t d1, d2;
    int inABlock;
};

constexpr Shape kShapes[] = {{"attn_k, attn_v", 2048, 512, 2},
                             {"attn_q, attn_output", 2048, 2048, 2},
                             {"ffn_gate, ffn_up", 2048, 8192, 2},
                             {"ffn_down", 8192, 2048, 1}};

// Linux: the most that the process has held since the last call of forgetPeak(). 0 elsewhere.
double peakBytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            return std::stod(line.substr(6)) * 1024;
        }
    }
    return 0;
}

void forgetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace

int benchLayers(const Session& session, bool quick) {
    const std::int64_t part = quick ? 8 : 1;
    CpuBackend backend;
    ProgressLine line;
    std::vector<Check> checks;
    std::string notes = fmt::format(
        "{}; cospadi, fast, CR 0.2, ρ 2, eq 11\n\n{:<20} {:>6} {:>6} "
        "{:>6} {:>6} {:>9} {:>8} {:>9} {:>9} {:>10}\n",
        backend.description(), "layer", "d1", "d2", "k", "s", "side", "error", "seconds", "cpu s",
        "memory");
    double block = 0;
    double highest = 0;
    for (const Shape& shape : kShapes) {
        const std::int64_t d1 = shape.d1 / part;
        const std::int64_t d2 = shape.d2 / part;
        forgetPeak();
        const Eigen::MatrixXf w = powerLawWeight(d1, d2, kWeightExponent, 11);
        std::optional<Eigen::MatrixXd> gram = powerLawGram(d1, kGramExponent, 12);
        const double processorBefore = processorSeconds();
        const Stopwatch clock;  // from here on as a run does it
        const Whitening whitening(*gram, shape.name);
        gram.reset();
        const CompressedMatrix result = compressMatrix(
            backend, w, &whitening, MatrixOptions{},
            [&](const IterationSummary& s) {
                line.show({shape.name, s.iteration, 22, clock.seconds(),
                           clock.seconds() / s.iteration * (22 - s.iteration)},
                          fmt::format("error {:.4f}", s.relativeError));
            },
            session.signals.token());
        line.clear();
        if (session.signals.token().stop_requested()) {
            return kCancelled;
        }
        const double seconds = clock.seconds();
        const double processor = processorSeconds() - processorBefore;
        const double peak = peakBytes();
        block += processor * shape.inABlock;
        highest = std::max(highest, peak);
        const SparseDictionaryFactors& factors = *sparseFactors(result.weight);
        notes += fmt::format(
            "{:<20} {:>6} {:>6} {:>6} {:>6} {:>9} {:>8.4f} {:>9.1f} {:>9.1f} {:>10}\n", shape.name,
            d1, d2, factors.dictionary.cols(), factors.s, name(factors.side), result.relativeError,
            seconds, processor, humanBytes(peak));
    }
    // A run works on a matrix a core: all cores are busy with nearly the same work in all.
    const double whole = block * kBlocks / backend.pool().threadCount();
    notes += fmt::format("\nWhole model, {} blocks of 7 matrices, {} cores: {}\n", kBlocks,
                         backend.pool().threadCount(), humanSeconds(whole));
    checks.push_back({"peak memory of one layer", highest / 1e9, "GB", "limit", kMemoryLimit / 1e9,
                      highest / kMemoryLimit, 1, highest <= kMemoryLimit});
    checks.push_back({"the whole model, predicted", whole, "s", "", 0, 0, 0, true});
    return publishChecks(session, checks, notes);
}

}  // namespace cospadi::cli
