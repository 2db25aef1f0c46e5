#include "app/cli/bench/bench_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <tuple>
#include <vector>

#include "app/cli/bench/bench_checks.h"
#include "app/cli/bench/storage_setting.h"
#include "core/base/resources.h"
#include "core/base/stopwatch.h"
#include "core/base/thread_pool.h"
#include "core/calibration/calibration.h"
#include "core/exports/compressed_model.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/whitening.h"
#include "core/methods/compress_matrix.h"
#include "core/run/resolve_specification.h"
#include "core/run/smaller_runs.h"

namespace cospadi::cli {

namespace {

constexpr double kWorse = 1.02;  // than the reference
// Every shape in the middle of the model, and what was hard: inputs that hardly differ (blk.0), a
// massive activation (blk.11.ffn_down).
constexpr const char* kLayers = "^blk\\.(10\\.(attn_q|attn_v|ffn_gate)|0\\.attn_k|11\\.ffn_down)$";
constexpr const char* kQuickLayers = "^blk\\.(0\\.attn_k|11\\.ffn_down)$";
constexpr const char* kHeader = "layer,accounting,rho,cr,k,s,relative_error,seconds";

using Key = std::tuple<std::string, std::string, std::string, std::string>;

struct ErrorPoint {
    std::string layer;
    StorageSetting setting;
    std::int64_t k = 0, s = 0;
    double error = 0;  // relative, whitened, of the stored factors
    double seconds = 0;

