#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "core/dictionary/coding_problem.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/dictionary/extrapolated_alternation.h"
#include "core/dictionary/fast_atoms.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi {

namespace {

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

    Matrix firstDictionary(const Matrix& target) const {
        return solver::leadingAtoms(m_backend, target, m_k, m_support, m_options.seed);
    }

    Matrix firstCodes(const Matrix& d, const Matrix& w) {
        solver::PhaseClock clock(m_backend);
        Matrix codes = solver::largestProjections(m_backend, d, w, m_support);
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
        problem.codesChanged();  // what steps kept up to date is off by their rounding
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
        solver::ExtrapolatedAlternation alternation(m_backend, m_options, m_callback, m_stop,
                                                    m_result);
        auto problem = problemOf(d, codes);
        const auto newAtoms =
            m_coupledParts > 1 ? solver::NewAtoms::Spread : solver::NewAtoms::Largest;
        if (!alternation.run(*problem, {std::min(complete, iterations), m_options.selectionGain,
                                        m_options.cgSteps, false, newAtoms})) {
            return nullptr;
        }
        // Else the complete dictionary already holds everything.
        if (grows && (m_support.s < d.cols || m_support.pattern.isGrouped())) {
            refine(*problem, m_options.overcompleteCgSteps);
            solver::PhaseClock clock(m_backend);
            const auto [atoms, start] = solver::grownAtoms(m_backend, *problem, m_k, newAtoms);
            m_result.phases.dictionary += clock.lap();
            problem = problemOf(atoms, start);
            if (!alternation.run(*problem,
                                 {iterations - complete, m_options.overcompleteSelectionGain,
                                  m_options.overcompleteCgSteps, true, newAtoms})) {
                return nullptr;
            }
        }
        return problem;
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
    options.cgSteps = 0;  // blocks fit their values as they choose (decision 24)
    options.overcompleteCgSteps = 0;
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
