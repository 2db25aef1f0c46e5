#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/stopwatch.h"
#include "core/dictionary/coding_problem.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi {

namespace {

constexpr double kDivergence =
    1.1;  // an error this far above the best one is not momentum's wobble

class FastSolver {
  public:
    FastSolver(Backend& backend, std::int64_t k, std::int64_t s, const FastOptions& options,
               const IterationCallback& callback, const std::stop_token& stop)
        : m_backend(backend),
          m_k(k),
          m_s(s),
          m_options(options),
          m_callback(callback),
          m_stop(stop) {}

    LearnedDictionary solve(const Matrix& w) {
        const double squaredNorm = solver::checkedSquaredNorm(m_backend, w, m_k, m_s);
        Matrix d =
            solver::initialDictionary(m_backend, w, m_k, DictionaryInit::Svd, m_options.seed);
        Matrix codes = m_backend.zeros(m_k, w.cols);
        if (orthogonalPhase(w, squaredNorm, d, codes)) {
            const auto problem =
                solver::independentColumns(m_backend, w, m_s, squaredNorm, d, codes);
            const bool overcomplete = m_k > w.rows;
            if (generalPhase(
                    *problem,
                    overcomplete ? m_options.overcompleteSelectionGain : m_options.selectionGain,
                    overcomplete ? m_options.overcompleteCgSteps : m_options.cgSteps)) {
                m_result.dictionary = problem->dictionary();
                m_result.codes = problem->codes();
                m_result.relativeError = refitCodes(m_backend, w, m_result.dictionary,
                                                    m_result.codes, m_options.refitSteps);
            }
        }
        return m_result;
    }

    LearnedDictionary solveCoupled(const Matrix& z, const Matrix& target, const Matrix& metric) {
        const double squaredNorm = solver::checkedSquaredNorm(m_backend, target, m_k, m_s);
        Matrix d =
            solver::initialDictionary(m_backend, target, m_k, DictionaryInit::Svd, m_options.seed);
        Matrix projected = m_backend.zeros(m_k, z.cols);
        m_backend.gemm(Op::Transpose, Op::None, 1, d, z, 0, projected);
        Matrix codes = m_backend.zeros(m_k, z.cols);
        m_backend.thresholdStep(projected, 1, m_s, codes);
        const auto problem =
            solver::coupledColumns(m_backend, z, metric, m_s, squaredNorm, d, codes);
        if (generalPhase(*problem, m_options.selectionGain, m_options.cgSteps)) {
            problem->dictionaryChanged();
            problem->refine(m_options.refitSteps);
            m_result.dictionary = problem->dictionary();
            m_result.codes = problem->codes();
            m_result.relativeError = problem->relativeError();
        }
        return m_result;
    }

  private:
    // D orthonormal: coding by thresholding alone is optimal, and so is the Procrustes update.
    // Needs k ≤ d1; an overcomplete dictionary starts with the general phase. False when cancelled.
    bool orthogonalPhase(const Matrix& w, double squaredNorm, Matrix& d, Matrix& codes) {
        const int iterations = m_k <= w.rows ? m_options.orthogonalIterations : 0;
        Matrix p = m_backend.zeros(m_k, w.cols);
        for (int i = 0; i <= iterations; ++i) {
            if (m_stop.stop_requested()) {
                m_result.termination = Termination::Cancelled;
                return false;
            }
            const Stopwatch total;
            if (i > 0) {
                Matrix candidate = m_backend.zeros(d.rows, m_k);
                m_backend.gemm(Op::None, Op::Transpose, 1, w, codes, 0, candidate);
                if (!m_backend.polar(candidate)) {
                    break;  // W Sᵀ has lost rank: the least-squares phase goes on from here
                }
                d = candidate;
            }
            const double dictionarySeconds = total.seconds();
            m_backend.gemm(Op::Transpose, Op::None, 1, d, w, 0, p);
            codes = m_backend.zeros(m_k, w.cols);
            const std::int64_t changes = m_backend.thresholdStep(p, 1, m_s, codes);
            if (i > 0) {
                const double error = std::sqrt(
                    std::max(0.0, squaredNorm - m_backend.dot(codes, codes)) / squaredNorm);
                report("orthogonal", codes, error, changes, dictionarySeconds, total.seconds());
            }
        }
        return true;
    }

    // Alternating least squares with an extrapolated dictionary; the best pair seen is what counts.
    // False when cancelled.
    bool generalPhase(solver::CodingProblem& problem, double selectionGain, int cgSteps) {
        double previous = std::numeric_limits<double>::infinity();
        double best = previous;
        double momentum = m_options.momentum;
        auto gain = static_cast<float>(selectionGain);
        solver::Ridge ridge;
        Matrix last;  // the dictionary before extrapolation, one iteration ago
        Matrix bestD;
        Matrix bestCodes;
        m_result.termination = Termination::MaxIterations;
        for (int i = 0; i < m_options.generalIterations; ++i) {
            if (m_stop.stop_requested()) {
                m_result.termination = Termination::Cancelled;
                return false;
            }
            const Stopwatch total;
            problem.updateDictionary(ridge);
            extrapolate(momentum, problem.dictionary(), last);
            problem.dictionaryChanged();
            const double dictionarySeconds = total.seconds();
            const std::int64_t changes = problem.selectSupport(gain);
            problem.refine(cgSteps);
            const double error = problem.relativeError();
            ridge.settle(m_backend.solveHeld());
            report("general", problem.codes(), error, changes, dictionarySeconds, total.seconds());
            if (error < best) {
                best = error;
                keep(problem.dictionary(), bestD);
                keep(problem.codes(), bestCodes);
            }
            if (solver::converged(previous, error, m_options.tolerance) && error <= previous) {
                m_result.termination = Termination::Converged;
                break;
            }
            if (error <= previous) {
                momentum = std::min(m_options.momentumLimit, momentum * m_options.momentumGrowth);
            } else {
                momentum /= 2;
                if (error > kDivergence * best) {  // the step, not the momentum, is too long
                    gain = 1 + (gain - 1) / 2;
                    last = Matrix{};
                    restore(problem, bestD, bestCodes);
                }
            }
            previous = error;
        }
        if (bestD) {
            restore(problem, bestD, bestCodes);
        }
        return true;
    }

