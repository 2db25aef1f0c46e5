// A dictionary that two layers share, each in the metric of its own inputs: GeoPair's problem,
//
//   min Σ_i ‖L_i (W_i − D C_i)‖²,   D (d1, k) in the space of the weights themselves,
//
// with L_iᵀL_i = G_i the Gram of layer i's inputs. The metrics do not fold into one whitened
// weight, as G differs between the layers while D does not.
//
// For fixed codes D solves G₁ D S₁ + G₂ D S₂ = K, S_i = C_i C_iᵀ, K = Σ G_i W_i C_iᵀ. One basis
// makes both Grams diagonal and another one both S_i, and in these the equation falls into scalars.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/dictionary/dictionary_learning.h"
#include "core/dictionary/metric_layer.h"
#include "core/linalg/symmetric_pencil.h"

namespace cospadi {

struct PairOptions {
    int iterations = 20;
    int pursuitSteps = 2;  // of hard thresholding, an iteration
    int cgSteps = 10;      // of conjugate gradients on the support, a step of hard thresholding
    double ridge = 1e-6;   // ε, of D's equation: see PairDictionaryStep
    double tolerance = 0;  // stop when the error improves by less than this fraction
};

// D of that equation, in double on the host. With P common to the Grams, Pᵀ(G₁+G₂)P = I and
// PᵀG₂P = diag(λ), Q common to the S_i in the same way with σ, D = P X Qᵀ,
//
//   X_ij = (PᵀK Q)_ij / ((1 − λ_i)(1 − σ_j) + λ_i σ_j + ε):
//
// the published solution, whose eigenproblems are those of (G₂, G₁) and (S₂, S₁), but by the sums,
// which are definite also where one layer excites a direction, or uses an atom, that the other does
// not. ε is a ridge on D in the metrics of both sums.
class PairDictionaryStep {
  public:
    // grams: one, or two, (d1, d1), positive definite.
    explicit PairDictionaryStep(const std::vector<Eigen::MatrixXd>& grams);

    // squares: S_i (k, k); right: K (d1, k). Where the squares' sum is singular, as with atoms that
    // no code uses, `ridge` of its mean diagonal is added to it. Returns D (d1, k).
    Eigen::MatrixXd solve(const std::vector<Eigen::MatrixXd>& squares, const Eigen::MatrixXd& right,
                          double ridge) const;

  private:
    PencilSpectrum m_grams;
};

// One layer or two of one d1. D begins with the k leading left singular vectors of [W_1 W_2] as
// they are; then, in turn,
//   C_i: `pursuitSteps` times, the s entries of every column that matter most after a gradient step
//        that is exact for one entry alone, and conjugate gradients on them;
//   D:   the step above, its columns made of length 1 (C scaled inversely); atoms that no code uses
//        keep their direction.
// What counts is the best pair seen. Returns D, the codes side by side, (k, Σ d2_i), and the error
// sqrt(Σ ‖L_i (W_i − D C_i)‖² / Σ ‖L_i W_i‖²). Preconditions as of solveProcrustes(), with d2 the
// sum. Draws nothing.
LearnedDictionary solvePair(Backend& backend, const std::vector<MetricLayer>& layers,
                            std::int64_t k, std::int64_t s, const PairOptions& options,
                            const IterationCallback& callback = {},
                            const std::stop_token& stop = {});

}  // namespace cospadi
