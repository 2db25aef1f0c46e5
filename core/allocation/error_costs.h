// What errors of layers cost the predictions: a of KL = a e², nats a token over a squared relative
// error, from one probe a layer (curve_measurement.h). By it layers that share a dictionary count
// beside each other (decision 25).
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "core/allocation/curve_measurement.h"

namespace cospadi {

struct ErrorCost {
    double error = 0;       // of the trial at kProbedRatio
    double divergence = 0;  // nats a token with it in the layer's place
    double cost = 0;        // a, > 0
};

// By layer name. A layer that was not probed, as it has no form at that ratio, has the median cost
// of the others; 1 where there are none. None costs less than a hundredth of the median: a probe of
// a few tokens cannot tell that it costs nothing. nullopt when cancelled. Errors as
// measureProbes().
std::optional<std::map<std::string, ErrorCost>> measureErrorCosts(
    const CurveProblem& problem, CurveStore& store, const ProgressCallback& progress = {},
    const std::stop_token& stop = {});

}  // namespace cospadi