    Key key() const {
        return {layer, name(setting.accounting), fmt::format("{}", setting.rho),
                fmt::format("{}", setting.cr)};
    }
    std::string line() const {
        return fmt::format("{},{},{},{},{},{},{:.6f},{:.2f}\n", layer, name(setting.accounting),
                           setting.rho, setting.cr, k, s, error, seconds);
    }
};

std::vector<StorageSetting> errorSettings(bool quick) {
    std::vector<StorageSetting> all;
    for (const Accounting accounting :
         {Accounting::Eq10, Accounting::Eq11, Accounting::Packed, Accounting::Packed8}) {
        for (const double rho : {1.2, 1.5, 2.0, 3.0, 5.0}) {
            for (const double cr : {0.1, 0.2, 0.4}) {
                if (!quick || (rho >= 2 && rho <= 3)) {
                    all.push_back({accounting, rho, cr});
                }
            }
        }
    }
    return all;
}

std::map<Key, double> readReference(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    if (line != kHeader) {
        throw Error("is not a table of errors", file.string(),
                    "its first line must be: " + std::string(kHeader));
    }
    std::map<Key, double> errors;
    while (std::getline(in, line)) {
        std::istringstream fields(line);
        std::vector<std::string> values;
        for (std::string value; std::getline(fields, value, ',');) {
            values.push_back(value);
        }
        if (values.size() != 8) {
            throw Error("has a line of " + std::to_string(values.size()) + " fields: " + line,
                        file.string(), "write it with --csv");
        }
        errors[{values[0], values[1], values[2], values[3]}] = std::stod(values[6]);
    }
    return errors;
}

ErrorPoint solve(Backend& backend, const LayerInfo& layer, const Eigen::MatrixXf& weight,
                 const Whitening& whitening, const StorageSetting& setting,
                 const std::stop_token& stop) {
    MatrixOptions options;
    options.accounting = setting.accounting;
    options.rho = setting.rho;
    options.cr = setting.cr;
    const Stopwatch clock;
    const CompressedMatrix result = compressMatrix(backend, weight, &whitening, options, {}, stop);
    const SparseDictionaryFactors& factors = *sparseFactors(result.weight);
    return {layer.name,           setting,        factors.dictionary.cols(), factors.s,
            result.relativeError, clock.seconds()};
}

// Points whose error is above that of a neighbour with fewer bytes, and above rounding.
std::vector<const ErrorPoint*> aboveSmaller(const std::vector<ErrorPoint>& points) {
    std::map<std::tuple<std::string, std::string, double>, std::vector<const ErrorPoint*>> curves;
    for (const ErrorPoint& point : points) {
        curves[{point.layer, name(point.setting.accounting), point.setting.rho}].push_back(&point);
    }
    std::vector<const ErrorPoint*> above;
    for (auto& [key, curve] : curves) {
        std::sort(curve.begin(), curve.end(), [](const ErrorPoint* a, const ErrorPoint* b) {
            return a->setting.cr > b->setting.cr;  // growing bytes
        });
        double least = curve.front()->error;
        for (const ErrorPoint* point : curve) {
            if (point->error > std::max(kRoundingError, least)) {
                above.push_back(point);
            }
            least = std::min(least, point->error);
        }
    }
    return above;
}

}  // namespace

int benchErrors(const Session& session, const ErrorBenchOptions& options) {
    const Model model = loadModelOrRun(options.model);
    ProgressLine line;
    ThreadPool pool;
    CalibrationOptions text;
    text.text = resourcePath("texts/c4_calib.jsonl");
    const std::optional<GramSet> grams =
        calibrate(model, pool, text, session.progress(line), session.signals.token());
    line.clear();
    if (!grams) {
        return kCancelled;
    }
    const std::vector<LayerInfo> layers = selectLayers(
        model.layers(),
        !options.layers.empty() ? options.layers : (options.quick ? kQuickLayers : kLayers));
    const std::vector<StorageSetting> grid = errorSettings(options.quick);
    const std::filesystem::path reference = options.reference.empty()
                                                ? resourcePath("bench/solver_errors.csv")
                                                : std::filesystem::path(options.reference);
    const std::map<Key, double> before = readReference(reference);

    std::vector<ErrorPoint> points;
    std::mutex mutex;
    const Stopwatch clock;
    const auto total = static_cast<std::int64_t>(layers.size() * grid.size());
    for (const LayerInfo& layer : layers) {
        const Whitening whitening(grams->gram(layer.gramKey), layer.name);
        const Eigen::MatrixXf weight = model.weight(layer.name);
        pool.run(static_cast<std::int64_t>(grid.size()), [&](std::int64_t i) {
            if (session.signals.token().stop_requested()) {
                return;
            }
            CpuBackend backend(1);
            const ErrorPoint point =
                solve(backend, layer, weight, whitening, grid[static_cast<std::size_t>(i)],
                      session.signals.token());
            const std::scoped_lock lock(mutex);
            points.push_back(point);
            const auto done = static_cast<std::int64_t>(points.size());
            line.show(
                {"errors", done, total, clock.seconds(),
                 clock.seconds() / static_cast<double>(done) * static_cast<double>(total - done)},
                layer.name);
        });
    }
    line.clear();
    if (session.signals.token().stop_requested()) {
        return kCancelled;
    }
    std::sort(points.begin(), points.end(),
              [](const ErrorPoint& a, const ErrorPoint& b) { return a.key() < b.key(); });
    if (!options.csv.empty()) {
        std::ofstream out(options.csv);
        out << kHeader << "\n";
        for (const ErrorPoint& point : points) {
            out << point.line();
        }
        if (!out.flush()) {
            throw Error("cannot be written", options.csv, "choose another file");
        }
    }

    std::vector<Check> checks;
    double worst = 0;
    double sumOfLogs = 0;
    double seconds = 0;
    std::int64_t compared = 0;
    std::string notes;
    for (const ErrorPoint& point : points) {
        seconds += point.seconds;
        const auto found = before.find(point.key());
        if (found == before.end() || !(found->second > 0)) {
            continue;
        }
        const double ratio = point.error / found->second;
        ++compared;
        sumOfLogs += std::log(ratio);
        worst = std::max(worst, ratio);
        if (ratio > kWorse) {
            checks.push_back(
                {fmt::format("{} {} ρ {} CR {}", point.layer, name(point.setting.accounting),
                             point.setting.rho, point.setting.cr),
                 point.error, "whitened", "the reference", found->second, ratio, kWorse, false});
        }
    }
    for (const ErrorPoint* point : aboveSmaller(points)) {
        checks.push_back(
            {fmt::format("{} {} ρ {} CR {}", point->layer, name(point->setting.accounting),
                         point->setting.rho, point->setting.cr),
             point->error, "whitened", "a smaller budget", 0, 0, 1, false});
    }
    checks.push_back({"worst of all points", worst, "ratio", "the reference", 1, worst, kWorse,
                      worst <= kWorse});
    const double mean = compared > 0 ? std::exp(sumOfLogs / static_cast<double>(compared)) : 0;
    checks.push_back(
        {"geometric mean", mean, "ratio", "the reference", 1, mean, kWorse, mean <= kWorse});
    notes = fmt::format("{} points, {} of them in {}; {:.0f} s of solving\n", points.size(),
                        compared, reference.filename().string(), seconds);
    return publishChecks(session, checks, notes);
}

}  // namespace cospadi::cli
