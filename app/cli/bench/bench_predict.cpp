#include "app/cli/bench/bench_predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "app/cli/bench/bench_checks.h"
#include "app/cli/bench/storage_setting.h"
#include "app/cli/measured_run.h"
#include "core/allocation/model_prediction.h"
#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/explore/whole_model.h"
#include "core/run/resolve_specification.h"
#include "core/tensors/atomic_file.h"

namespace cospadi::cli {

namespace {

constexpr const char* kPredictTag = "bench-predict";
constexpr double kAllowed = 0.05;
constexpr double kPredictionLimit = 0.02;  // seconds: what a slider is moved by feels nothing of

struct PredictSetting {
    StorageSetting storage;
    bool uniform = false;
};

std::vector<PredictSetting> predictSettings(bool quick) {
    std::vector<PredictSetting> all;
    for (const double cr : {0.1, 0.2, 0.3, 0.4}) {
        for (const bool uniform : {false, true}) {
            if (!quick || (cr == 0.2 && !uniform)) {
                all.push_back({{Accounting::Eq11, 2, cr}, uniform});
            }
        }
    }
    for (const double cr : {0.2, 0.4}) {
        if (!quick) {
            all.push_back({{Accounting::Packed, 3, cr}, false});
        }
    }
    return all;
}

}  // namespace

int benchPredict(const Session& session, const PredictBenchOptions& options) {
    std::vector<Check> checks;
    std::string table = "accounting,rho,cr,shared,bytes,predicted,measured\n";
    double slowestQuery = 0;
    std::optional<ModelCurves> curves;
    StorageSetting measured{Accounting::Eq11, 0, 0};  // whose curves these are
    const std::vector<PredictSetting> grid = predictSettings(options.quick);
    for (std::size_t i = 0; i < grid.size(); ++i) {
        const StorageSetting& storage = grid[i].storage;
        RunSpecification specification;
        specification.model = options.model;
        specification.accounting = storage.accounting;
        specification.rho = storage.rho;
        const std::string title =
            fmt::format("{} ρ {} CR {} {}", name(storage.accounting), storage.rho, storage.cr,
                        grid[i].uniform ? "uniform" : "shared");
        fmt::print(stderr, "[{}/{}] {}\n", i + 1, grid.size(), title);
        if (!curves || measured.rho != storage.rho || measured.accounting != storage.accounting) {
            ProgressLine line;
            WholeModelCallbacks callbacks;
            callbacks.progress = session.progress(line);
            curves = measureWholeModel(specification, 0, callbacks, session.signals.token());
            measured = storage;
            line.clear();
            if (!curves) {
                return kCancelled;
            }
        }
        PredictionTarget target;
        target.cr = storage.cr;
        target.uniform = grid[i].uniform;
        const ModelPredictor predictor(*curves, curveOptions(specification));
        const Stopwatch query;
        const Prediction predicted = predictor.predict(target);
        slowestQuery = std::max(slowestQuery, query.seconds());
        specification.cr = storage.cr;
        if (!grid[i].uniform) {
            for (const LayerPrediction& layer : predicted.layers) {
                specification.ratios[layer.name] = layer.cr;
            }
        }
        const auto run =
            measuredRun(session, resolved(specification), kPredictTag, 0, kPredictedText);
        if (!run) {
            return kCancelled;
        }
        table += fmt::format("{},{},{},{},{},{:.4f},{:.4f}\n", name(storage.accounting),
                             storage.rho, storage.cr, grid[i].uniform ? 0 : 1, run->run.bytes,
                             predicted.perplexity, run->perplexity);
        const double ratio = predicted.perplexity / run->perplexity;
        checks.push_back({title, predicted.perplexity, "perplexity", "measured", run->perplexity,
                          ratio, 1.0, std::abs(ratio - 1) <= kAllowed});
    }
    checks.push_back({"the slowest query", slowestQuery, "s", "limit", kPredictionLimit,
                      slowestQuery / kPredictionLimit, 1, slowestQuery <= kPredictionLimit});
    if (!options.csv.empty()) {
        writeFileAtomically(options.csv, table);
    }
    return publishChecks(
        session, checks,
        fmt::format("perplexity of {}, on which no curve was measured; within {:.0f} %\n",
                    kPredictedText, 100 * kAllowed));
}

}  // namespace cospadi::cli
