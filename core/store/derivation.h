// What a run is that was made of a finished one with no layer solved again: some of its layers
// (`cospadi runs slice`), its coefficients in fewer bits (`cospadi requantize`), or these in turn.
// All else in its specification is that of the run it was made of: how its factors were found.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/forms/number_formats.h"

namespace cospadi {

// The least and the most bits that coefficients are shortened to: sign and exponent of a bfloat16
// with nothing of its mantissa, or with all but one bit of it.
inline constexpr int kFewestRequantizedBits = 9;
inline constexpr int kMostRequantizedBits = 15;

struct Derivation {
    std::string from;         // id of the run whose files it was made of
    std::string sliceOf;      // the layers, a regex, that the sliced run has; "" for no slice
    int coefficientBits = 0;  // that are left of a coefficient; 0: as they were solved
    CoefficientRounding rounding = CoefficientRounding::Truncate;

    bool isSlice() const { return !sliceOf.empty(); }
    bool isRequantized() const { return coefficientBits > 0; }
};

// Throws Error naming the field for bits that coefficients cannot be shortened to.
void requireRequantizedBits(int bits, const char* field);

// Throws Error naming the field for a run id that is none, what is out of range, or neither a
// slice nor other bits.
void validate(const Derivation& derivation);

nlohmann::json toJson(const Derivation& derivation);
// Of the field `derived` of a specification. Throws Error naming what cannot be read.
Derivation derivationFromJson(const nlohmann::json& object);

// "truncated to 12 bits", "rounded to 12 bits"; "" where the coefficients are as they were solved.
std::string requantizationWords(const Derivation& derivation);

}  // namespace cospadi
