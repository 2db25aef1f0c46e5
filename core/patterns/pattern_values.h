// What stands in the entries of a sparsity pattern: which columns use an atom and by how much, and
// the other way round. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/forms/sparse_dictionary/sparsity_pattern.h"

namespace cospadi {

// A value is the coefficient times the length of its atom, S(i, j) ‖D_i‖: how the scale is shared
// between D and S changes nothing.
struct PatternValues {
    std::vector<float> values;  // (k × d2) as SparsityPattern::entries; 0 where there is no entry
    double scale = 0;  // three times their root mean square over the entries; 0: there are none
};

PatternValues patternValues(const SparseDictionaryFactors& factors);

struct PatternEntry {
    std::int64_t place = 0;  // the column of an atom's entry, the atom of a column's
    float value = 0;
    bool operator==(const PatternEntry&) const = default;
};

// The columns that use an atom and the atoms that a column uses, the largest |value| first, of
// equals the first. values: of the same matrix.
std::vector<PatternEntry> entriesOfAtom(const SparsityPattern& pattern, const PatternValues& values,
                                        std::int64_t atom);
std::vector<PatternEntry> entriesOfColumn(const SparsityPattern& pattern,
                                          const PatternValues& values, std::int64_t column);

// (d2): atoms that each column uses.
std::vector<std::int64_t> columnUsage(const SparsityPattern& pattern);

}  // namespace cospadi
