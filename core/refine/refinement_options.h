// How factors are refined by the predictions (refinement.h).
#pragma once

#include <cstdint>

namespace cospadi {

// Share of its sequences, the last ones, that nothing is fitted to.
inline constexpr double kRefinementHeldOut = 0.125;

struct RefinementOptions {
    std::int64_t stepSequences = 4;  // that a step goes by
    double learningRate = 5e-4;      // a step's change of an entry, in sizes of its atom
    std::uint64_t seed = 42;         // of the order of sequences
};

}  // namespace cospadi
