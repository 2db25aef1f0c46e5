#include "app/cli/bench/bench_explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "app/cli/bench/bench_checks.h"
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
constexpr double kFirstLimit = 1;       // seconds, as are the next
constexpr double kCurveLimit = 20;      // nine values of ρ
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
        if (point.last && point.curve != ExploreCurve::Here) {
            seen.errors[{point.cr, point.rho}] = point.relativeError;
        }
        if (point.last && point.curve == ExploreCurve::Rho && --rhosLeft == 0) {
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
        "ρ dragged to {}: the solution before comes to {:.4f}, the solver's first iteration to "
        "{:.4f}, its end to {:.4f}\n",
        kDraggedRho, after.firstError, after.solverFirstError, after.lastError);
    notes += fmt::format("processor: curve of ρ {:.1f} s, all {:.1f} s; clock, all: {:.1f} s\n",
                         seen.rhoCurveCpu, seen.allCpu, seen.all);
    return publishChecks(session,
                         {{"first estimate", seen.first, "s", "limit", kFirstLimit,
                           seen.first / kFirstLimit, 1, seen.first <= kFirstLimit},
                          {"first estimate after dragging", after.first, "s", "limit", kFirstLimit,
                           after.first / kFirstLimit, 1, after.first <= kFirstLimit},
                          {"whole curve of ρ", seen.rhoCurve, "s", "limit", kCurveLimit,
                           seen.rhoCurve / kCurveLimit, 1, seen.rhoCurve <= kCurveLimit},
                          {"worst error against a run's", worst, "times", "a run", 1, worst,
                           kTolerance, worst <= kTolerance}},
                         notes);
}

}  // namespace cospadi::cli
