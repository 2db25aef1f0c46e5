// What the store holds of one run besides its row: RunStore's questions about it. Private to
// core/store.
//
// run: as of StoreDatabase::keyOf(), which throws Error where it is not one run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/store/iteration_series.h"
#include "core/store/run_row.h"

namespace cospadi {

class StoreDatabase;

std::vector<MatrixRow> matricesOf(const std::string& run, StoreDatabase& database);
std::vector<EvaluationRow> evaluationsOf(const std::string& run,
                                         StoreDatabase& database);  // all, oldest first
std::map<std::string, std::string> environmentOf(const std::string& run, StoreDatabase& database);
std::vector<ArtefactRow> artefactsOf(const std::string& run, StoreDatabase& database);  // by path
std::vector<NoteRow> notesOf(const std::string& run, StoreDatabase& database);  // oldest first
// The stored ones, or those of the run's events.jsonl where that has changed since. Throws Error
// where the stored ones are damaged.
IterationSeries iterationsOf(const std::string& run, StoreDatabase& database);

}  // namespace cospadi
