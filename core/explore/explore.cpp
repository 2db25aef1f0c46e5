#include "core/explore/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/methods/low_rank/svd_method.h"
#include "core/methods/sparse_dictionary/sparse_method.h"

namespace cospadi {

namespace {

constexpr int kQuickIterations = 6;  // the error is then within a quarter of its end

constexpr double kMostPausedBytes = 2e9;
constexpr double kMostCarriedOver = 2e7;  // entries of codes that are kept for the next setting

struct Value {
    ExploreCurve curve;
    MatrixOptions options;
};

// So many may work at a time; whoever waits with the lowest rank is next.
class Turns {
  public:
    explicit Turns(int places) : m_free(places) {}

    void take(int rank) {
        std::unique_lock lock(m_mutex);
        m_waiting.insert(rank);
        m_changed.wait(lock, [&] { return m_open || (m_free > 0 && *m_waiting.begin() == rank); });
        m_waiting.erase(rank);
        --m_free;
        m_changed.notify_all();
    }

    void give() {
        const std::scoped_lock lock(m_mutex);
        ++m_free;
        m_changed.notify_all();
    }

    // Nobody waits any more: all are to end.
    void open() {
        const std::scoped_lock lock(m_mutex);
        m_open = true;
        m_changed.notify_all();
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::set<int> m_waiting;
    int m_free;
    bool m_open = false;
};

constexpr std::size_t kMostKnown = 4096;

std::string keyOf(const MatrixOptions& o) {
    return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", o.method->name(),
                       static_cast<int>(o.solver), o.cr, o.rho, static_cast<int>(o.accounting),
                       o.coefficientBits, o.iterations, o.powerIterations, o.tolerance, o.ridge,
                       o.seed, static_cast<int>(o.init), static_cast<int>(o.update),
                       static_cast<int>(o.deadAtoms), static_cast<int>(o.coefficientRounding),
                       o.side ? static_cast<int>(*o.side) : -1, refits(o),
                       static_cast<int>(coefficientFormatOf(o)));
}

using KnownValues = std::map<std::string, std::vector<ExplorePoint>>;

class Exploration {
  public:
    // known: settled values of earlier explorations, by keyOf().
    Exploration(const MatrixAtHand& matrix, int threads, const ExploreCallbacks& callbacks,
                const std::stop_token& stop, KnownValues& known)
        : m_matrix(matrix),
          m_threads(threads),
          m_callbacks(callbacks),
          m_stop(stop),
          m_known(known) {}

    bool isKnown(const Value& value) const { return m_known.count(keyOf(value.options)) > 0; }

    // Of the setting at hand every iteration, of a value on a curve what stands there.
    void tellIfKnown(const Value& value) {
        const auto found = m_known.find(keyOf(value.options));
        if (found == m_known.end()) {
            return;
        }
        const auto& path = found->second;
        const bool whole = value.curve == ExploreCurve::Here;
        for (auto point = whole ? path.begin() : path.end() - 1; point != path.end(); ++point) {
            tell(*point, value.curve);
        }
    }

    // The setting at hand as the solution before it has it.
    void tellCarriedOver(CpuBackend& backend, const Value& value,
                         const SparseDictionaryFactors& before) {
        ExplorePoint point = pointOf(value);
        const auto error =
            errorOfCarriedOver(backend, m_matrix.weight, whitening(), before, value.options);
        if (error) {
            point.relativeError = *error;
            tell(point, value.curve);
        }
    }

    // Empty when cancelled. pauseAfter: called once, when the quick iterations are done.
    StoredWeightPtr solve(CpuBackend& backend, const Value& value, const std::stop_token& stop,
                          const std::function<void()>& pauseAfter = {}) {
        const MatrixOptions& options = value.options;
        std::vector<ExplorePoint> path;
        ExplorePoint point = pointOf(value);
        CompressedMatrix result = compressMatrix(
            backend, m_matrix.weight, whitening(), options,
            [&](const IterationSummary& summary) {
                point.iteration = summary.iteration;
                point.relativeError = summary.relativeError;
                path.push_back(point);
                tell(point, value.curve);
                if (pauseAfter && summary.iteration == kQuickIterations) {
                    pauseAfter();
                }
            },
            stop);
        if (result.termination == Termination::Cancelled) {
            return nullptr;
        }
        point.relativeError = result.relativeError;
        point.settled = true;
        point.last = true;
        path.push_back(point);
        tell(point, value.curve);
        const std::scoped_lock lock(m_mutex);
        if (m_known.size() >= kMostKnown) {
            m_known.clear();
        }
        m_known[keyOf(options)] = std::move(path);
        return std::move(result.weight);
    }

