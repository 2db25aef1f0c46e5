#include "app/cli/bench_growth.h"

#include <fmt/format.h>

#include <cmath>

#include "app/cli/bench_checks.h"
#include "app/cli/synthetic_layer.h"
#include "core/base/stopwatch.h"
#include "core/dictionary/budget.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/linalg/cpu_backend.h"
#include "core/tensors/atomic_file.h"

namespace cospadi::cli {

namespace {

constexpr double kExponent = 0.6;  // of the whitened singular values

struct Point {
    std::string against;  // d, k or matrices
    std::string solver;
    std::int64_t d1 = 0, d2 = 0, k = 0, s = 0, matrices = 1;
    double seconds = 0;
    double x() const {
        return static_cast<double>(against == "d" ? d1 : against == "k" ? k : matrices);
    }
};

double secondsOf(CpuBackend& backend, const Point& point, const std::stop_token& stop) {
    const Matrix w = backend.upload(powerLawWeight(point.d1, point.d2, kExponent, 7));
    const Stopwatch clock;
    for (std::int64_t i = 0; i < point.matrices; ++i) {
        if (point.solver == "fast") {
            solveFast(backend, w, point.k, point.s, {}, {}, stop);
        } else {
            KsvdOptions options;
            options.iterations = 1;
            solveKsvd(backend, w, point.k, point.s, options, {}, stop);
        }
    }
    return clock.seconds();
}

std::vector<Point> plan(bool quick) {
    std::vector<Point> points;
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

// The slope of log seconds over log x, least squares.
double fittedExponent(const std::vector<Point>& points) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (const Point& p : points) {
        const double x = std::log(p.x());
        const double y = std::log(p.seconds);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    const auto n = static_cast<double>(points.size());
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// What counting operations says. fast: d² d2 once, and per iteration products of (d, k) with (k,
// d2) and (k, k) with (k, d2): all cubic in d; in k between 1 and 2. ksvd: OMP k s² d2 ∝ d⁴ and k³,
// the sweep d k (s d2 / k) ∝ d³ and k.
double theory(const std::string& against, const std::string& solver) {
    const bool isFast = solver == "fast";
    return against == "matrices" ? 1 : against == "d" ? (isFast ? 3 : 4) : (isFast ? 2 : 3);
}

}  // namespace

int benchGrowth(const Session& session, const std::string& csv, bool quick) {
    CpuBackend backend;
    ProgressLine line;
    std::vector<Point> points = plan(quick);
    const Stopwatch clock;
    std::string table = fmt::format("{}\n\n{:<9} {:<6} {:>6} {:>6} {:>6} {:>6} {:>8} {:>10}\n",
                                    backend.description(), "against", "solver", "d1", "d2", "k",
                                    "s", "matrices", "seconds");
    std::string text = "against,solver,d1,d2,k,s,matrices,seconds\n";
    secondsOf(backend, points.front(), session.signals.token());  // threads and BLAS wake up
    for (std::size_t i = 0; i < points.size(); ++i) {
        Point& p = points[i];
        line.show({"growth", static_cast<std::int64_t>(i), static_cast<std::int64_t>(points.size()),
                   clock.seconds(), -1});
        p.seconds = secondsOf(backend, p, session.signals.token());
        if (session.signals.token().stop_requested()) {
            return kCancelled;
        }
        table += fmt::format("{:<9} {:<6} {:>6} {:>6} {:>6} {:>6} {:>8} {:>10.4f}\n", p.against,
                             p.solver, p.d1, p.d2, p.k, p.s, p.matrices, p.seconds);
        text += fmt::format("{},{},{},{},{},{},{},{:.6f}\n", p.against, p.solver, p.d1, p.d2, p.k,
                            p.s, p.matrices, p.seconds);
    }
    line.clear();
    if (!csv.empty()) {
        writeFileAtomically(csv, text);
    }
    std::vector<Check> checks;
    for (const char* solver : {"fast", "ksvd"}) {
        for (const char* against : {"d", "k", "matrices"}) {
            std::vector<Point> curve;
            for (const Point& p : points) {
                if (p.solver == solver && p.against == against) {
                    curve.push_back(p);
                }
            }
            const double found = fittedExponent(curve);
            const double expected = theory(against, solver);
            // Large products run nearer to the machine's rate than small ones: growth may stay
            // below the count of operations, never far above it.
            checks.push_back({fmt::format("{}: seconds against {}", solver, against), found,
                              "exponent", "operations, leading term", expected, found / expected,
                              1.15, found <= 1.15 * expected});
        }
    }
    return publishChecks(session, checks, table);
}

}  // namespace cospadi::cli
