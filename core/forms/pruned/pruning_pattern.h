// Which positions of a weight may be kept: any ("unstructured"), or at most N of every M
// consecutive inputs of an output ("N:M"; hardware has 2:4).
#pragma once

#include <bit>
#include <string>

namespace cospadi {

struct PruningPattern {
    static constexpr int kMostOfGroup = 32;  // M that files may have

    int kept = 0;   // N ≥ 1; 0: unstructured
    int group = 0;  // M > N; 0: unstructured

    bool isGrouped() const { return group > 0; }
    // Of a place within a group, ⌈log2 M⌉. Places are stored one by one, as hardware has them; the
    // number of a group's pattern would take fewer bits (2:4: three in the place of four).
    // Precondition: isGrouped().
    int placeBits() const { return std::bit_width(static_cast<unsigned>(group - 1)); }
    std::string name() const;  // "2:4", "unstructured"

    bool operator==(const PruningPattern&) const = default;
};

// Of a name. Throws Error naming `pattern` where it is none, or 1 ≤ N < M ≤ kMostOfGroup fails.
PruningPattern pruningPatternFromName(const std::string& name);

}  // namespace cospadi
