// Where the program keeps its data: one place for the runs, the index and the default model.
#pragma once

#include <filesystem>

namespace cospadi {

// $XDG_DATA_HOME/cospadi, else ~/.local/share/cospadi. Nothing is created.
std::filesystem::path dataDirectory();

// $COSPADI_RUNS, else dataDirectory()/runs. A run is a directory in it.
std::filesystem::path runsDirectory();

// The SQLite index, beside the runs directory: cospadi.sqlite.
std::filesystem::path storePath();

}  // namespace cospadi
