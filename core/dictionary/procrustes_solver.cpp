#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi {

namespace {

// D ← the orthonormal D for which ⟨D, W Sᵀ⟩ is largest. Atoms that hardly any energy falls to, and
// those without codes, leave W Sᵀ singular: there the least share μ of D that helps is added to it.
// That is a proximal step, and no longer one: ⟨D₊, W Sᵀ⟩ + μ ⟨D₊, D⟩ ≥ ⟨D, W Sᵀ⟩ + μ k, of which
// ⟨D₊, D⟩ is k at most, so that the error does not rise. False where nothing helps.
bool turnDictionary(Backend& backend, const Matrix& w, const Matrix& codes, Matrix& d) {
    constexpr double kLeastShare = 1e-6;  // of ‖W Sᵀ‖_F: what float32 still tells from rounding
    constexpr double kMostShare = 1;
    Matrix candidate = backend.zeros(d.rows, d.cols);
    backend.gemm(Op::None, Op::Transpose, 1, w, codes, 0, candidate);
    const double norm = std::sqrt(backend.dot(candidate, candidate));
    double added = 0;
    for (double share = kLeastShare; !backend.polar(candidate); share *= 10) {
        if (!(share <= kMostShare && norm > 0)) {
            return false;
        }
        backend.axpby(static_cast<float>(share * norm - added), d, 1, candidate);
        added = share * norm;
    }
    d = candidate;
    return true;
}

}  // namespace

LearnedDictionary solveProcrustes(Backend& backend, const Matrix& w, std::int64_t k, std::int64_t s,
                                  const ProcrustesOptions& options,
                                  const IterationCallback& callback, const std::stop_token& stop) {
    if (k > std::min(w.rows, w.cols)) {
        throw Error(fmt::format("{} orthonormal atoms for {} x {}", k, w.rows, w.cols), "k",
                    "give at most as many atoms as the shorter side has entries");
    }
    const double squaredNorm = solver::checkedSquaredNorm(backend, w, k, s);
    LearnedDictionary result;
    result.termination = Termination::MaxIterations;
    result.dictionary = backend.leftSingularVectors(w, k);
    result.codes = backend.zeros(k, w.cols);
    Matrix projected = backend.zeros(k, w.cols);
    // With D orthonormal the gradient is P − S, S + (P − S) = P, and ‖W − D S‖² = ‖W‖² − ‖S‖².
    std::int64_t changes = 0;
    const auto code = [&] {
        backend.gemm(Op::Transpose, Op::None, 1, result.dictionary, w, 0, projected);
        backend.axpby(-1, result.codes, 1, projected);
        changes = backend.thresholdStep(projected, 1, s, result.codes);
        const double left = squaredNorm - backend.dot(result.codes, result.codes);
        result.relativeError = std::sqrt(std::max(left, 0.0) / squaredNorm);
    };
    solver::PhaseClock first(backend);
    code();
    result.phases.coding = first.lap();
    double previous = std::numeric_limits<double>::infinity();
    while (result.iterations < options.iterations) {
        if (stop.stop_requested()) {
            result.termination = Termination::Cancelled;
            return result;
        }
        solver::PhaseClock clock(backend);
        PhaseSeconds phases;
        if (!turnDictionary(backend, w, result.codes, result.dictionary)) {
            result.termination = Termination::Converged;
            break;
        }
        phases.dictionary = clock.lap();
        code();
        phases.coding = clock.lap();
        result.phases += phases;
        ++result.iterations;
        if (callback) {
            IterationSummary summary;
            summary.phase = "procrustes";
            summary.iteration = result.iterations;
            summary.relativeError = result.relativeError;
            solver::countUsage(backend, result.codes, summary);
            summary.supportChanges = changes;
            summary.seconds = clock.seconds();
            summary.phases = phases;
            summary.dictionary = &result.dictionary;
            summary.codes = &result.codes;
            callback(summary);
        }
        if (solver::converged(previous, result.relativeError, options.tolerance)) {
            result.termination = Termination::Converged;
            break;
        }
        previous = result.relativeError;
    }
    return result;
}

}  // namespace cospadi
