// Names of files and folders that are not whole yet: NAME.tmp.RANDOM beside NAME. Whoever writes
// one holds a lock on it (flock), which ends with the process, so that what a killed one has left
// can be told and swept up, wherever process ids are given twice (containers, shared folders).
#pragma once

#include <filesystem>
#include <string>

namespace cospadi {

// Another one at every call.
std::filesystem::path temporaryNameOf(const std::filesystem::path& target);

// Locks what was just made under this name; false where somebody swept it up meanwhile: make
// another one. The lock lasts while the descriptor is open.
bool holdTemporary(int descriptor, const std::filesystem::path& name);

// Whether a file or folder of this name is not whole yet.
bool isTemporaryName(const std::string& name);

// Whether the name stands for what the descriptor has open.
bool isNameOf(int descriptor, const std::filesystem::path& name);

// Removes what lies in `folder` under such a name, of anything that begins with `beginning`, and is
// held by no process. What cannot be removed stays.
void removeAbandoned(const std::filesystem::path& folder, const std::string& beginning = "");

}  // namespace cospadi
