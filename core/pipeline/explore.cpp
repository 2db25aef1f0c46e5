#include "core/pipeline/explore.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "core/base/error.h"
#include "core/linalg/cpu_backend.h"

namespace cospadi {

namespace {

constexpr int kQuickIterations = 6;  // the error is then within a quarter of its end

struct Value {
    ExploreCurve curve;
    MatrixOptions options;
    bool last;
};

class Exploration {
  public:
    Exploration(const MatrixAtHand& matrix, int threads, const ExploreCallbacks& callbacks,
                const std::stop_token& stop)
        : m_matrix(matrix), m_threads(threads), m_callbacks(callbacks), m_stop(stop) {}

    // False when cancelled.
    bool solve(CpuBackend& backend, const Value& value) {
        const MatrixOptions& options = value.options;
        const SparseBudget budget = sparseBudgetOf(options, m_matrix.info.d1, m_matrix.info.d2);
        ExplorePoint point{value.curve, options.cr, options.rho, budget.k, budget.s};
        point.bytes = budget.totalBytes();
        const CompressedMatrix result = compressMatrix(
            backend, m_matrix.weight, m_matrix.whitening ? &*m_matrix.whitening : nullptr, options,
            [&](const IterationSummary& summary) {
                point.iteration = summary.iteration;
                point.relativeError = summary.relativeError;
                tell(point);
            },
            m_stop);
        if (result.termination == Termination::Cancelled) {
            return false;
        }
        point.relativeError = result.relativeError;
        point.settled = true;
        point.last = value.last;
        tell(point);
        return true;
    }

    // All values, side by side. False when cancelled.
    bool solveAll(const std::vector<Value>& values) {
        std::atomic<std::size_t> next{0};
        std::atomic<bool> cancelled{false};
        std::exception_ptr failure;
        {
            std::vector<std::jthread> workers;
            const auto count = std::min<std::size_t>(static_cast<std::size_t>(m_threads),
                                                     std::max<std::size_t>(1, values.size()));
            for (std::size_t worker = 0; worker < count; ++worker) {
                workers.emplace_back([&] {
                    CpuBackend backend(1);
                    for (std::size_t i = next++; i < values.size() && !cancelled; i = next++) {
                        try {
                            cancelled = m_stop.stop_requested() || !solve(backend, values[i]);
                        } catch (...) {
                            const std::scoped_lock lock(m_mutex);
                            failure = failure ? failure : std::current_exception();
                            cancelled = true;
                        }
                    }
                });
            }
        }
        if (failure) {
            std::rethrow_exception(failure);
        }
        return !cancelled && !m_stop.stop_requested();
    }

  private:
    void tell(const ExplorePoint& point) {
        const std::scoped_lock lock(m_mutex);
        if (m_callbacks.point && !m_stop.stop_requested()) {
            m_callbacks.point(point);
        }
    }

    const MatrixAtHand& m_matrix;
    int m_threads;
    const ExploreCallbacks& m_callbacks;
    const std::stop_token& m_stop;
    std::mutex m_mutex;
};

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

std::vector<ReferencePoint> MatrixExplorer::lowRankReference(const std::vector<double>& crs) {
    if (m_truncationErrors.empty()) {
        m_truncationErrors = truncationErrors(singularValues(
            m_matrix.whitening ? m_matrix.whitening->whitenedFromOriginal(m_matrix.weight)
                               : m_matrix.weight));
    }
    std::vector<ReferencePoint> points;
    for (const double cr : crs) {
        try {
            const LowRankBudget budget = lowRankBudget(m_matrix.info.d1, m_matrix.info.d2, cr);
            points.push_back({cr, budget.rank,
                              m_truncationErrors[static_cast<std::size_t>(budget.rank)],
                              budget.totalBytes()});
        } catch (const Error&) {
            // no rank fits into this storage
        }
    }
    return points;
}

Termination MatrixExplorer::explore(const ExploreRequest& request,
                                    const ExploreCallbacks& callbacks,
                                    const std::stop_token& stop) {
    MatrixOptions options = request.options;
    options.method = isWhitened() ? Method::Cospadi : Method::CospadiFree;
    Exploration exploration(m_matrix, m_threads, callbacks, stop);

    std::vector<Value> values;
    const auto add = [&](ExploreCurve curve, double cr, double rho) {
        MatrixOptions at = options;
        at.cr = cr;
        at.rho = rho;
        try {
            (void)sparseBudgetOf(at, m_matrix.info.d1, m_matrix.info.d2);
            values.push_back({curve, at, true});
        } catch (const Error& error) {
            if (callbacks.passedOver) {
                callbacks.passedOver(error.what());
            }
        }
    };
    for (std::size_t i = 0; i < std::max(request.rhos.size(), request.crs.size()); ++i) {
        if (i < request.rhos.size()) {
            add(ExploreCurve::Rho, options.cr, request.rhos[i]);
        }
        if (i < request.crs.size()) {
            add(ExploreCurve::Cr, request.crs[i], options.rho);
        }
    }

    {
        CpuBackend backend(m_threads);
        if (!exploration.solve(backend, {ExploreCurve::Here, options, true})) {
            return Termination::Cancelled;
        }
    }
    if (callbacks.reference) {
        std::vector<double> crs = request.crs;
        crs.push_back(options.cr);
        std::sort(crs.begin(), crs.end());
        crs.erase(std::unique(crs.begin(), crs.end()), crs.end());
        callbacks.reference(lowRankReference(crs));
    }
    const bool alreadyFew = options.iterations > 0 && options.iterations <= kQuickIterations;
    if (!alreadyFew) {
        std::vector<Value> quick = values;
        for (Value& value : quick) {
            value.options.iterations = kQuickIterations;
            value.last = false;
        }
        if (!exploration.solveAll(quick)) {
            return Termination::Cancelled;
        }
    }
    return exploration.solveAll(values) ? Termination::Converged : Termination::Cancelled;
}

}  // namespace cospadi
