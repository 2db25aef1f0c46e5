// `cospadi bench predict`: whether predictions of the whole model hold: perplexity as predicted
// from curves against that of the compressed model, on text that no curve was measured on.
#pragma once

#include <cstdint>
#include <string>

#include "app/cli/session.h"

namespace cospadi::cli {

struct PredictBenchOptions {
    std::string model = "default";
    std::string csv;  // where to write the figures; empty: nowhere
    bool quick = false;
};

// Ten settings: CR 0.1 to 0.4, shared and uniform, and two of another storage and ρ. Misses its
// target where one is off by more than 5 %. Its runs are stored with the tag "bench-predict";
// started again it goes on where it stopped. Some two hours for the default model on two cores.
int benchPredict(const Session& session, const PredictBenchOptions& options);

}  // namespace cospadi::cli
