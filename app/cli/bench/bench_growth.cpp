#include "app/cli/bench/bench_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/bench/bench_checks.h"
#include "app/cli/bench/synthetic_layer.h"
#include "core/base/stopwatch.h"
#include "core/dictionary/budget.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/linalg/cpu_backend.h"
#include "core/tensors/atomic_file.h"

namespace cospadi::cli {

namespace {

constexpr double kExponent = 0.6;  // of the whitened singular values

struct GrowthPoint {
    std::string against;  // d, k or matrices
    std::string solver;
    std::int64_t d1 = 0, d2 = 0, k = 0, s = 0, matrices = 1;
    double seconds = 0;  // of all processors together
    double x() const {
        return static_cast<double>(against == "d" ? d1 : against == "k" ? k : matrices);
    }
};

double secondsOf(CpuBackend& backend, const GrowthPoint& point, const std::stop_token& stop) {
    const Matrix w = backend.upload(powerLawWeight(point.d1, point.d2, kExponent, 7));
    const double before = processorSeconds();
    for (std::int64_t i = 0; i < point.matrices; ++i) {
        if (point.solver == "fast") {
            solveFast(backend, w, point.k, point.s, {}, {}, stop);
        } else {
            KsvdOptions options;
            options.iterations = 1;
            solveKsvd(backend, w, point.k, point.s, options, {}, stop);
        }
    }
    return processorSeconds() - before;
}

std::vector<GrowthPoint> plan(bool quick) {
    std::vector<GrowthPoint> points;
    for (const char* solver : {"fast", "ksvd"}) {
        for (const std::int64_t d : {128, 256, 512, 1024}) {
            if (d <= (quick ? 512 : 1024)) {
                const SparseBudget b = sparseBudget(d, 2 * d, 0.2, 2, Accounting::Eq11);
                points.push_back({"d", solver, d, 2 * d, b.k, b.s});
            }
        }
        const std::int64_t d = quick ? 256 : 512;
        for (const std::int64_t part : {8, 4, 2, 1}) {  // k up to d, ρ 2
            points.push_back({"k", solver, d, 2 * d, d / part, d / part / 2});
        }
        const SparseBudget b = sparseBudget(256, 512, 0.2, 2, Accounting::Eq11);
        for (const std::int64_t matrices : {1, 2, 4, 8}) {
            points.push_back({"matrices", solver, 256, 512, b.k, b.s, matrices});
        }
    }
    return points;
}

// The slope of log y over log x, least squares.
template <typename Y>
double fittedExponent(const std::vector<GrowthPoint>& points, const Y& y) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (const GrowthPoint& p : points) {
        const double a = std::log(p.x());
        const double b = std::log(y(p));
        sx += a;
        sy += b;
        sxx += a * a;
        sxy += a * b;
    }
    const auto n = static_cast<double>(points.size());
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// Floating-point operations by the algorithms' own products, for the fitted exponent of theory.
double operations(const GrowthPoint& p) {
    const auto d = static_cast<double>(p.d1), n = static_cast<double>(p.d2);
    const auto k = static_cast<double>(p.k), s = static_cast<double>(p.s);
    double each = 0;
    if (p.solver == "fast") {
        const FastOptions options;
        // W Sᵀ, DᵀW; S Sᵀ, G S before and after the selection; G, solve
        const double general = 4 * d * k * n + 6 * k * k * n + 4 * d * k * k;
        const double refit = 2 * k * k * n;  // G times the direction
        each = 2 * d * d * n + 10 * d * d * d + options.iterations * general +
               options.refitSteps * refit;
    } else {
        const double coding =
            2 * d * k * n + 2 * d * k * k + n * k * s * s;             // P, G, s steps (k, t)
        const double sweep = 2 * d * k * n + d * s * n * (4 * 9 + 4);  // residual, 8 + 1 passes
        each = coding + sweep;
    }
    return each * static_cast<double>(p.matrices);
}

// Operations a second, geometric mean: what theory's curve is drawn with.
double meanRate(const std::vector<GrowthPoint>& curve) {
    double sum = 0;
    for (const GrowthPoint& p : curve) {
        sum += std::log(operations(p) / p.seconds);
    }
    return std::exp(sum / static_cast<double>(curve.size()));
}

}  // namespace

int benchGrowth(const Session& session, const std::string& csv, bool quick) {
    CpuBackend backend;
    ProgressLine line;
    std::vector<GrowthPoint> points = plan(quick);
    const Stopwatch clock;
    std::string table = fmt::format("{}\n\n{:<9} {:<6} {:>6} {:>6} {:>6} {:>6} {:>8} {:>10}\n",
                                    backend.description(), "against", "solver", "d1", "d2", "k",
                                    "s", "matrices", "seconds");
    secondsOf(backend, points.front(), session.signals.token());  // threads and BLAS wake up
    for (std::size_t i = 0; i < points.size(); ++i) {
        GrowthPoint& p = points[i];
        line.show({"growth", static_cast<std::int64_t>(i), static_cast<std::int64_t>(points.size()),
                   clock.seconds(), -1});
        // The least of three: others' work costs caches, and never makes ours cheaper.
        p.seconds = secondsOf(backend, p, session.signals.token());
        for (int repeat = 1; repeat < (p.seconds < 2 ? 3 : 1); ++repeat) {
            p.seconds = std::min(p.seconds, secondsOf(backend, p, session.signals.token()));
        }
        if (session.signals.token().stop_requested()) {
            return kCancelled;
        }
        table += fmt::format("{:<9} {:<6} {:>6} {:>6} {:>6} {:>6} {:>8} {:>10.4f}\n", p.against,
                             p.solver, p.d1, p.d2, p.k, p.s, p.matrices, p.seconds);
    }
    line.clear();
    std::string text = "against,solver,d1,d2,k,s,matrices,processor_seconds,theory\n";
    std::vector<Check> checks;
    for (const char* solver : {"fast", "ksvd"}) {
        for (const char* against : {"d", "k", "matrices"}) {
            std::vector<GrowthPoint> curve;
            for (const GrowthPoint& p : points) {
                if (p.solver == solver && p.against == against) {
                    curve.push_back(p);
                }
            }
            const double rate = meanRate(curve);
            for (const GrowthPoint& p : curve) {
                text +=
                    fmt::format("{},{},{},{},{},{},{},{:.6f},{:.6f}\n", p.against, p.solver, p.d1,
                                p.d2, p.k, p.s, p.matrices, p.seconds, operations(p) / rate);
            }
            const double found =
                fittedExponent(curve, [](const GrowthPoint& p) { return p.seconds; });
            const double expected = fittedExponent(curve, operations);
            // Large products run nearer to the machine's rate than small ones: growth may stay
            // below the count of operations, never far above it.
            checks.push_back({fmt::format("{}: processor time against {}", solver, against), found,
                              "exponent", "of the operations", expected, found / expected, 1.15,
                              found <= 1.15 * expected});
        }
    }
    if (!csv.empty()) {
        writeFileAtomically(csv, text);
    }
    return publishChecks(session, checks, table);
}

}  // namespace cospadi::cli
