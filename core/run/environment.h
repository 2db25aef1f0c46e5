// What a run was computed on and with: the `environment` object of run.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace cospadi {

// device: what the matrices are computed on, as ComputeDevice describes itself.
nlohmann::json environmentRecord(const std::string& device = "cpu");

}  // namespace cospadi
