// Two factorisations of the same matrix beside each other. Dictionaries that were learned apart
// have their atoms in any order and with any sign: they are matched by their directions first.
// Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"

namespace cospadi {

struct PatternComparison {
    // (k of the first): which atom of the second it corresponds to; −1 where none is left.
    std::vector<std::int64_t> partner;
    std::int64_t matched = 0;
    double meanCosine = 0;  // |cos| of the matched pairs
    // Entries of the masks, matched atoms on top of each other; unmatched atoms' are of one only.
    std::int64_t both = 0;
    std::int64_t onlyFirst = 0;
    std::int64_t onlySecond = 0;
    double approximationDifference = 0;  // ‖W̃₁ − W̃₂‖_F / ‖W̃₁‖_F, plain

    double overlap() const;  // both / (both + onlyFirst + onlySecond)
};

// Greedy: the most alike pair of atoms first. O(k₁ k₂ d). Throws Error where the two are not of the
// same matrix shape or not on the same side.
PatternComparison comparePatterns(const SparseDictionaryFactors& first,
                                  const SparseDictionaryFactors& second);

}  // namespace cospadi
