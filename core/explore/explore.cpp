#include "core/explore/explore.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/explore/value_solver.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/block_method.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/methods/low_rank/svd_method.h"

namespace cospadi {

namespace {

constexpr double kMostCarriedOver = 2e7;  // entries of codes that are kept for the next setting

const Method& referenceMethod(bool whitened) {
    return whitened ? static_cast<const Method&>(svdLlmMethod()) : svdMethod();
}

// The curves that the method has, of the values that have a budget: over ρ, over CR.
std::array<std::vector<ExploredValue>, 2> curvesOf(
    const MatrixAtHand& matrix, const MatrixOptions& here, const ExploreRequest& request,
    const std::function<void(const std::string&)>& passedOver) {
    std::array<std::vector<ExploredValue>, 2> curves;
    auto& [overRho, overCr] = curves;
    const auto add = [&](std::vector<ExploredValue>& values, ExploreCurve curve, double cr,
                         double rho) {
        MatrixOptions at = here;
        at.cr = cr;
        at.rho = rho;
        try {
            (void)at.method->plan(at, matrix.info.d1, matrix.info.d2);
            values.push_back({curve, at});
        } catch (const Error& error) {
            if (passedOver) {
                passedOver(error.what());
            }
        }
    };
    if (here.method->uses("rho")) {
        for (const double rho : request.rhos) {
            add(overRho, ExploreCurve::Rho, here.cr, rho);
        }
    }
    if (here.method->hasRatio(here)) {
        for (const double cr : request.crs) {
            add(overCr, ExploreCurve::Cr, cr, here.rho);
        }
    }
    return curves;
}

// One after the other the value, of those that are not known, whose place in the list is farthest
// from all that stand: so that few of them show where the curve goes.
std::vector<ExploredValue> spanningFirst(const std::vector<ExploredValue>& curve,
                                         const std::function<bool(const ExploredValue&)>& isKnown) {
    const std::size_t count = curve.size();
    std::vector<std::size_t> distance(count, count);
    const auto stands = [&](std::size_t place) {
        for (std::size_t i = 0; i < count; ++i) {
            distance[i] = std::min(distance[i], i > place ? i - place : place - i);
        }
    };
    for (std::size_t i = 0; i < count; ++i) {
        if (isKnown(curve[i])) {
            stands(i);
        }
    }
    std::vector<ExploredValue> ordered;
    for (std::size_t left = count; left > 0; --left) {
        const auto farthest = std::max_element(distance.begin(), distance.end());
        if (*farthest == 0) {
            break;
        }
        const auto place = static_cast<std::size_t>(farthest - distance.begin());
        ordered.push_back(curve[place]);
        stands(place);
    }
    return ordered;
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

// Under the same accounting, ridge and refitting as far as the method at hand has them, else in its
// usual way.
MatrixOptions MatrixExplorer::referenceOptions(const MatrixOptions& options) const {
    const Method& method = *options.method;
    MatrixOptions at;
    at.method = &referenceMethod(isWhitened());
    if (method.uses("accounting")) {
        at.accounting = options.accounting;
        at.coefficientBits = isPacked(options.accounting) ? options.coefficientBits : 0;
    }
    at.ridge = method.uses("ridge") ? options.ridge : at.ridge;
    at.refit = method.uses("refit") ? options.refit : at.refit;
    return at;
}

// But for a few.
bool MatrixExplorer::knowsReference(const MatrixOptions& options,
                                    const std::vector<double>& crs) const {
    MatrixOptions at = referenceOptions(options);
    return std::any_of(crs.begin(), crs.end(), [&](double cr) {
        at.cr = cr;
        return m_lowRankErrors.count(keyOf(at)) > 0;
    });
}

std::vector<ReferencePoint> MatrixExplorer::lowRankReference(const MatrixOptions& options,
                                                             const std::vector<double>& crs) {
    MatrixOptions at = referenceOptions(options);
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
    requireLayerMethod(*request.options.method);
    MatrixOptions options = request.options;
    if (!isWhitened()) {
        options.method = &options.method->withoutCalibration();
    }
    // What does not count must not tell two settings apart.
    const MatrixOptions usual;
    options.cr = options.method->hasRatio(options) ? options.cr : usual.cr;
    options.rho = options.method->uses("rho") ? options.rho : usual.rho;
    return options;
}

Termination MatrixExplorer::solveHere(const ExploreRequest& request,
                                      const ExploreCallbacks& callbacks,
                                      const std::stop_token& stop) {
    ValueSolver solver(m_matrix, m_threads, callbacks, stop, m_known);
    const ExploredValue here{ExploreCurve::Here, optionsOf(request)};
    const Method& method = *here.options.method;
    method.validate(here.options);
    method.requireShape(here.options, m_matrix.info.d1, m_matrix.info.d2);
    const auto curves = curvesOf(m_matrix, here.options, request, {});
    const auto forEachValue = [&](const auto& visit) {
        for (const auto& curve : curves) {
            std::for_each(curve.begin(), curve.end(), visit);
        }
    };
    std::vector<double> crs = request.crs;
    crs.push_back(ratioOf(here.options, m_matrix.info));
    std::sort(crs.begin(), crs.end());
    crs.erase(std::unique(crs.begin(), crs.end()), crs.end());
    const auto tellReference = [&] {
        // One curve drawn twice where it is the method at hand.
        if (callbacks.reference && &method != &referenceMethod(isWhitened())) {
            callbacks.reference(lowRankReference(here.options, crs));
        }
    };
    const bool referenceKnown = knowsReference(here.options, crs);
    if (referenceKnown) {
        tellReference();
    }
    forEachValue([&](const ExploredValue& value) { solver.tellIfKnown(value); });
    if (solver.isKnown(here)) {
        solver.tellIfKnown(here);
    } else {
        CpuBackend backend(m_threads);
        const bool carriesOver = m_latest && m_latestMethod == &method;
        solver.tellBeginning(backend, here, carriesOver ? sparseFactors(m_latest) : nullptr);
        const StoredWeightPtr solved = solver.solve(backend, here, stop);
        if (!solved) {
            return Termination::Cancelled;
        }
        if (const SparseDictionaryFactors* factors = sparseFactors(solved)) {
            const bool isKept = static_cast<double>(factors->codes.size()) < kMostCarriedOver;
            m_latest = isKept ? solved : nullptr;
            m_latestMethod = &method;
        }
        forEachValue([&](const ExploredValue& value) {
            if (keyOf(value.options) == keyOf(here.options)) {
                solver.tellIfKnown(value);
            }
        });
    }
    if (!referenceKnown) {
        tellReference();
    }
    return stop.stop_requested() ? Termination::Cancelled : Termination::Converged;
}

Termination MatrixExplorer::solveCurves(const ExploreRequest& request,
                                        const ExploreCallbacks& callbacks,
                                        const std::stop_token& stop) {
    ValueSolver solver(m_matrix, m_threads, callbacks, stop, m_known);
    std::vector<ExploredValue> values;
    for (const auto& curve :
         curvesOf(m_matrix, optionsOf(request), request, callbacks.passedOver)) {
        const auto next =
            spanningFirst(curve, [&](const ExploredValue& value) { return solver.isKnown(value); });
        values.insert(values.end(), next.begin(), next.end());
    }
    return solver.solveAll(values) ? Termination::Converged : Termination::Cancelled;
}

Termination MatrixExplorer::explore(const ExploreRequest& request,
                                    const ExploreCallbacks& callbacks,
                                    const std::stop_token& stop) {
    const Termination here = solveHere(request, callbacks, stop);
    return here == Termination::Cancelled ? here : solveCurves(request, callbacks, stop);
}

}  // namespace cospadi