    void restore(solver::CodingProblem& problem, const Matrix& d, const Matrix& codes) {
        m_backend.copy(d, problem.dictionary());
        m_backend.copy(codes, problem.codes());
        problem.codesChanged();
    }

    // D ← D + momentum (D − last), atoms normalised; `last` becomes D before the step.
    void extrapolate(double momentum, Matrix& d, Matrix& last) {
        Matrix current = duplicate(d);
        if (last && momentum > 0) {
            const auto share = static_cast<float>(momentum);
            m_backend.axpby(-share, last, 1 + share, d);
            m_backend.normalizeAtoms(d, {});
        }
        last = current;
    }

    void keep(const Matrix& a, Matrix& copy) {
        if (!copy) {
            copy = m_backend.zeros(a.rows, a.cols);
        }
        m_backend.copy(a, copy);
    }

    Matrix duplicate(const Matrix& a) {
        Matrix copy = m_backend.zeros(a.rows, a.cols);
        m_backend.copy(a, copy);
        return copy;
    }

    void report(const char* phase, const Matrix& codes, double error, std::int64_t changes,
                double dictionarySeconds, double seconds) {
        ++m_result.iterations;
        m_result.relativeError = error;
        if (!m_callback) {
            return;
        }
        IterationSummary summary;
        summary.phase = phase;
        summary.iteration = m_result.iterations;
        summary.relativeError = error;
        summary.supportChanges = changes;
        summary.atomUsage = m_backend.rowCounts(codes);
        for (const std::int64_t count : summary.atomUsage) {
            summary.deadAtoms += count == 0 ? 1 : 0;
        }
        summary.dictionarySeconds = dictionarySeconds;
        summary.codingSeconds = seconds - dictionarySeconds;
        summary.seconds = seconds;
        m_callback(summary);
    }

    Backend& m_backend;
    std::int64_t m_k;
    std::int64_t m_s;
    const FastOptions& m_options;
    const IterationCallback& m_callback;
    const std::stop_token& m_stop;
    LearnedDictionary m_result;
};

}  // namespace

LearnedDictionary solveFast(Backend& backend, const Matrix& w, std::int64_t k, std::int64_t s,
                            const FastOptions& options, const IterationCallback& callback,
                            const std::stop_token& stop) {
    return FastSolver(backend, k, s, options, callback, stop).solve(w);
}

FastOptions FastOptions::coupled() {
    FastOptions options;
    options.generalIterations = 20;
    options.selectionGain = 1.2;
    options.cgSteps = 4;
    options.momentum = 0.5;
    options.momentumGrowth = 1.1;
    return options;
}

LearnedDictionary solveFastCoupled(Backend& backend, const Matrix& z, const Matrix& target,
                                   const Matrix& metric, std::int64_t k, std::int64_t s,
                                   const FastOptions& options, const IterationCallback& callback,
                                   const std::stop_token& stop) {
    return FastSolver(backend, k, s, options, callback, stop).solveCoupled(z, target, metric);
}

double refitCodes(Backend& backend, const Matrix& w, const Matrix& dictionary, Matrix& codes,
                  int steps) {
    Matrix g = backend.zeros(dictionary.cols, dictionary.cols);
    Matrix p = backend.zeros(dictionary.cols, w.cols);
    backend.syrk(Op::Transpose, dictionary, g);
    backend.gemm(Op::Transpose, Op::None, 1, dictionary, w, 0, p);
    backend.maskedCg(g, p, steps, 1e-5, codes);
    Matrix e = backend.zeros(w.rows, w.cols);
    backend.copy(w, e);
    backend.gemm(Op::None, Op::None, -1, dictionary, codes, 1, e);
    return std::sqrt(backend.dot(e, e) / backend.dot(w, w));
}

double refitCodesCoupled(Backend& backend, const Matrix& z, const Matrix& metric,
                         const Matrix& dictionary, Matrix& codes, int steps) {
    Matrix zm = backend.zeros(z.rows, z.cols);
    backend.gemm(Op::None, Op::None, 1, z, metric, 0, zm);
    const double squaredNorm = backend.dot(z, zm);
    const auto problem =
        solver::coupledColumns(backend, z, metric, 0, squaredNorm, dictionary, codes);
    problem->dictionaryChanged();
    problem->refine(steps);
    return problem->relativeError();
}

}  // namespace cospadi
