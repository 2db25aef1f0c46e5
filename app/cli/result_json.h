// Stored results as the JSON that commands print.
#pragma once

#include <nlohmann/json.hpp>

#include "core/store/run_row.h"

namespace cospadi::cli {

// null for NaN and infinity, which JSON has no word for.
nlohmann::json numberOrNull(double value);

nlohmann::json taskResultJson(const TaskResultRow& row);

}  // namespace cospadi::cli
