// What a run was computed on and with: the `environment` object of run.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace cospadi {

// Of the sources that this program was built from; empty where they are not known.
std::string programRevision();

// device: what the matrices are computed on, as ComputeDevice describes itself.
nlohmann::json environmentRecord(const std::string& device = "cpu");

}  // namespace cospadi
