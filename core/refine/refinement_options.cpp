#include "core/refine/refinement_options.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr std::int64_t kMostSequences = 1'000'000;
constexpr int kMostPasses = 1000;

}  // namespace

void RefinementOptions::validate() const {
    if (sequences < 2 || sequences > kMostSequences) {
        throw Error(
            fmt::format("{} sequences", sequences), "sequences",
            fmt::format("give 2 to {}: an eighth is held out, at least one", kMostSequences));
    }
    if (length < 2) {
        throw Error(fmt::format("sequences of {} tokens", length), "length", "give 2 or more");
    }
    if (passes < 1 || passes > kMostPasses) {
        throw Error(fmt::format("{} passes over the text", passes), "passes",
                    fmt::format("give 1 to {}", kMostPasses));
    }
    if (stepSequences < 1 || stepSequences > sequences) {
        throw Error(fmt::format("{} sequences a step", stepSequences), "step_sequences",
                    fmt::format("give 1 to {}, the number of sequences", sequences));
    }
    if (!(learningRate > 0) || learningRate > 1) {
        throw Error(fmt::format("a learning rate of {}", learningRate), "learning_rate",
                    "give a number above 0, at most 1; 0.0005 is usual");
    }
}

}  // namespace cospadi
