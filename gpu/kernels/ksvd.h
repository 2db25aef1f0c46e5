// One atom's K-SVD update (paper, Algorithm 1) without gathering its residual: on the columns that
// use the atom, R_j = E_j + s_j d, so R and Rᵀ are applied from E, d and the coefficients s
// themselves. A pass reads those columns of E once. All arrays in device memory. The columns of an
// atom are split over a number of blocks that depends on nothing but how many they are, so that
// sums have the same order on every run.
#pragma once

#include <cstdint>

#include "gpu/execution.h"

namespace cospadi::kernels {

constexpr std::int64_t kPanels = 264;  // blocks of columns: two for each of an H100's processors

// An atom and the columns that use it.
struct AtomColumns {
    std::int64_t d1 = 0;
    std::int64_t k = 0;
    std::int32_t used = 0;                  // how many columns: at least one
    const std::int32_t* columns = nullptr;  // (used), ascending
    const float* coefficients = nullptr;    // (used): s
    const float* atom = nullptr;            // (d1): d, unchanged while the atom is worked on
    float* e = nullptr;                     // (d1, n): W − D S
    float* codes = nullptr;                 // the atom's row of (k, n)
};

// u = next / ‖next‖, or `before` where that is zero or there are no norms yet.
struct Direction {
    const float* before = nullptr;  // (d1)
    const float* next = nullptr;    // (d1)
    const double* norms = nullptr;  // (parts): of ‖next‖²
    std::int64_t parts = 0;
    float* u = nullptr;  // (d1): a pass leaves u here; may be `before`
};

// Parts of ‖next‖² that sumPanels leaves.
std::int64_t normParts(std::int64_t d1);

// For `atoms` rows of codes (k, n) from row `first` on: the columns where they are not zero,
// ascending, and the values there, (n, atoms); counts (atoms).
void listColumns(std::int64_t k, std::int64_t n, std::int64_t first, std::int64_t atoms,
                 const float* codes, std::int32_t* columns, float* coefficients,
                 std::int32_t* counts, cudaStream_t stream);
// partial (d1, kPanels) ← the blocks' parts of R Rᵀ u
void applyResidual(const AtomColumns& atom, const Direction& direction, float* partial,
                   cudaStream_t stream);
// next ← R Rᵀ u from its parts; norms (normParts) parts of ‖next‖²
void sumPanels(const AtomColumns& atom, const float* partial, float* next, double* norms,
               cudaStream_t stream);
// On the atom's columns, with image = Rᵀ u: E_j ← R_j − image_j u, codes(atom, j) ← image_j
void replaceAtom(const AtomColumns& atom, const Direction& direction, cudaStream_t stream);
// r (d1, used) ← R in double: for the exact update
void residualOf(const AtomColumns& atom, double* r, cudaStream_t stream);

}  // namespace cospadi::kernels
