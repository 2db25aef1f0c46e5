// How factors are refined by the predictions (refinement.h), as specifications have it.
#pragma once

#include <cstdint>

namespace cospadi {

struct RefinementOptions {
    // Of the run's calibration text, the one that ships for a run without; an eighth is held out.
    std::int64_t sequences = 128;
    std::int64_t length = 512;       // tokens a sequence: as the run's calibration has it
    int passes = 1;                  // over those that are fitted, each in an order of its own
    std::int64_t stepSequences = 4;  // that a step goes by
    double learningRate = 5e-4;      // a step's change of an entry, in sizes of its atom
    std::uint64_t seed = 42;         // of the orders

    bool operator==(const RefinementOptions&) const = default;
    std::int64_t heldOut() const { return (sequences + 7) / 8; }

    // Throws Error naming the option that is out of range.
    void validate() const;
};

}  // namespace cospadi
