// Tokens a second of one's own runs (store/throughput.h) in the layouts of the paper's tables, with
// what the paper prints below them.
#pragma once

#include <vector>

#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi {

// Prompts: synchronous, a row a ratio and prompt length with the mean below, a column a method
//   (Table 15).
// Users: asynchronous at the shortest prompt, a row a method, a column a number of users (7, 16).
// Grid: asynchronous, a row a method and number of users, a column a prompt length (17).
// Latency: both, a row a point: tokens a second, and percentiles of the time to the first token,
//   between tokens and of a request; the paper prints none.
enum class ThroughputLayout { Prompts, Users, Grid, Latency };

// runs: finished ones, newest first; of those with the same model, method label, layers and ratio
// the newest that was measured. Rates of other machines, threads, numbers of tokens or rounds are
// other measures: those that most points have stand in the table, and a note counts the others.
// Throws Error where no run has a point of the mode.
ReportTable throughputTable(const std::vector<RunRow>& runs, ThroughputLayout layout);

}  // namespace cospadi
