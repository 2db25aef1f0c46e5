// Where the masks of two factorisations of the same matrix differ, entry by entry, and by how much
// the values differ where both have one: the map of what comparePatterns() sums up.
//
// A row is a pair of matched atoms; atoms of the second that have no partner follow below those of
// the first, so that every entry of both stands somewhere. Values are coefficients times the length
// of their atom, with the sign that the second's atom has towards the first's: scaling or turning
// an atom round changes nothing. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/patterns/pattern_comparison.h"

namespace cospadi {

struct PatternDifference {
    enum Where : std::uint8_t { Neither, OnlyFirst, OnlySecond, Both };

    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<std::int64_t> firstAtom;   // (rows); −1: none
    std::vector<std::int64_t> secondAtom;  // (rows); −1: none
    std::vector<std::uint8_t> where;       // (rows × columns), where[j * rows + i]
    std::vector<float> valueDifference;  // as `where`: first − second of entries in both, else 0
    double scale = 0;  // three times the root mean square of those differences; 0: all are equal
};

// comparison: comparePatterns(first, second).
PatternDifference patternDifference(const SparseDictionaryFactors& first,
                                    const SparseDictionaryFactors& second,
                                    const PatternComparison& comparison);

}  // namespace cospadi
