#include "app/cli/bench/bench_gpu.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/bench/bench_checks.h"
#include "app/cli/bench/model_bench.h"
#include "core/base/stopwatch.h"
#include "core/linalg/cpu_backend.h"

namespace cospadi::cli {

namespace {

struct Target {
    const char* set;
    const char* solver;
    double seconds;
    const char* peer;
    double peerSeconds;  // published
};

// One H200-class device, CR 0.2, ρ 2.
constexpr Target kTargets[] = {
    {"llama-3.2-1b", "fast", 60, "K-SVD as published, A100", 646.8 * 60},
    {"llama-3.2-1b", "ksvd", 646.8 * 60 / 5, "K-SVD as published, A100", 646.8 * 60},
    {"llama-3-8b", "fast", 480, "", 0}};

}  // namespace

int benchGpu(const Session& session, const DeviceOptions& options, const std::string& set,
             const std::string& solver, bool quick) {
    const ComputeDevice device = options.open();
    const auto open = [&]() -> std::unique_ptr<Backend> {
        return device.open ? device.open(0) : std::make_unique<CpuBackend>();
    };
    MatrixOptions matrix;
    matrix.solver = solverFromName(solver);
    const int iterations = matrix.solver == Solver::Ksvd ? 60 : 22;
    ProgressLine line;
    Stopwatch clock;
    const auto result = benchModel(
        modelSet(set), matrix, quick ? 16 : 1, std::max(1, device.matricesAtOnce), open,
        [&](const LayerShape& shape, const IterationSummary& s) {
            line.show({shape.name, s.iteration, iterations, clock.seconds(), -1},
                      fmt::format("error {:.4f}", s.relativeError));
        },
        session.signals.token());
    line.clear();
    if (!result) {
        return kCancelled;
    }
    Check check{set + ", " + solver + ", whole model", result->seconds, "s", "", 0, 0, 0, true};
    for (const Target& target : kTargets) {
        if (!quick && device.open && set == target.set && solver == target.solver) {
            check.peer = target.peer;
            check.peerValue = target.peerSeconds;
            check.ratio = result->seconds / target.seconds;
            check.target = 1;
            check.holds = result->seconds <= target.seconds;
        }
    }
    return publishChecks(session, {check},
                         fmt::format("{}; {}, CR 0.2, ρ 2, eq 11{}\n\n{}", open()->description(),
                                     solver, quick ? "; sizes divided by 16" : "", text(*result)));
}

}  // namespace cospadi::cli
