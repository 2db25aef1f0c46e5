// Internal to solveFast: its general phase. Alternating least squares on a coding problem, each
// step of the dictionary extrapolated by a momentum that grows while the error falls and is halved
// when it rises; the best pair seen is what counts.
#pragma once

#include <cstdint>
#include <stop_token>

#include "core/dictionary/coding_problem.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/dictionary/fast_atoms.h"

namespace cospadi::solver {

struct AlternationSchedule {
    int iterations = 0;
    double selectionGain = 1;
    int cgSteps = 1;
    bool grown = false;                     // the dictionary holds atoms that no code uses yet
    NewAtoms newAtoms = NewAtoms::Largest;  // in the place of those that codes have left
};

class ExtrapolatedAlternation {
  public:
    // All must outlive it. `result` gets how the phase ended and its last error; its iterations and
    // the phases' seconds go on being counted.
    ExtrapolatedAlternation(Backend& backend, const FastOptions& options,
                            const IterationCallback& callback, const std::stop_token& stop,
                            LearnedDictionary& result)
        : m_backend(backend),
          m_options(options),
          m_callback(callback),
          m_stop(stop),
          m_result(result) {}

    // False when cancelled.
    bool run(CodingProblem& problem, const AlternationSchedule& schedule);

  private:
    void restore(CodingProblem& problem, const Matrix& d, const Matrix& codes);
    void replaceUnusedAtoms(CodingProblem& problem, NewAtoms choice, Matrix& last);
    void extrapolate(double momentum, Matrix& d, Matrix& last);
    void keep(const Matrix& a, Matrix& copy);
    void report(CodingProblem& problem, double error, std::int64_t changes,
                const PhaseSeconds& phases, double seconds);

    Backend& m_backend;
    const FastOptions& m_options;
    const IterationCallback& m_callback;
    const std::stop_token& m_stop;
    LearnedDictionary& m_result;
};

}  // namespace cospadi::solver
