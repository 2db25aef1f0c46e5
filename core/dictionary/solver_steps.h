// Internal to the two solvers: the steps they share.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/stopwatch.h"
#include "core/dictionary/dictionary_learning.h"

namespace cospadi::solver {

// Tells phases apart by the clock. A device computes behind the host's back: each lap waits for it,
// so that its seconds are those of the work that was asked for in it.
class PhaseClock {
  public:
    explicit PhaseClock(Backend& backend) : m_backend(backend) {}  // which must outlive it

    // Seconds since the last lap, or since the clock was made.
    double lap() {
        m_backend.synchronize();
        const double now = m_watch.seconds();
        const double lap = now - m_lastLap;
        m_lastLap = now;
        return lap;
    }
    double seconds() const { return m_watch.seconds(); }  // since it was made

  private:
    Backend& m_backend;
    Stopwatch m_watch;
    double m_lastLap = 0;
};

// In a block of its own.
Matrix copyOf(Backend& backend, const Matrix& a);

// Throws Error unless 1 ≤ s ≤ k, W is finite and not zero. Returns ‖W‖².
double checkedSquaredNorm(Backend& backend, const Matrix& w, std::int64_t k, std::int64_t s);

// D (d1, k) with unit-norm columns. Svd: leading left singular vectors, then random columns of W.
// For WeightColumns w is the weight whose columns are meant.
Matrix initialDictionary(Backend& backend, const Matrix& w, std::int64_t k, DictionaryInit init,
                         std::uint64_t seed);

// ‖W − D S‖ / ‖W‖ from ⟨S, P⟩, P = DᵀW, and ⟨S, R⟩, R = P − DᵀD S:
// ‖W − DS‖² = ‖W‖² − ⟨S, P⟩ − ⟨S, R⟩.
double relativeError(double squaredNorm, double overlapWithP, double overlapWithR);

// The relative ridge of a dictionary's normal equations, as small as they have let it be so far.
class Ridge {
  public:
    double value() const { return m_value; }
    // After a solve: true where it held; else the next one has ten times the ridge. Throws Error
    // where none will do.
    bool settle(bool held);

  private:
    double m_value = 1e-6;
};

// Which entries of a column of S may be other than zero: any s, or N of every M consecutive ones.
struct Support {
    std::int64_t s = 0;
    NmPattern pattern{};

    // Of a dictionary of at most `atoms`, which has whole groups.
    std::int64_t atomsWithin(std::int64_t atoms) const {
        return pattern.isGrouped() ? atoms / pattern.group * pattern.group : atoms;
    }
};

// Backend::thresholdStep() to that support: groups are columns of M entries for it. Returns how
// many mask entries changed.
std::int64_t threshold(Backend& backend, const Matrix& r, float mu, const Support& support,
                       Matrix& codes);

// D ← W Sᵀ (S Sᵀ)⁻¹ (MOD), atoms normalised, S scaled inversely; unused atoms come out as zero.
// Where the normal equations are not positive definite D and S stay: backend.solveHeld() tells.
void leastSquaresDictionary(Backend& backend, const Matrix& w, const Ridge& ridge, Matrix& d,
                            Matrix& s);

// Columns to take new atoms from, the first wanted most; at most `count`, and none twice. The
// largest one first, then that of which most is left: with every column that is taken, all others
// lose a fifth of what they have in its direction. Directions have as many as their squares ask
// for, and atoms that are nearly parallel, between which codes cancel, stay few.
std::vector<std::int64_t> spreadColumns(Backend& backend, const Matrix& a, std::int64_t count);

// The `count` columns of greatest norm, those first; zero ones are left out. Ties: the lower one.
std::vector<std::int64_t> largestColumns(Backend& backend, const Matrix& a, std::int64_t count);

// Gives every atom that no column uses the direction of a column that is coded worst. Returns how
// many were replaced. residual (d1, d2) is W − D S.
std::int64_t replaceDeadAtoms(Backend& backend, const Matrix& residual,
                              const std::vector<std::int64_t>& usage, Matrix& d);

// Gives atoms that no column uses their direction in `before` (d1, k) back.
void keepDeadAtoms(Backend& backend, const Matrix& before, const std::vector<std::int64_t>& usage,
                   Matrix& d);

// Usage of atoms and dead ones.
void countUsage(Backend& backend, const Matrix& codes, IterationSummary& summary);

// True when the error improved by less than `tolerance` (relative); tolerance 0 never stops.
bool converged(double before, double after, double tolerance);

}  // namespace cospadi::solver
