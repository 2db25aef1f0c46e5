// `cospadi bench NAME`: measured figures with the peer or the limit beside them, all in one run.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/cli/bench_checks.h"
#include "app/cli/bench_forward.h"
#include "app/cli/bench_store.h"
#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/stopwatch.h"
#include "core/calibration/calibration.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/whitening.h"
#include "core/pipeline/compressed_model.h"

namespace cospadi::cli {

namespace {

struct Options {
    std::string name;
    std::string model = "default";
    std::string layer = "blk.10.ffn_up";
    std::string peer;
    bool quick = false;
};

struct Curve {
    std::vector<double> seconds;
    std::vector<double> errors;
    double finalError = 0;
    double totalSeconds = 0;

    std::optional<double> secondsTo(double error) const {
        for (std::size_t i = 0; i < errors.size(); ++i) {
            if (errors[i] <= error) {
                return seconds[i];
            }
        }
        return finalError <= error ? std::optional(totalSeconds) : std::nullopt;
    }
};

template <typename Solve>
Curve record(const char* name, ProgressLine& line, int iterations, const Solve& solve) {
    Curve curve;
    const Stopwatch clock;
    const LearnedDictionary learned = solve([&](const IterationSummary& s) {
        curve.seconds.push_back(clock.seconds());
        curve.errors.push_back(s.relativeError);
        const double each = clock.seconds() / s.iteration;
        line.show(
            {name, s.iteration, iterations, clock.seconds(), each * (iterations - s.iteration)},
            fmt::format("error {:.4f}", s.relativeError));
    });
    curve.totalSeconds = clock.seconds();
    curve.finalError = learned.relativeError;
    line.clear();
    return curve;
}

int benchSolver(const Session& session, const Options& options) {
    const Model model = loadModelOrRun(options.model);
    ProgressLine line;
    Eigen::MatrixXf whitened;
    {
        ThreadPool pool;
        CalibrationOptions calibration;
        calibration.text = resourcePath("texts/c4_calib.jsonl");
        calibration.sequences = 24;  // the 12k tokens of DESIGN §3's table
        const auto grams =
            calibrate(model, pool, calibration, session.progress(line), session.signals.token());
        line.clear();
        if (!grams) {
            return kCancelled;
        }
        const Whitening whitening(grams->gram(model.layerInfo(options.layer).gramKey),
                                  options.layer);
        whitened = whitening.whitenedFromOriginal(model.weight(options.layer));
    }
    CpuBackend backend;
    const Matrix w = backend.upload(whitened);
    const SparseBudget budget = sparseBudget(w.rows, w.cols, 0.2, 2, Accounting::Eq11);
    KsvdOptions ksvd;
    FastOptions fast;
    const Curve fastCurve = record("fast", line, fast.orthogonalIterations + fast.generalIterations,
                                   [&](const IterationCallback& cb) {
                                       return solveFast(backend, w, budget.k, budget.s, fast, cb,
                                                        session.signals.token());
                                   });
    const Curve ksvdCurve =
        record("ksvd 60x8", line, ksvd.iterations, [&](const IterationCallback& cb) {
            return solveKsvd(backend, w, budget.k, budget.s, ksvd, cb, session.signals.token());
        });
    if (session.signals.token().stop_requested()) {
        return kCancelled;
    }
    const double sooner =
        ksvdCurve.totalSeconds / fastCurve.secondsTo(ksvdCurve.finalError).value_or(1e9);
    std::vector<Check> checks;
    checks.push_back({"fast: seconds to the error of ksvd 60x8",
                      fastCurve.secondsTo(ksvdCurve.finalError).value_or(-1), "s",
                      "ksvd 60x8, same machine", ksvdCurve.totalSeconds, sooner, 100,
                      sooner >= 100});
    const double share = fastCurve.finalError / ksvdCurve.finalError;
    checks.push_back({"fast: final relative error (whitened)", fastCurve.finalError, "-",
                      "ksvd 60x8", ksvdCurve.finalError, share, 0.95, share <= 0.95});
    return publishChecks(
        session, checks,
        fmt::format("{} ({} x {}), CR 0.2, ρ 2, eq 11: k {}, s {}; {}\nfast takes {:.2f} s in all, "
                    "ksvd {:.2f} s\n",
                    options.layer, w.rows, w.cols, budget.k, budget.s, backend.description(),
                    fastCurve.totalSeconds, ksvdCurve.totalSeconds));
}

}  // namespace

void addBench(CLI::App& app, Session& session) {
    auto* command = app.add_subcommand("bench", "Measure: solver, forward, store");
    auto options = std::make_shared<Options>();
    command
        ->add_option("NAME", options->name,
                     "solver: fast against ksvd 60x8 on a real whitened matrix; forward: tokens/s "
                     "and share of the GEMM rate; store: 10 000 runs of 200 matrices")
        ->required()
        ->check(CLI::IsMember({"solver", "forward", "store"}));
    command->add_option("--model", options->model, "Another model")->capture_default_str();
    command->add_option("--layer", options->layer, "solver: the matrix")->capture_default_str();
    command->add_option("--peer", options->peer,
                        "forward: a Python that has llama-cpp-python, to measure llama.cpp in the "
                        "same run on the same float32 weights and threads");
    command->add_flag("--quick", options->quick, "The shorter form (solver: this one matrix)");
    finishCommand(command, session, [&session, options] {
        return options->name == "store" ? benchStore(session, options->quick)
               : options->name == "solver"
                   ? benchSolver(session, *options)
                   : benchForward(session, options->model, options->peer, options->quick);
    });
}

}  // namespace cospadi::cli
