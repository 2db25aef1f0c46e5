#include "core/explore/value_solver.h"

#include <fmt/format.h>

#include <atomic>

#include "core/base/thread_pool.h"
#include "core/forms/forms.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/sparse_dictionary/sparse_method.h"

namespace cospadi {

namespace {

constexpr std::size_t kMostKnown = 4096;

}  // namespace

double ratioOf(const MatrixOptions& options, const LayerInfo& layer) {
    const double dense = 2.0 * static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
    return options.method->hasRatio(options) ? options.cr
                                             : 1 - budgetBytes(options, layer.d1, layer.d2) / dense;
}

ValueSolver::ValueSolver(const MatrixAtHand& matrix, int threads, const ExploreCallbacks& callbacks,
                         const std::stop_token& stop, KnownValues& known)
    : m_matrix(matrix), m_threads(threads), m_callbacks(callbacks), m_stop(stop), m_known(known) {}

bool ValueSolver::isKnown(const ExploredValue& value) const {
    return m_known.count(keyOf(value.options)) > 0;
}

void ValueSolver::tellIfKnown(const ExploredValue& value) {
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

void ValueSolver::tellBeginning(CpuBackend& backend, const ExploredValue& value,
                                const SparseDictionaryFactors* before) {
    const MatrixOptions& options = value.options;
    if (!isSparse(*options.method) || !tellsIterations(*options.method)) {
        return;
    }
    ExplorePoint point = pointOf(value);
    const auto error =
        before != nullptr
            ? errorOfCarriedOver(backend, m_matrix.weight, whitening(), *before, options)
            : errorOfBeginning(backend, m_matrix.weight, whitening(), options);
    if (error) {
        point.relativeError = *error;
        tell(point, value.curve);
    }
}

StoredWeightPtr ValueSolver::solve(CpuBackend& backend, const ExploredValue& value,
                                   const std::stop_token& stop) {
    const MatrixOptions& options = value.options;
    std::vector<ExplorePoint> path;
    ExplorePoint point = pointOf(value);
    const bool tells = tellsIterations(*options.method);
    CompressedMatrix result = compressMatrix(
        backend, m_matrix.weight, whitening(), options,
        [&](const IterationSummary& summary) {
            point.iteration = summary.iteration;
            point.relativeError = summary.relativeError;
            if (tells) {
                path.push_back(point);
                if (value.curve == ExploreCurve::Here) {
                    tell(point, value.curve);
                }
            }
        },
        stop, {}, nullptr, nullptr, m_matrix.rowFisher ? &*m_matrix.rowFisher : nullptr);
    if (result.termination == Termination::Cancelled) {
        return nullptr;
    }
    point.relativeError = result.relativeError;
    point.settled = true;
    path.push_back(point);
    tell(point, value.curve);
    const std::scoped_lock lock(m_mutex);
    if (m_known.size() >= kMostKnown) {
        m_known.clear();
    }
    m_known[keyOf(options)] = std::move(path);
    return std::move(result.weight);
}

bool ValueSolver::solveAll(const std::vector<ExploredValue>& values) {
    std::stop_source stop;
    const std::stop_callback outer(m_stop, [&] { stop.request_stop(); });
    std::atomic<std::size_t> next = 0;
    ThreadPool workers(m_threads);
    workers.run(workers.threadCount(), [&](std::int64_t /*worker*/) {
        CpuBackend backend(1);
        try {
            for (std::size_t i = next++; i < values.size() && !stop.stop_requested(); i = next++) {
                solve(backend, values[i], stop.get_token());
            }
        } catch (...) {
            stop.request_stop();
            throw;
        }
    });
    return !stop.stop_requested();
}

const Whitening* ValueSolver::whitening() const {
    return m_matrix.whitening ? &*m_matrix.whitening : nullptr;
}

ExplorePoint ValueSolver::pointOf(const ExploredValue& value) const {
    const MatrixOptions& options = value.options;
    const LayerInfo& layer = m_matrix.info;
    const StoragePlan plan = options.method->plan(options, layer.d1, layer.d2);
    const Form* form = findForm(options.method->formUnder(options));
    ExplorePoint point;
    point.curve = value.curve;
    point.cr = ratioOf(options, layer);
    point.rho = options.method->uses("rho") ? options.rho : 0;
    point.k = plan.facts.value("k", std::int64_t{0});
    point.s = plan.facts.value("s", std::int64_t{0});
    point.stored = form != nullptr ? inEnglish(form->describe(plan.facts)) : "";
    point.bytes = plan.bytes();
    return point;
}

// Whether its iterations are told in the error that is reported in the end: a method without
// data tells them of W itself, also where that is of L W.
bool ValueSolver::tellsIterations(const Method& method) const {
    return method.needsCalibration() == m_matrix.whitening.has_value();
}

void ValueSolver::tell(ExplorePoint point, ExploreCurve curve) {
    point.curve = curve;
    const std::scoped_lock lock(m_mutex);
    if (m_callbacks.point && !m_stop.stop_requested()) {
        m_callbacks.point(point);
    }
}

}  // namespace cospadi
