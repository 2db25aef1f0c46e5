// Stored results as the JSON that commands print.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/lm_eval/task_data.h"
#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi::cli {

// null for NaN and infinity, which JSON has no word for.
nlohmann::json numberOrNull(double value);

nlohmann::json taskResultJson(const TaskResultRow& row);

// An object a row, by the names of the columns.
nlohmann::json rowsJson(const ReportTable& table);

// {"folder", "fetched": [{"task", "items", "file"}]}
nlohmann::json fetchedDataJson(const std::vector<FetchedData>& fetched);

}  // namespace cospadi::cli
