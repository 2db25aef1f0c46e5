// Internal to PackedMatrix: columns with N of every M rows (decision 23). Every group of M rows has
// N values, each with its place, so that a vector of 16 columns takes the entries of x that it
// needs by one permutation of the group's M: there is a multiply-add for each value, not for each
// entry, and nothing to expand.
//
// Columns stand in groups of 16, rows in steps of 32, as elsewhere (packed_kernels.h). Of a step a
// column has V = 32 N/M values, ascending; a line is a pair of them of all columns: (c, 2i),
// (c, 2i + 1), (c + 1, 2i), … Their places take 2 bits (M = 4) or 4 (M = 8), V of them a column in
// words of 16 or 32 bits, the same word of all columns beside each other. What a column lacks is
// zero at place 0.
//
// Kernels for AVX-512; in plain C++ for everything else, where sparse() is the faster form.
#pragma once

#include <cstdint>

#include "core/packed/packed_kernels.h"

namespace cospadi {

// Whether there are kernels for it here: 1:4, 2:4, 2:8 and 4:8, with AVX-512.
bool hasPlaces(const NmPattern& pattern);

// Precondition of all below: one of these four.
std::int64_t groupedValues(const NmPattern& pattern);  // of a step, a column: V
std::int64_t placeBytes(const NmPattern& pattern);     // of a step, all 16 columns

// Where value number `value` of a column stands, counted on from group to group, V a step: index
// into values; byte and bit of its place.
struct GroupedEntry {
    std::int64_t value = 0;
    std::int64_t placeByte = 0;
    int placeShift = 0;
};
GroupedEntry groupedEntry(const NmPattern& pattern, std::int64_t value, std::int64_t column);

// As packedDot(), unpack() and unpackPairs().
void groupedDot(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
                std::int64_t last, const float* x, std::int64_t tokens, float* y, std::int64_t ldy);
void groupedUnpack(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
                   std::int64_t last, float* to);
void groupedUnpackPairs(const PackedGroups& a, std::int64_t first, std::int64_t last,
                        std::uint16_t* to);

}  // namespace cospadi
