// Orthogonal matching pursuit for a batch of columns, in inverse-Cholesky form (Zhu et al. 2020),
// with a precomputed Gram matrix G (k, k). In step t every column
//   selectAtoms   takes its atom of largest correlation and orthonormalises it against those it
//   has:
//                 q = Σ_i f_i a_i with f a column of the inverse Cholesky factor F
//   (caller)      image = G f for all columns at once, one product
//   advance       keeps image = ⟨a_·, q⟩ as a row of the basis and takes q out of the correlations
// and finish() finds the coefficients by one back-substitution a column. A block a column.
// An atom that lies in the span of those chosen is passed over, so a column may need more than s
// steps; `busy` tells.
#pragma once

#include <cstdint>

#include "gpu/execution.h"

namespace cospadi::kernels {

// Device memory of a batch; column-major, (·, columns).
struct PursuitState {
    std::int64_t k = 0;
    std::int64_t s = 0;
    std::int64_t columns = 0;
    float* correlation = nullptr;     // (k): of the atoms with what is not yet explained
    std::uint8_t* taken = nullptr;    // (k): 1 for atoms that were looked at
    float* direction = nullptr;       // (k): f, dense, zero off the chosen atoms
    float* basis = nullptr;           // (k, s): ⟨a_i, q_t⟩
    float* inverse = nullptr;         // (s (s + 1) / 2): F, upper triangular, packed by columns
    float* projections = nullptr;     // (s): of the new atom on the basis; weights in the end
    float* weights = nullptr;         // (s): of the q_t in the approximation
    double* solution = nullptr;       // (s): γ, of the back-substitution
    std::int32_t* atoms = nullptr;    // (s)
    std::int32_t* chosen = nullptr;   // (1): how many
    std::int32_t* pending = nullptr;  // (1): the atom of this step, −1 for none
};

// correlation ← p (k, columns), nothing chosen.
void startPursuit(const PursuitState& state, const float* p, cudaStream_t stream);
// busy[0] (set by the caller) counts the columns that looked at an atom.
void selectAtoms(const PursuitState& state, const float* gram, unsigned* busy, cudaStream_t stream);
void advance(const PursuitState& state, const float* image, std::int64_t imageLd,
             cudaStream_t stream);
void finish(const PursuitState& state, float* codes, cudaStream_t stream);

}  // namespace cospadi::kernels