    // All values, side by side, one thread each: first the quick iterations of every value, then
    // the rest in order. False when cancelled.
    bool solveAll(const std::vector<Value>& values) {
        const bool mayPause = statesFit(values);
        const int count = static_cast<int>(values.size());
        Turns turns(m_threads);
        std::stop_source stop;
        const std::stop_callback outer(m_stop, [&] {
            stop.request_stop();
            turns.open();
        });
        std::exception_ptr failure;
        {
            std::vector<std::jthread> workers;
            for (int i = 0; i < count; ++i) {
                workers.emplace_back([&, i] {
                    turns.take(i);
                    try {
                        if (!stop.stop_requested()) {
                            CpuBackend backend(1);
                            const auto pause = [&] {
                                turns.give();
                                turns.take(count + i);
                            };
                            solve(backend, values[static_cast<std::size_t>(i)], stop.get_token(),
                                  mayPause ? std::function<void()>(pause) : nullptr);
                        }
                    } catch (...) {
                        const std::scoped_lock lock(m_mutex);
                        failure = failure ? failure : std::current_exception();
                        stop.request_stop();
                    }
                    turns.give();
                });
            }
        }
        if (failure) {
            std::rethrow_exception(failure);
        }
        return !stop.stop_requested();
    }

  private:
    const Whitening* whitening() const {
        return m_matrix.whitening ? &*m_matrix.whitening : nullptr;
    }

    ExplorePoint pointOf(const Value& value) const {
        const MatrixOptions& options = value.options;
        const SparseBudget budget = sparseBudgetOf(options, m_matrix.info.d1, m_matrix.info.d2);
        ExplorePoint point{value.curve, options.cr, options.rho, budget.k, budget.s};
        point.bytes = budget.totalBytes();
        return point;
    }

    // A paused solve keeps its matrices: W, D, S and about five more of the shape of S.
    bool statesFit(const std::vector<Value>& values) const {
        double bytes = 0;
        for (const Value& value : values) {
            const SparseBudget budget =
                sparseBudgetOf(value.options, m_matrix.info.d1, m_matrix.info.d2);
            bytes += 4.0 * static_cast<double>(budget.d2) *
                     (static_cast<double>(budget.d1) + 6.0 * static_cast<double>(budget.k));
        }
        return bytes < kMostPausedBytes;
    }

    void tell(ExplorePoint point, ExploreCurve curve) {
        point.curve = curve;
        const std::scoped_lock lock(m_mutex);
        if (m_callbacks.point && !m_stop.stop_requested()) {
            m_callbacks.point(point);
        }
    }

    const MatrixAtHand& m_matrix;
    int m_threads;
    const ExploreCallbacks& m_callbacks;
    const std::stop_token& m_stop;
    KnownValues& m_known;
    std::mutex m_mutex;
};

// The values of both curves that have a budget.
std::vector<Value> curveValues(const MatrixAtHand& matrix, const MatrixOptions& here,
                               const ExploreRequest& request,
                               const std::function<void(const std::string&)>& passedOver) {
    std::vector<Value> values;
    const auto add = [&](ExploreCurve curve, double cr, double rho) {
        MatrixOptions at = here;
        at.cr = cr;
        at.rho = rho;
        try {
            (void)sparseBudgetOf(at, matrix.info.d1, matrix.info.d2);
            values.push_back({curve, at});
        } catch (const Error& error) {
            if (passedOver) {
                passedOver(error.what());
            }
        }
    };
    for (const double rho : request.rhos) {
        add(ExploreCurve::Rho, here.cr, rho);
    }
    for (const double cr : request.crs) {
        add(ExploreCurve::Cr, cr, here.rho);
    }
    return values;
}

}  // namespace

const char* name(ExploreCurve curve) {
    switch (curve) {
        case ExploreCurve::Here:
            return "here";
        case ExploreCurve::Rho:
            return "rho";
        case ExploreCurve::Cr:
            return "cr";
    }
    return "unknown";
}

MatrixExplorer::MatrixExplorer(MatrixAtHand matrix, int threads)
    : m_matrix(std::move(matrix)),
      m_threads(threads > 0 ? threads : ThreadPool::availableCores()) {}

// The low-rank method under the same accounting, else in its usual way.
std::vector<ReferencePoint> MatrixExplorer::lowRankReference(const MatrixOptions& options,
                                                             const std::vector<double>& crs) {
    MatrixOptions at;
    at.method = isWhitened() ? &svdLlmMethod() : &svdMethod();
    at.accounting = options.accounting;
    at.coefficientBits = isPacked(options.accounting) ? options.coefficientBits : 0;
    std::vector<ReferencePoint> points;
    std::vector<std::string> keys;
    std::vector<MatrixOptions> unknown;
    for (const double cr : crs) {
        at.cr = cr;
        try {
            const LowRankBudget budget = lowRankBudgetOf(at, m_matrix.info.d1, m_matrix.info.d2);
            points.push_back({cr, budget.rank, 0, budget.totalBytes()});
            keys.push_back(keyOf(at));
            if (m_lowRankErrors.count(keys.back()) == 0) {
                unknown.push_back(at);
            }
        } catch (const Error&) {
            // no rank fits into this storage
        }
    }
    if (!unknown.empty()) {
        CpuBackend backend(m_threads);
        const std::vector<double> errors = lowRankErrors(
            backend, m_matrix.weight, m_matrix.whitening ? &*m_matrix.whitening : nullptr, unknown);
        for (std::size_t i = 0; i < unknown.size(); ++i) {
            m_lowRankErrors[keyOf(unknown[i])] = errors[i];
        }
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].relativeError = m_lowRankErrors.at(keys[i]);
    }
    return points;
}

