// The values of ρ = k/s that a run chooses from where it shall choose for itself, matrix by matrix
// (`--rho auto`; core/allocation/rho_choice.h).
#pragma once

#include <array>

namespace cospadi {

inline constexpr const char* kAutoRho = "auto";

// From codes of two thirds of the atoms to codes of a quarter. All have a form under every
// accounting: eq 11 takes at most four of 16 bits. Under eq 11 a ρ that is no whole number leaves
// bytes unused (⌈ρ⌉ bits pay for a mask of ρ): it is taken where it is better even so.
inline constexpr std::array kRhoCandidates = {1.5, 2.0, 2.5, 3.0, 4.0};

}  // namespace cospadi
