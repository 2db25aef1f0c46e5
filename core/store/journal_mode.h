// Which journal SQLite can keep where the store lies. Private to core/store.
#pragma once

#include <filesystem>

namespace cospadi {

// WAL shares memory between processes, which those on two machines do not have: over a network file
// system it loses transactions. By statfs(2)'s f_type; unknown ones count as local.
bool isNetworkFileSystem(long type);

// "WAL", or "DELETE" (the rollback journal) for a folder on a network file system.
const char* journalModeFor(const std::filesystem::path& folder);

}  // namespace cospadi
