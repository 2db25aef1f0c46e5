// Which settings of a specification count: of two runs that differ in no other, both do the same. A
// setting counts where its method uses it and, for some, where other fields give it a meaning (the
// power iterations of K-SVD's power update, the format of coefficients shorter than 16 bits); a
// table (idle_settings.cpp) has these conditions.
#pragma once

#include "core/store/run_specification.h"

namespace cospadi {

// Precondition: the name of an option (allOptions()).
bool counts(const RunSpecification& specification, const char* setting);
// Whether it would with some value of its own: a field of it is of use.
bool canCount(const RunSpecification& specification, const Option& option);

// The bits of a coefficient that the accounting implies, whatever `coefficient_bits` says; 0 where
// they go by each matrix' own ρ, or are out of range (validate() says which).
int impliedCoefficientBits(const RunSpecification& specification);

// Every field that does not count for the method, solver or update is set to its default: the ρ of
// an SVD, the power iterations of MOD; and what names the usual choice, `refit` `on` of fast, to
// `auto`. Whether `seed` counts for fast is a question of shapes (resolved() asks it).
RunSpecification withoutIdleSettings(RunSpecification specification);

}  // namespace cospadi
