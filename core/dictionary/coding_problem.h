// Internal to solveFast: what its general phase works on, in three forms.
//
//   independent   min ‖W − D S‖_F         W (d, n) whitened: the columns of S stand alone
//   coupled       min ‖(Z − D S) Lᵀ‖_F    Z (d, n), M = LᵀL (n, n): every column of S weighs on the
//                                         others of its part through that part's metric
//   own metrics   min Σ ‖T_i (W_i − D S_i)‖²   columns stand alone, those of a part in the metric
//                                         M_i = T_iᵀT_i (d, d); about the identity on average
//
// D (d, k) unit-norm atoms, S (k, n) with a limited support. Both states live in the
// problem; a solver that moves them from outside says so with dictionaryChanged(), codesChanged().
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/dictionary/solver_steps.h"
#include "core/linalg/backend.h"

namespace cospadi::solver {

class CodingProblem {
  public:
    virtual ~CodingProblem() = default;

    virtual Matrix& dictionary() = 0;
    virtual Matrix& codes() = 0;

    // D ← the least-squares dictionary of S, atoms normalised (S scaled inversely); D stays where
    // the normal equations are not positive definite, which the backend's solveHeld() tells.
    virtual void updateDictionary(const Ridge& ridge) = 0;
    // To be called once D, or S, was set from outside.
    virtual void dictionaryChanged() = 0;
    virtual void codesChanged() = 0;
    // S ← the best entries of its support after a gradient step that is `gain` times the exact one
    // of a single entry; returns how many mask entries changed.
    virtual std::int64_t selectSupport(float gain) = 0;
    // At most `steps` of conjugate gradients on the support.
    virtual void refine(int steps) = 0;
    // After refine().
    virtual double relativeError() = 0;
    // Where a new atom is wanted, (d, n): the squared length of column j is how much an atom in its
    // direction takes off the squared error by one new code in column j of S.
    virtual Matrix unexplained() = 0;
};

// The next columns of Z, as many as M_i (n_i, n_i), which couples them, has.
struct CoupledPart {
    Matrix metric;
    double squaredNorm = 0;  // ‖Z_i L_iᵀ‖²
};

// All matrices belong to `backend`; they and it must outlive the problem. squaredNorm is that of
// what is approximated, in its metric.
std::unique_ptr<CodingProblem> independentColumns(Backend& backend, const Matrix& w,
                                                  const Support& support, double squaredNorm,
                                                  Matrix d, Matrix codes);
std::unique_ptr<CodingProblem> coupledColumns(Backend& backend, const Matrix& z,
                                              const std::vector<CoupledPart>& parts,
                                              const Support& support, Matrix d, Matrix codes);
// metrics: M_i, each of the next widths[i] columns of w, which add up to all of them.
std::unique_ptr<CodingProblem> columnsInOwnMetrics(Backend& backend, const Matrix& w,
                                                   const std::vector<Matrix>& metrics,
                                                   const std::vector<std::int64_t>& widths,
                                                   const Support& support, double squaredNorm,
                                                   Matrix d, Matrix codes);

}  // namespace cospadi::solver
