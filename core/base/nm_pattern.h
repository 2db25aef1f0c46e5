// Which positions may hold a value: any ("unstructured"), or N of every M consecutive ones ("N:M"):
// inputs of an output in a pruned weight (hardware has 2:4), atoms in a column of codes.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace cospadi {

struct NmPattern {
    static constexpr int kMostOfGroup = 32;  // M that files may have

    int kept = 0;   // N ≥ 1; 0: unstructured
    int group = 0;  // M > N; 0: unstructured

    bool isGrouped() const { return group > 0; }
    // Of a place within a group, ⌈log2 M⌉: places stored one by one, as hardware has them.
    // Precondition: isGrouped().
    int placeBits() const { return std::bit_width(static_cast<unsigned>(group - 1)); }
    // Of the number of a group's choice, ⌈log2 C(M, N)⌉ (2:4: three in the place of four).
    int choiceBits() const;
    std::string name() const;  // "2:4", "unstructured"

    bool operator==(const NmPattern&) const = default;
};

// Of a name. Throws Error naming the field where it is none, or 1 ≤ N < M ≤ mostOfGroup fails.
NmPattern nmPatternFromName(const std::string& name, const char* field, int mostOfGroup);

// A choice of N places of M as a bit each, and as its number among all of them in the order of
// these bits read as a number: Σ C(p_i, i + 1) over the places p_0 < p_1 < …
std::uint32_t choiceNumber(std::uint32_t places);
// Precondition: number < C(M, N).
std::uint32_t placesOfChoice(std::uint32_t number, const NmPattern& pattern);
std::uint32_t choices(const NmPattern& pattern);  // C(M, N)

}  // namespace cospadi