MatrixOptions MatrixExplorer::optionsOf(const ExploreRequest& request) const {
    MatrixOptions options = request.options;
    options.method = isWhitened() ? &cospadiMethod() : &cospadiFreeMethod();
    return options;
}

Termination MatrixExplorer::solveHere(const ExploreRequest& request,
                                      const ExploreCallbacks& callbacks,
                                      const std::stop_token& stop) {
    Exploration exploration(m_matrix, m_threads, callbacks, stop, m_known);
    const Value here{ExploreCurve::Here, optionsOf(request)};
    const auto curves = curveValues(m_matrix, here.options, request, {});
    const auto tellReference = [&] {
        if (callbacks.reference) {
            std::vector<double> crs = request.crs;
            crs.push_back(request.options.cr);
            std::sort(crs.begin(), crs.end());
            crs.erase(std::unique(crs.begin(), crs.end()), crs.end());
            callbacks.reference(lowRankReference(request.options, crs));
        }
    };
    const bool referenceKnown = !m_lowRankErrors.empty();  // but for one CR at most
    if (referenceKnown) {
        tellReference();
    }
    for (const Value& value : curves) {
        exploration.tellIfKnown(value);
    }
    if (exploration.isKnown(here)) {
        exploration.tellIfKnown(here);
    } else {
        CpuBackend backend(m_threads);
        if (m_latest) {
            exploration.tellCarriedOver(backend, here, *sparseFactors(m_latest));
        }
        const StoredWeightPtr solved = exploration.solve(backend, here, stop);
        if (!solved) {
            return Termination::Cancelled;
        }
        const bool carriesOver =
            static_cast<double>(sparseFactors(solved)->codes.size()) < kMostCarriedOver;
        m_latest = carriesOver ? solved : nullptr;
        for (const Value& value : curves) {
            if (keyOf(value.options) == keyOf(here.options)) {
                exploration.tellIfKnown(value);
            }
        }
    }
    if (!referenceKnown) {
        tellReference();
    }
    return stop.stop_requested() ? Termination::Cancelled : Termination::Converged;
}

Termination MatrixExplorer::solveCurves(const ExploreRequest& request,
                                        const ExploreCallbacks& callbacks,
                                        const std::stop_token& stop) {
    Exploration exploration(m_matrix, m_threads, callbacks, stop, m_known);
    std::vector<Value> values =
        curveValues(m_matrix, optionsOf(request), request, callbacks.passedOver);
    std::erase_if(values, [&](const Value& value) { return exploration.isKnown(value); });
    return exploration.solveAll(values) ? Termination::Converged : Termination::Cancelled;
}

Termination MatrixExplorer::explore(const ExploreRequest& request,
                                    const ExploreCallbacks& callbacks,
                                    const std::stop_token& stop) {
    const Termination here = solveHere(request, callbacks, stop);
    return here == Termination::Cancelled ? here : solveCurves(request, callbacks, stop);
}

}  // namespace cospadi
