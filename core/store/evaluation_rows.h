// Evaluations and task results of runs, out of the store's rows. Private to core/store.
#pragma once

#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

class RowReader;

// Queries of all of them, to which conditions are added: the first column is the run's key, the
// others are read by the functions below.
inline constexpr const char* evaluationColumns =
    "SELECT run, file, kind, text, text_sha256, context, max_tokens, score, perplexity, tokens,"
    " seconds, created FROM evaluations";

inline constexpr const char* taskResultColumns =
    "SELECT run, file, task, metric, filter, value, stderr, samples, shots, version, data_sha256,"
    " higher_is_better, created FROM task_results";

EvaluationRow readEvaluation(RowReader& reader);
TaskResultRow readTaskResult(RowReader& reader);

// Rows come oldest first: a later one takes the place of an earlier one of the same measure.
void keepLatest(std::vector<EvaluationRow>& kept, EvaluationRow row);
void keepLatest(std::vector<TaskResultRow>& kept, TaskResultRow row);

}  // namespace cospadi
