// Where the program keeps its data: one place for the runs, the index and the default model.
#pragma once

#include <filesystem>
#include <string>

namespace cospadi {

// $XDG_DATA_HOME/cospadi, else ~/.local/share/cospadi. Nothing is created. Throws Error as
// homeDirectory() does.
std::filesystem::path dataDirectory();

// $COSPADI_RUNS, else dataDirectory()/runs. A run is a directory in it.
std::filesystem::path runsDirectory();

// The run directory that `word` names: a path, or a folder in runsDirectory(). Empty where neither
// holds a run.json.
std::filesystem::path runDirectoryNamed(const std::string& word);

// The SQLite index, in the runs directory: cospadi.sqlite.
std::filesystem::path storePath();

// Where older versions had it: beside the runs directory (older_index.h).
std::filesystem::path olderStorePath();

}  // namespace cospadi
