// What `cospadi reproduce` prints before anything runs: the labels there are, and the plan of one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/reproduce/reproduction_plan.h"

namespace cospadi::cli {

std::string labelsText(const std::vector<Reproduction>& all);
nlohmann::json labelsJson(const std::vector<Reproduction>& all);

// What the entry shows, in what the protocol is not the paper's, each run with its state, bytes,
// memory and time, and the sum.
std::string planText(const Reproduction& entry, const Protocol& protocol,
                     const ReproductionPlan& plan, int cores);
nlohmann::json planJson(const Reproduction& entry, ProtocolSize size, const ReproductionPlan& plan);

}  // namespace cospadi::cli
