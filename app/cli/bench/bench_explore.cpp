#include "app/cli/bench/bench_explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "app/cli/bench/bench_checks.h"
#include "app/cli/bench/synthetic_layer.h"
#include "core/base/resources.h"
#include "core/base/stopwatch.h"
#include "core/calibration/calibration.h"
#include "core/explore/explore.h"
#include "core/linalg/cpu_backend.h"
#include "core/model/layer_weight.h"
#include "core/model/model.h"
#include "core/model/model_locator.h"

namespace cospadi::cli {

namespace {

constexpr const char* kLayer = "blk.10.ffn_up";
constexpr double kFirstLimit = 1;        // seconds, as are the next
constexpr double kCurveLimit = 20;       // nine values of ρ
constexpr double kLargeCurveLimit = 60;  // the same, of a matrix of Llama-3.2-1B's feed-forward
constexpr std::int64_t kLargeRows = 2048;
constexpr std::int64_t kLargeCols = 8192;
constexpr double kTolerance = 1.00001;  // times the error of a run with the same settings
// As the Explore page asks.
const std::vector<double> kRhos = {1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6};
const std::vector<double> kCrs = {0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6};

constexpr double kDraggedRho = 2.2;

struct Observed {
    double first = -1, rhoCurve = -1, all = 0;                      // seconds
    double firstError = -1, solverFirstError = -1, lastError = -1;  // of the setting at hand
    double rhoCurveCpu = 0, allCpu = 0;
    std::map<std::pair<double, double>, double> errors;  // (CR, ρ) → of the last word
};

Observed observe(MatrixExplorer& explorer, const ExploreRequest& request,
                 const std::stop_token& stop) {
    Observed seen;
    std::size_t rhosLeft = request.rhos.size();
    const Stopwatch clock;
    const double cpu = processorSeconds();
    ExploreCallbacks callbacks;
    callbacks.point = [&](const ExplorePoint& point) {
        if (seen.first < 0) {
            seen.first = clock.seconds();
            seen.firstError = point.relativeError;
        }
        if (point.curve == ExploreCurve::Here) {
            seen.solverFirstError =
                point.iteration == 1 ? point.relativeError : seen.solverFirstError;
            seen.lastError = point.relativeError;
        }
        if (point.settled && point.curve != ExploreCurve::Here) {
            seen.errors[{point.cr, point.rho}] = point.relativeError;
        }
        if (point.settled && point.curve == ExploreCurve::Rho && --rhosLeft == 0) {
            seen.rhoCurve = clock.seconds();
            seen.rhoCurveCpu = processorSeconds() - cpu;
        }
    };
    explorer.explore(request, callbacks, stop);
    seen.all = clock.seconds();
    seen.allCpu = processorSeconds() - cpu;
    return seen;
}

MatrixAtHand matrixOf(const std::filesystem::path& place, const GramSet* grams) {
    MatrixAtHand matrix;
    LayerWeight read = readLayerWeight(place, kLayer);
    matrix.info = read.info;
    matrix.weight = std::move(read.weight);
    if (grams != nullptr) {
        matrix.whitening.emplace(grams->gram(matrix.info.gramKey), kLayer);
    }
    return matrix;
}

// Made up: its metric as of trained models.
MatrixAtHand largeMatrix() {
    MatrixAtHand matrix;
    matrix.info.name = "large";
    matrix.info.d1 = kLargeRows;
    matrix.info.d2 = kLargeCols;
    matrix.weight = powerLawWeight(kLargeRows, kLargeCols, kWeightExponent, 11);
    matrix.whitening.emplace(powerLawGram(kLargeRows, kGramExponent, 12), matrix.info.name);
    return matrix;
}

Check atMost(const char* what, double seconds, double limit) {
    return {what, seconds, "s", "limit", limit, seconds / limit, 1, seconds <= limit};
}

}  // namespace

int benchExplore(const Session& session, const std::string& model, bool quick) {
    const auto place = locateModel(model);
    std::optional<GramSet> grams;
    if (!quick) {
        ProgressLine line;
        ThreadPool pool;
        CalibrationOptions calibration;
        calibration.text = resourcePath("texts/c4_calib.jsonl");
        calibration.sequences = 24;  // as `bench solver`
        grams = calibrate(Model::load(place), pool, calibration, session.progress(line),
                          session.signals.token());
        line.clear();
        if (!grams) {
            return kCancelled;
        }
    }
    MatrixExplorer explorer(matrixOf(place, grams ? &*grams : nullptr));
    ExploreRequest request;
    request.rhos = kRhos;
    request.crs = kCrs;
    const std::stop_token stop = session.signals.token();
    const Observed seen = observe(explorer, request, stop);
    if (stop.stop_requested()) {
        return kCancelled;
    }

    ExploreRequest dragged;
    dragged.options.rho = kDraggedRho;
    const Observed after = observe(explorer, dragged, stop);
    if (stop.stop_requested()) {
        return kCancelled;
    }

    const MatrixAtHand& matrix = explorer.matrix();
    std::string notes =
        fmt::format("{} ({} x {}), {}; nine values of ρ at CR {}, nine of CR at ρ {}\n", kLayer,
                    matrix.info.d1, matrix.info.d2, explorer.isWhitened() ? "whitened" : "plain",
                    request.options.cr, request.options.rho);
    double worst = 0;
    CpuBackend backend;
    for (const auto& [at, error] : seen.errors) {
        MatrixOptions options = explorer.optionsOf(request);
        options.cr = at.first;
        options.rho = at.second;
        const double run =
            compressMatrix(backend, matrix.weight, matrix.whitening ? &*matrix.whitening : nullptr,
                           options, {}, stop)
                .relativeError;
        if (stop.stop_requested()) {
            return kCancelled;
        }
        worst = std::max(worst, error / run);
        notes += fmt::format("  CR {:.2f}  ρ {:.2f}: {:.4f}, a run {:.4f}, {:+.2f} %\n", at.first,
                             at.second, error, run, 100 * (error / run - 1));
    }
    notes += fmt::format(
        "ρ dragged to {}: error of the previous solution {:.4f}, of the solver's first iteration "
        "{:.4f}, of its result {:.4f}\n",
        kDraggedRho, after.firstError, after.solverFirstError, after.lastError);
    notes += fmt::format("processor: curve of ρ {:.1f} s, all {:.1f} s; clock, all: {:.1f} s\n",
                         seen.rhoCurveCpu, seen.allCpu, seen.all);
    std::vector<Check> checks{atMost("first estimate", seen.first, kFirstLimit),
                              atMost("first estimate after dragging", after.first, kFirstLimit),
                              atMost("whole curve of ρ", seen.rhoCurve, kCurveLimit),
                              {"worst error against a run's", worst, "times", "a run", 1, worst,
                               kTolerance, worst <= kTolerance}};
    if (!quick) {
        MatrixExplorer large(largeMatrix());
        request.crs.clear();
        const Observed there = observe(large, request, stop);
        if (stop.stop_requested()) {
            return kCancelled;
        }
        notes += fmt::format("({}, {}): ρ {}, error {:.4f}\n", kLargeRows, kLargeCols,
                             request.options.rho, there.lastError);
        for (const auto& [at, error] : there.errors) {
            notes += fmt::format("  ρ {:.2f}: {:.4f}\n", at.second, error);
        }
        checks.push_back(atMost("first estimate, (2048, 8192)", there.first, kFirstLimit));
        checks.push_back(
            atMost("whole curve of ρ, (2048, 8192)", there.rhoCurve, kLargeCurveLimit));
    }
    return publishChecks(session, checks, notes);
}

}  // namespace cospadi::cli
