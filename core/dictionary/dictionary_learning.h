// Sparse dictionary learning (paper §3.2–3.3, eq 4): min ‖W − D S‖_F with unit-norm atoms and at
// most s non-zeros in every column of S. W is the whitened weight W_L = L W (or W itself,
// data-free).
//
// Four families over the same Backend verbs:
//   solveKsvd  the paper: OMP or LASSO and K-SVD, MOD or online updates in alternation
//   solveFast  the default: from leading singular vectors, least squares with hard-thresholding
//              pursuit and conjugate gradients; every step a matrix–matrix product
//   solveProcrustes  an orthonormal dictionary: codes by thresholding, D by its polar factor
//   solveEigenbasis  one step: leading eigenvectors, thresholded once, D by least squares
// All are deterministic for a seed, report every iteration and stop at the next one when asked.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/nm_pattern.h"
#include "core/dictionary/iteration_summary.h"
#include "core/linalg/backend.h"

namespace cospadi {

// WeightColumns: of the weight before it was whitened (KsvdOptions::weight).
enum class DictionaryInit { RandomColumns, Gaussian, Svd, WeightColumns };
// KsvdSketch: an atom's singular pair by a random sketch of its residual. Online: atoms in turn
// after each batch of columns (online_dictionary.h).
enum class DictionaryUpdate { KsvdPower, KsvdExact, KsvdSketch, Mod, Online };
enum class Coder { Omp, Lasso };
// Atoms that no column uses: given the direction of a column that is coded worst, or left as they
// are (Algorithm 1).
enum class DeadAtoms { Replace, Keep };

struct KsvdOptions {
    int iterations = 60;      // T
    int powerIterations = 8;  // per atom, for KsvdPower
    DictionaryInit init = DictionaryInit::RandomColumns;
    DictionaryUpdate update = DictionaryUpdate::KsvdPower;
    Coder coder = Coder::Omp;
    DeadAtoms deadAtoms = DeadAtoms::Replace;
    double tolerance = 0;  // stop when the error improves by less than this fraction
    std::uint64_t seed = 42;
    // For WeightColumns: W (d1, any number of columns) before whitening; none: what is
    // approximated.
    Matrix weight;
};

struct FastOptions {
    int iterations = 22;
    int cgSteps = 1;      // conjugate-gradient steps a general iteration
    int refitSteps = 40;  // at most, for the final least squares on the support
    // Support selection compares |S_i| on the support with selectionGain |R_i| off it. An atom that
    // enters explains only what the atoms of the support leave over, so its correlation understates
    // its coefficient; for s random directions in d1 dimensions by about (d1 − s)/d1.
    double selectionGain = 1.8;
    // An overcomplete dictionary (k > d, d the rows of what is approximated) is a complete one of d
    // atoms for this share of the iterations and then grows; from there on these count.
    double completeShare = 0.1;
    int overcompleteCgSteps = 3;
    double overcompleteSelectionGain = 2.6;
    double momentum = 0.35;        // D is extrapolated by this share of its last step, first
    double momentumGrowth = 1.08;  // … growing while the error falls, halved when it rises
    double momentumLimit = 1.0;
    double tolerance = 0;     // stop when the error improves by less
    std::uint64_t seed = 42;  // for the atoms that singular vectors do not give: min(k, d1) > d2
    // Where grouped: N of every M consecutive atoms of a column, the paper's future work. k is a
    // multiple of M then and s = k N/M.
    NmPattern codes{};

