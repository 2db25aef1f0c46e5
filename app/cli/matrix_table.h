// The matrices of a run, as `runs show` gives them: a table with the columns that the run's method
// has, what their forms tell beyond these, and all of it as JSON (docs/cli.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi::cli {

ReportTable tableOfMatrices(const std::vector<MatrixRow>& matrices);

// What the forms of all matrices agree in, as words; the table has the rest.
std::string commonFactsText(const std::vector<MatrixRow>& matrices);

nlohmann::json matricesJson(const std::vector<MatrixRow>& matrices);

}  // namespace cospadi::cli
