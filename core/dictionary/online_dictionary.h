// Internal to solveKsvd(): online dictionary learning (Mairal, Bach, Ponce and Sapiro 2010), in
// its form for data that is seen again and again. Columns are coded in batches; after each, the
// sums A = Σ s sᵀ (k, k) and B = Σ w sᵀ (d1, k) hold the latest codes of all columns that were
// coded so far, and every atom in turn gets what is best for them, the others being as they are.
#pragma once

#include <functional>

#include "core/dictionary/iteration_summary.h"
#include "core/linalg/backend.h"

namespace cospadi::solver {

// S (k, n) for G = DᵀD and P = DᵀW.
using Encode = std::function<void(const Matrix& g, const Matrix& p, Matrix& codes)>;

// One pass over the columns of W (d1, d2) in kOnlineBatches batches. codes: those of the pass
// before, zero at first; after it those that each batch had, of atoms as they were then.
inline constexpr std::int64_t kOnlineBatches = 4;
PhaseSeconds onlinePass(Backend& backend, const Matrix& w, const Encode& encode, Matrix& d,
                        Matrix& codes);

// Every atom in turn ← the unit vector that is best for tr(DᵀD A) / 2 − tr(DᵀB): algorithm 2, on
// the sphere. Atoms that A does not know stay.
void updateAtomsInTurn(Backend& backend, const Matrix& a, const Matrix& b, Matrix& d);

}  // namespace cospadi::solver