    // The schedule for coupled columns, whose supports are chosen block by block with steps of
    // their own: none for all together.
    static FastOptions coupled();
};

struct ProcrustesOptions {
    int iterations = 20;
    double tolerance = 0;  // stop when the error improves by less than this fraction
};

struct EigenbasisOptions {
    double lengthExponent = 0.5;   // λ: how much the length of an atom as it is stored weighs
    double restoredShare = 0.005;  // β: of the k entries of a column; cut, to be chosen over all
    double ridge = 1e-3;           // of D's least squares, times the mean diagonal of C Cᵀ
    // Atoms as they are stored (L⁻¹ B); none: as they are, of length 1.
    std::function<Eigen::MatrixXf(const Eigen::MatrixXf&)> stored;
};

struct LearnedDictionary {
    Matrix dictionary;         // D (d1, k), unit-norm columns; solveFast gives d1 of them where
                               // k > d1 and s ≥ d1, as these hold W exactly
    Matrix codes;              // S (k, d2)
    double relativeError = 0;  // ‖W − D S‖_F / ‖W‖_F
    Termination termination = Termination::Failed;
    int iterations = 0;
    std::int64_t replacedAtoms = 0;  // dead atoms that were given a new direction
    PhaseSeconds phases;             // of the whole solve, also outside of its iterations
};

// Preconditions: 1 ≤ s ≤ k, W finite and not zero; violated ones throw Error. A dictionary of d1
// atoms, for k > d1 and s ≥ d1, holds W exactly but for grouped codes.
LearnedDictionary solveKsvd(Backend& backend, const Matrix& w, std::int64_t k, std::int64_t s,
                            const KsvdOptions& options, const IterationCallback& callback = {},
                            const std::stop_token& stop = {});
LearnedDictionary solveFast(Backend& backend, const Matrix& w, std::int64_t k, std::int64_t s,
                            const FastOptions& options, const IterationCallback& callback = {},
                            const std::stop_token& stop = {});

// DᵀD = I, from the k leading left singular vectors of W on: S ← the s largest entries of DᵀW a
// column, D ← the polar factor of W Sᵀ, each the best for the other, so that no iteration raises
// the error. Precondition: also k ≤ min(d1, d2). Draws nothing. Ends early, Converged, where W Sᵀ
// has lost rank.
LearnedDictionary solveProcrustes(Backend& backend, const Matrix& w, std::int64_t k, std::int64_t s,
                                  const ProcrustesOptions& options,
                                  const IterationCallback& callback = {},
                                  const std::stop_token& stop = {});

// From B, the k leading eigenvectors of W Wᵀ, and P = BᵀW, with l_i the length of b_i as stored:
//   - of every column of P the max(1, ⌊s − βk⌋) entries of greatest |p_ij| l_i^λ stay;
//   - of all others in W those of greatest |p_ij| l_i, until there are s a column on average: the
//     one solver here whose columns differ in non-zeros;
//   - with C what stayed, D = W Cᵀ (C Cᵀ + μ I)⁻¹, μ = ridge · tr(C Cᵀ) / k; or B where that is
//     nearer to W, as where nothing was cut.
// Ties: the lower column, then the lower row. Precondition: also k ≤ min(d1, d2). Draws nothing;
// ends Converged after one iteration.
LearnedDictionary solveEigenbasis(Backend& backend, const Matrix& w, std::int64_t k, std::int64_t s,
                                  const EigenbasisOptions& options,
                                  const IterationCallback& callback = {},
                                  const std::stop_token& stop = {});

// solveFast with columns that are coupled by a metric M = LᵀL (n, n): min ‖(Z − D S) Lᵀ‖_F over D
// (d, k) and S (k, n), Z (d, n). metrics: the blocks on M's diagonal, one where all columns are
// coupled, whose sizes add up to n. This is how a dictionary is learned for the output side of a
// layer, Wᵀ ≈ D S with the Gram matrix of its inputs as metric, or for those of several layers that
// share it, [W_1ᵀ … W_mᵀ], each a block of the metric. target is Z Lᵀ, from which D begins.
LearnedDictionary solveFastCoupled(Backend& backend, const Matrix& z, const Matrix& target,
                                   const std::vector<Matrix>& metrics, std::int64_t k,
                                   std::int64_t s, const FastOptions& options,
                                   const IterationCallback& callback = {},
                                   const std::stop_token& stop = {});

// solveFast with parts of W whose errors count in metrics of their own:
// min Σ_i ‖T_i (W_i − D S_i)‖_F, T_iᵀT_i = M_i, over one D (d, k) and all S_i. W (d, n) holds the
// parts side by side, the next widths[i] columns in the metric metrics[i] (d, d), which are the
// identity on average, as where W is whitened by the mean of the parts' Grams. D is found by
// conjugate gradients, codes part by part. Atoms are of length 1 in that mean metric.
LearnedDictionary solveFastInOwnMetrics(Backend& backend, const Matrix& w,
                                        const std::vector<Matrix>& metrics,
                                        const std::vector<std::int64_t>& widths, std::int64_t k,
                                        std::int64_t s, const FastOptions& options,
                                        const IterationCallback& callback = {},
                                        const std::stop_token& stop = {});

// Least squares over the values of S with its support and D fixed; the relative error after it.
// Used after the dictionary has been rounded for storage.
double refitCodes(Backend& backend, const Matrix& w, const Matrix& dictionary, Matrix& codes,
                  int steps = 40);

// The same in the metric; the relative error is that of (Z − D S) Lᵀ.
double refitCodesCoupled(Backend& backend, const Matrix& z, const std::vector<Matrix>& metrics,
                         const Matrix& dictionary, Matrix& codes, int steps = 40);

}  // namespace cospadi
