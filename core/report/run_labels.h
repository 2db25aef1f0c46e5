// What tables and charts call a run by: its method, its model and its layers.
#pragma once

#include <set>
#include <string>

#include "core/store/run_row.h"

namespace cospadi {

// The label of run_settings.h; of a run whose results were taken in that of
// stated_compression.h, else the bare method of a run of another program.
std::string methodLabel(const RunRow& run, const std::set<std::string>& shown = {});

// The name of the model's file or folder.
std::string modelLabel(const RunRow& run);

// By its sha256 wherever it lies, by its path where that is unknown: runs in which it is equal are
// of one model.
std::string modelIdentity(const RunRow& run);

// "all", or the regular expression that chose the layers.
std::string layersLabel(const RunRow& run);

// Where a method stands in a table: in the order of methods(), unknown ones before ours.
int methodRank(const std::string& methodLabel);

}  // namespace cospadi
