#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/stopwatch.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi {

namespace {

constexpr double kDivergence =
    1.1;  // an error this far above the best one is not momentum's wobble

class FastSolver {
  public:
    FastSolver(Backend& backend, const Matrix& w, std::int64_t k, std::int64_t s,
               const FastOptions& options, const IterationCallback& callback,
               const std::stop_token& stop)
        : m_backend(backend),
          m_w(w),
          m_k(k),
          m_s(s),
          m_options(options),
          m_callback(callback),
          m_stop(stop),
          m_squaredNorm(solver::checkedSquaredNorm(backend, w, k, s)) {}

    LearnedDictionary solve() {
        m_result.termination = Termination::MaxIterations;
        m_d = solver::initialDictionary(m_backend, m_w, m_k, DictionaryInit::Svd, m_options.seed);
        m_codes = m_backend.zeros(m_k, m_w.cols);
        m_p = m_backend.zeros(m_k, m_w.cols);
        m_r = m_backend.zeros(m_k, m_w.cols);
        m_g = m_backend.zeros(m_k, m_k);
        const bool finished = orthogonalPhase() && generalPhase();
        if (finished) {
            m_result.relativeError = refitCodes(m_backend, m_w, m_d, m_codes, m_options.refitSteps);
        } else {
            m_result.termination = Termination::Cancelled;
        }
        m_result.dictionary = m_d;
        m_result.codes = m_codes;
        return m_result;
    }

  private:
    // D orthonormal: coding by thresholding alone is optimal, and so is the Procrustes update.
    // Needs k ≤ d1; an overcomplete dictionary starts with the general phase.
    bool orthogonalPhase() {
        const int iterations = m_k <= m_w.rows ? m_options.orthogonalIterations : 0;
        for (int i = 0; i <= iterations; ++i) {
            if (m_stop.stop_requested()) {
                return false;
            }
            const Stopwatch total;
            if (i > 0) {
                Matrix candidate = m_backend.zeros(m_d.rows, m_k);
                m_backend.gemm(Op::None, Op::Transpose, 1, m_w, m_codes, 0, candidate);
                if (!m_backend.polar(candidate)) {
                    break;  // W Sᵀ has lost rank: the least-squares phase goes on from here
                }
                m_d = candidate;
            }
            const double dictionarySeconds = total.seconds();
            m_backend.gemm(Op::Transpose, Op::None, 1, m_d, m_w, 0, m_p);
            m_codes = m_backend.zeros(m_k, m_w.cols);
            const std::int64_t changes = m_backend.thresholdStep(m_p, 1, m_s, m_codes);
            const double error = std::sqrt(
                std::max(0.0, m_squaredNorm - m_backend.dot(m_codes, m_codes)) / m_squaredNorm);
            if (i > 0) {
                report("orthogonal", error, changes, dictionarySeconds, total.seconds());
            }
        }
        return true;
    }

    // Alternating least squares with an extrapolated dictionary; the best pair seen is what counts.
    bool generalPhase() {
        double previous = std::numeric_limits<double>::infinity();
        double best = previous;
        double momentum = m_options.momentum;
        auto gain = static_cast<float>(m_options.selectionGain);
        Matrix last;  // the dictionary before extrapolation, one iteration ago
        Matrix bestD;
        Matrix bestCodes;
        for (int i = 0; i < m_options.generalIterations; ++i) {
            if (m_stop.stop_requested()) {
                return false;
            }
            const Stopwatch total;
            solver::leastSquaresDictionary(m_backend, m_w, m_d, m_codes);
            extrapolate(momentum, last);
            const double dictionarySeconds = total.seconds();
            m_backend.syrk(Op::Transpose, m_d, m_g);
            m_backend.gemm(Op::Transpose, Op::None, 1, m_d, m_w, 0, m_p);
            gradient();
            const std::int64_t changes = m_backend.thresholdStep(m_r, gain, m_s, m_codes);
            m_backend.maskedCg(m_g, m_p, m_options.cgSteps, 0, m_codes);
            gradient();
            const double error = solver::relativeError(m_backend, m_squaredNorm, m_codes, m_p, m_r);
            report("general", error, changes, dictionarySeconds, total.seconds());
            if (error < best) {
                best = error;
                bestD = duplicate(m_d);
                bestCodes = duplicate(m_codes);
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
                    m_backend.copy(bestD, m_d);
                    m_backend.copy(bestCodes, m_codes);
                }
            }
            previous = error;
        }
        if (bestD) {
            m_d = bestD;
            m_codes = bestCodes;
        }
        return true;
    }

    // D ← D + momentum (D − last), atoms normalised; `last` becomes D before the step.
    void extrapolate(double momentum, Matrix& last) {
        Matrix current = duplicate(m_d);
        if (last && momentum > 0) {
            const auto share = static_cast<float>(momentum);
            m_backend.axpby(-share, last, 1 + share, m_d);
            Matrix noCodes = m_backend.zeros(m_k, 0);
            m_backend.normalizeAtoms(m_d, noCodes);
        }
        last = current;
    }

    Matrix duplicate(const Matrix& a) {
        Matrix copy = m_backend.zeros(a.rows, a.cols);
        m_backend.copy(a, copy);
        return copy;
    }

    // R = P − G S
    void gradient() {
        m_backend.copy(m_p, m_r);
        m_backend.gemm(Op::None, Op::None, -1, m_g, m_codes, 1, m_r);
    }

    void report(const char* phase, double error, std::int64_t changes, double dictionarySeconds,
                double seconds) {
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
        summary.atomUsage = m_backend.rowCounts(m_codes);
        for (const std::int64_t count : summary.atomUsage) {
            summary.deadAtoms += count == 0 ? 1 : 0;
        }
        summary.dictionarySeconds = dictionarySeconds;
        summary.codingSeconds = seconds - dictionarySeconds;
        summary.seconds = seconds;
        m_callback(summary);
    }

    Backend& m_backend;
    const Matrix& m_w;
    std::int64_t m_k;
    std::int64_t m_s;
    const FastOptions& m_options;
    const IterationCallback& m_callback;
    const std::stop_token& m_stop;
    double m_squaredNorm;
    Matrix m_d, m_codes, m_p, m_r, m_g;
    LearnedDictionary m_result;
};

}  // namespace

LearnedDictionary solveFast(Backend& backend, const Matrix& w, std::int64_t k, std::int64_t s,
                            const FastOptions& options, const IterationCallback& callback,
                            const std::stop_token& stop) {
    return FastSolver(backend, w, k, s, options, callback, stop).solve();
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

}  // namespace cospadi
