#include "core/dictionary/extrapolated_alternation.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/error.h"

namespace cospadi::solver {

namespace {

// An error this far above the best one is not momentum's wobble, which stays within 1.5 %. At 1.1
// and at 1.05 groups whose dictionary had just grown overshot just short of it, and ended at twice
// the error.
constexpr double kDivergence = 1.02;

constexpr int kWithoutNewAtoms = 2;  // last iterations, which new ones would have to themselves

}  // namespace

bool ExtrapolatedAlternation::run(CodingProblem& problem, const AlternationSchedule& schedule) {
    double previous = std::numeric_limits<double>::infinity();
    double best = previous;
    double momentum = m_options.momentum;
    auto gain = static_cast<float>(schedule.selectionGain);
    Ridge ridge;
    Matrix last;  // the dictionary before extrapolation, one iteration ago
    Matrix bestD;
    Matrix bestCodes;
    m_result.termination = Termination::MaxIterations;
    if (schedule.grown) {
        PhaseClock clock(m_backend);
        problem.dictionaryChanged();
        m_result.phases.coding += clock.lap();
    }
    for (int i = 0; i < schedule.iterations; ++i) {
        if (m_stop.stop_requested()) {
            m_result.termination = Termination::Cancelled;
            return false;
        }
        PhaseClock clock(m_backend);
        PhaseSeconds phases;
        const bool updates = i > 0 || !schedule.grown;  // atoms without codes have no update
        if (updates) {
            problem.updateDictionary(ridge);
            if (i + kWithoutNewAtoms < schedule.iterations) {
                replaceUnusedAtoms(problem, schedule.newAtoms, last);
            }
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
        if (converged(previous, error, m_options.tolerance) && error <= previous) {
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
                if (bestD) {
                    restore(problem, bestD, bestCodes);
                }
            }
        }
        previous = error;
    }
    if (bestD) {
        restore(problem, bestD, bestCodes);
    } else if (schedule.iterations > 0) {
        throw Error("the error of no iteration was a number", "weight",
                    "check the model file and the calibration Gram for huge values");
    }
    return true;
}

// What thresholding leaves without codes has no least-squares direction, and as a zero column
// would never be chosen again. Where the largest entries are those of few directions, that may be
// a third of the atoms: they take up what is left of the columns that are coded worst.
void ExtrapolatedAlternation::replaceUnusedAtoms(CodingProblem& problem, NewAtoms choice,
                                                 Matrix& last) {
    std::vector<std::int64_t> unused;
    std::int64_t atom = 0;
    for (const std::int64_t uses : m_backend.rowCounts(problem.codes())) {
        if (uses == 0) {
            unused.push_back(atom);
        }
        ++atom;
    }
    if (unused.empty()) {
        return;
    }
    Matrix& d = problem.dictionary();
    const Matrix directions = problem.unexplained();
    const std::vector<std::int64_t> wanted =
        columnsForAtoms(m_backend, directions, static_cast<std::int64_t>(unused.size()), choice);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        m_backend.copyColumn(directions, wanted[i], d, unused[i]);
    }
    m_backend.normalizeAtoms(d, {});
    for (std::size_t i = 0; last && i < wanted.size(); ++i) {
        m_backend.copyColumn(d, unused[i], last, unused[i]);  // no momentum of what was there
    }
}

void ExtrapolatedAlternation::restore(CodingProblem& problem, const Matrix& d,
                                      const Matrix& codes) {
    m_backend.copy(d, problem.dictionary());
    m_backend.copy(codes, problem.codes());
    problem.codesChanged();
}

// D ← D + momentum (D − last), atoms normalised; `last` becomes D before the step.
void ExtrapolatedAlternation::extrapolate(double momentum, Matrix& d, Matrix& last) {
    Matrix current = copyOf(m_backend, d);
    if (last && momentum > 0) {
        const auto share = static_cast<float>(momentum);
        m_backend.axpby(-share, last, 1 + share, d);
        m_backend.normalizeAtoms(d, {});
    }
    last = current;
}

void ExtrapolatedAlternation::keep(const Matrix& a, Matrix& copy) {
    if (!copy) {
        copy = m_backend.zeros(a.rows, a.cols);
    }
    m_backend.copy(a, copy);
}

void ExtrapolatedAlternation::report(CodingProblem& problem, double error, std::int64_t changes,
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
    countUsage(m_backend, problem.codes(), summary);
    summary.dictionary = &problem.dictionary();
    summary.codes = &problem.codes();
    summary.phases = phases;
    summary.seconds = seconds;
    m_callback(summary);
}

}  // namespace cospadi::solver
