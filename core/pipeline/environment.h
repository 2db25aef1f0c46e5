// What a run was computed on and with: the `environment` object of run.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace cospadi {

nlohmann::json environmentRecord();

}  // namespace cospadi
