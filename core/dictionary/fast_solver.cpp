#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "core/base/error.h"
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
          m_support{s, options.codes},
          m_options(options),
          m_callback(callback),
          m_stop(stop) {}

    LearnedDictionary solve(const Matrix& w) {
        const double squaredNorm = solver::checkedSquaredNorm(m_backend, w, m_k, m_support.s);
        const Matrix d = firstDictionary(w);
        const Matrix codes = firstCodes(d, w);
        const auto problemOf = [&](const Matrix& dictionary, const Matrix& start) {
            return solver::independentColumns(m_backend, w, m_support, squaredNorm, dictionary,
                                              start);
        };
        if (const auto problem = learn(problemOf, d, codes)) {
            m_result.dictionary = problem->dictionary();
            m_result.codes = problem->codes();
            solver::PhaseClock clock(m_backend);
            m_result.relativeError =
                refitCodes(m_backend, w, m_result.dictionary, m_result.codes, m_options.refitSteps);
            m_result.phases.coding += clock.lap();
        }
        return m_result;
    }

    LearnedDictionary solveCoupled(const Matrix& z, const Matrix& target,
                                   const std::vector<Matrix>& metrics) {
        static_cast<void>(solver::checkedSquaredNorm(m_backend, target, m_k, m_support.s));
        m_coupledParts = metrics.size();
        std::vector<solver::CoupledPart> parts;
        std::int64_t first = 0;
        for (const Matrix& metric : metrics) {
            const Matrix part = target.columns(first, metric.cols);
            parts.push_back({metric, m_backend.dot(part, part)});
            first += metric.cols;
        }
        const Matrix d = firstDictionary(target);
        const Matrix codes = firstCodes(d, z);
        const auto problemOf = [&](const Matrix& dictionary, const Matrix& start) {
            return solver::coupledColumns(m_backend, z, parts, m_support, dictionary, start);
        };
        if (const auto problem = learn(problemOf, d, codes)) {
            finish(*problem);
        }
        return m_result;
    }

    LearnedDictionary solveInOwnMetrics(const Matrix& w, const std::vector<Matrix>& metrics,
                                        const std::vector<std::int64_t>& widths) {
        static_cast<void>(solver::checkedSquaredNorm(m_backend, w, m_k, m_support.s));
        const double squaredNorm = normInOwnMetrics(w, metrics, widths);
        const Matrix d = firstDictionary(w);
        const Matrix codes = firstCodes(d, w);
        const auto problemOf = [&](const Matrix& dictionary, const Matrix& start) {
            return solver::columnsInOwnMetrics(m_backend, w, metrics, widths, m_support,
                                               squaredNorm, dictionary, start);
        };
        if (const auto problem = learn(problemOf, d, codes)) {
            finish(*problem);
        }
        return m_result;
    }

  private:
    using ProblemOf = std::function<std::unique_ptr<solver::CodingProblem>(const Matrix& dictionary,
                                                                           const Matrix& codes)>;
    struct Schedule {
        int iterations = 0;
        double selectionGain = 1;
        int cgSteps = 1;
        bool grown = false;  // the dictionary holds atoms that no code uses yet
    };

    // Of what is approximated in its metric: its leading singular vectors. Where a column may use
    // only so many atoms of a group, those that all columns want must not stand in one: each group
    // gets its share of every part of the spectrum.
    Matrix firstDictionary(const Matrix& target) {
        requireWholeGroups(target.rows);
        const Matrix leading = solver::initialDictionary(
            m_backend, target, m_support.atomsWithin(std::min(m_k, target.rows)),
            DictionaryInit::Svd, m_options.seed);
        const std::int64_t members = m_support.pattern.group;
        if (members == 0) {
            return leading;
        }
        Matrix dealt = m_backend.zeros(leading.rows, leading.cols);
        const std::int64_t groups = leading.cols / members;
        for (std::int64_t j = 0; j < leading.cols; ++j) {
            m_backend.copyColumn(leading, j, dealt, j % groups * members + j / groups);
        }
        return dealt;
    }

    void requireWholeGroups(std::int64_t rows) const {
        const NmPattern& pattern = m_support.pattern;
        if (pattern.isGrouped() &&
            (m_k % pattern.group != 0 || m_support.s != m_k / pattern.group * pattern.kept ||
             rows < pattern.group)) {
            throw Error(fmt::format("codes of {} do not divide k = {} atoms of {} entries with s = "
                                    "{}",
                                    pattern.name(), m_k, rows, m_support.s),
                        "code_pattern", "use unstructured, or leave the layer out");
        }
    }

    // What an orthonormal dictionary codes best: the largest entries of DᵀW that a column may have.
    Matrix firstCodes(const Matrix& d, const Matrix& w) {
        solver::PhaseClock clock(m_backend);
        Matrix projected = m_backend.zeros(d.cols, w.cols);
        m_backend.gemm(Op::Transpose, Op::None, 1, d, w, 0, projected);
        Matrix codes = m_backend.zeros(d.cols, w.cols);
        solver::threshold(m_backend, projected, 1, m_support, codes);
        m_result.phases.coding += clock.lap();
        return codes;
    }

    double normInOwnMetrics(const Matrix& w, const std::vector<Matrix>& metrics,
                            const std::vector<std::int64_t>& widths) {
        double squared = 0;
        std::int64_t first = 0;
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            const Matrix part = w.columns(first, widths[i]);
            Matrix image = m_backend.zeros(part.rows, part.cols);
            m_backend.gemm(Op::None, Op::None, 1, metrics[i], part, 0, image);
            squared += m_backend.dot(part, image);
            first += widths[i];
        }
        return squared;
    }

    void finish(solver::CodingProblem& problem) {
        refine(problem, m_options.refitSteps);
        m_result.dictionary = problem.dictionary();
        m_result.codes = problem.codes();
        m_result.relativeError = problem.relativeError();
    }

    // Of codes on their support, D being another.
    void refine(solver::CodingProblem& problem, int steps) {
        solver::PhaseClock clock(m_backend);
        problem.dictionaryChanged();
        problem.refine(steps);
        m_result.phases.coding += clock.lap();
    }

    // From D (d, ≤ d) on. Where k > d the dictionary first becomes a good complete one and then
    // grows: atoms that are made up before there is a residual to tell where they are wanted repeat
    // what others say, and codes that cancel each other grow without bound (decision 11). Null
    // when cancelled.
    std::unique_ptr<solver::CodingProblem> learn(const ProblemOf& problemOf, const Matrix& d,
                                                 const Matrix& codes) {
        const bool grows = m_k > d.cols;
        const int iterations = m_options.iterations;
        const int complete =
            grows ? std::clamp(static_cast<int>(std::lround(m_options.completeShare * iterations)),
                               1, std::max(1, iterations - 1))
                  : iterations;
        auto problem = problemOf(d, codes);
        if (!generalPhase(*problem, {std::min(complete, iterations), m_options.selectionGain,
                                     m_options.cgSteps})) {
            return nullptr;
        }
        // Else the complete dictionary already holds everything.
        if (grows && (m_support.s < d.cols || m_support.pattern.isGrouped())) {
            refine(*problem, m_options.overcompleteCgSteps);
            solver::PhaseClock clock(m_backend);
            const auto [atoms, start] = grown(*problem);
            m_result.phases.dictionary += clock.lap();
            problem = problemOf(atoms, start);
            if (!generalPhase(*problem, {iterations - complete, m_options.overcompleteSelectionGain,
                                         m_options.overcompleteCgSteps, true})) {
                return nullptr;
            }
        }
        return problem;
    }

    // k atoms: those there are, then directions of columns that are coded badly; no code uses them
    // yet.
    std::pair<Matrix, Matrix> grown(solver::CodingProblem& problem) {
        const Matrix& from = problem.dictionary();
        Matrix d = m_backend.zeros(from.rows, m_k);
        for (std::int64_t j = 0; j < from.cols; ++j) {
            m_backend.copyColumn(from, j, d, j);
        }
        const Matrix directions = problem.unexplained();
        std::int64_t next = from.cols;
        for (const std::int64_t j : newAtoms(directions, m_k - from.cols)) {
            m_backend.copyColumn(directions, j, d, next++);
        }
        m_backend.normalizeAtoms(d, {});
        Matrix codes = m_backend.zeros(m_k, directions.cols);
        m_backend.copyRows(problem.codes(), 0, from.cols, codes, 0);
        return {d, codes};
    }

    // Of a layer by itself the worst ones; of several those of different directions, as the worst
    // may all be of one layer, whose inputs make them parallel.
    std::vector<std::int64_t> newAtoms(const Matrix& directions, std::int64_t count) {
        return m_coupledParts > 1 ? solver::spreadColumns(m_backend, directions, count)
                                  : solver::largestColumns(m_backend, directions, count);
    }

    // Alternating least squares with an extrapolated dictionary; the best pair seen is what counts.
    // False when cancelled.
    bool generalPhase(solver::CodingProblem& problem, const Schedule& schedule) {
        double previous = std::numeric_limits<double>::infinity();
        double best = previous;
        double momentum = m_options.momentum;
        auto gain = static_cast<float>(schedule.selectionGain);
        solver::Ridge ridge;
        Matrix last;  // the dictionary before extrapolation, one iteration ago
        Matrix bestD;
        Matrix bestCodes;
        m_result.termination = Termination::MaxIterations;
        if (schedule.grown) {
            solver::PhaseClock clock(m_backend);
            problem.dictionaryChanged();
            m_result.phases.coding += clock.lap();
        }
        for (int i = 0; i < schedule.iterations; ++i) {
            if (m_stop.stop_requested()) {
                m_result.termination = Termination::Cancelled;
                return false;
            }
            solver::PhaseClock clock(m_backend);
            PhaseSeconds phases;
            const bool updates = i > 0 || !schedule.grown;  // atoms without codes have no update
            if (updates) {
                problem.updateDictionary(ridge);
                extrapolate(momentum, problem.dictionary(), last);
                phases.dictionary = clock.lap();
                problem.dictionaryChanged();
            }
            const std::int64_t changes = problem.selectSupport(gain);
            problem.refine(schedule.cgSteps);
            phases.coding = clock.lap();
            m_result.phases += phases;
            const double error = problem.relativeError();
            if (updates) {
                ridge.settle(m_backend.solveHeld());
            }
            report(problem, error, changes, phases, clock.seconds());
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
                // Or no number: the step, not the momentum, is too long.
                if (!(error <= kDivergence * best)) {
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
        Matrix current = solver::copyOf(m_backend, d);
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

    void report(solver::CodingProblem& problem, double error, std::int64_t changes,
                const PhaseSeconds& phases, double seconds) {
        ++m_result.iterations;
        m_result.relativeError = error;
        if (!m_callback) {
            return;
        }
        IterationSummary summary;
        summary.phase = "general";
        summary.iteration = m_result.iterations;
        summary.relativeError = error;
        summary.supportChanges = changes;
        solver::countUsage(m_backend, problem.codes(), summary);
        summary.dictionary = &problem.dictionary();
        summary.codes = &problem.codes();
        summary.phases = phases;
        summary.seconds = seconds;
        m_callback(summary);
    }

    Backend& m_backend;
    std::int64_t m_k;
    solver::Support m_support;
    std::size_t m_coupledParts = 0;
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
    options.overcompleteCgSteps = 1;
    options.overcompleteSelectionGain = 2.2;
    return options;
}

LearnedDictionary solveFastCoupled(Backend& backend, const Matrix& z, const Matrix& target,
                                   const std::vector<Matrix>& metrics, std::int64_t k,
                                   std::int64_t s, const FastOptions& options,
                                   const IterationCallback& callback, const std::stop_token& stop) {
    return FastSolver(backend, k, s, options, callback, stop).solveCoupled(z, target, metrics);
}

LearnedDictionary solveFastInOwnMetrics(Backend& backend, const Matrix& w,
                                        const std::vector<Matrix>& metrics,
                                        const std::vector<std::int64_t>& widths, std::int64_t k,
                                        std::int64_t s, const FastOptions& options,
                                        const IterationCallback& callback,
                                        const std::stop_token& stop) {
    return FastSolver(backend, k, s, options, callback, stop).solveInOwnMetrics(w, metrics, widths);
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

double refitCodesCoupled(Backend& backend, const Matrix& z, const std::vector<Matrix>& metrics,
                         const Matrix& dictionary, Matrix& codes, int steps) {
    std::vector<solver::CoupledPart> parts;
    std::int64_t first = 0;
    for (const Matrix& metric : metrics) {
        const Matrix part = z.columns(first, metric.cols);
        Matrix weighted = backend.zeros(part.rows, part.cols);
        backend.gemm(Op::None, Op::None, 1, part, metric, 0, weighted);
        parts.push_back({metric, backend.dot(part, weighted)});
        first += metric.cols;
    }
    const auto problem = solver::coupledColumns(backend, z, parts, {}, dictionary, codes);
    problem->dictionaryChanged();
    problem->refine(steps);
    return problem->relativeError();
}

}  // namespace cospadi
