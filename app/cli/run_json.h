// A stored run as --json gives it (docs/cli.md).
#pragma once

#include <nlohmann/json.hpp>

#include "core/store/run_row.h"

namespace cospadi::cli {

// Settings as they took effect, results, marks, evaluations; null for what is not known, and for a
// setting that does not count.
nlohmann::json runJson(const RunRow& run);

}  // namespace cospadi::cli
