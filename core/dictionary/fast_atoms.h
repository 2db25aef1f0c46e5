// Internal to solveFast: the atoms it begins from, and those that an overcomplete dictionary grows
// by.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/dictionary/coding_problem.h"
#include "core/dictionary/solver_steps.h"
#include "core/linalg/backend.h"

namespace cospadi::solver {

// D (d, at most min(k, d)): leading singular vectors of the target (d, n), what is approximated in
// its metric. Where a column may use only so many atoms of a group, those that all columns want
// must not stand in one: each group gets its share of every part of the spectrum. Throws Error
// where the support's groups do not divide k.
Matrix leadingAtoms(Backend& backend, const Matrix& target, std::int64_t k, const Support& support,
                    std::uint64_t seed);

// What an orthonormal dictionary codes best: the largest entries of DᵀW that a column may have.
Matrix largestProjections(Backend& backend, const Matrix& d, const Matrix& w,
                          const Support& support);

enum class NewAtoms {
    Largest,  // in the directions of the columns that are coded worst
    Spread,   // of different directions: those of several layers, as the worst may all be of one
              // layer, whose inputs make them parallel
};

// Columns of `directions` (CodingProblem::unexplained()) for new atoms, at most `count`.
std::vector<std::int64_t> columnsForAtoms(Backend& backend, const Matrix& directions,
                                          std::int64_t count, NewAtoms choice);

// D (d, k) of the atoms there are, then of directions of columns that are coded badly, and S (k, n)
// in which no code uses those yet.
std::pair<Matrix, Matrix> grownAtoms(Backend& backend, CodingProblem& problem, std::int64_t k,
                                     NewAtoms choice);

}  // namespace cospadi::solver
