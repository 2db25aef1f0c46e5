// The schema of the run store as numbered steps: step n takes a database from user_version n−1 to
// n. Private to core/store.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace SQLite {
class Database;
}

namespace cospadi {

// resources/schema/NNN_*.sql in order, embedded at build time.
const std::vector<std::string>& schemaSteps();

// Whether the file is one of ours.
bool isRunStore(SQLite::Database& database);

// Brings the schema up to date in one transaction. Throws Error for a database that a newer program
// wrote, that is not ours, or that is older and may not be written.
void migrateSchema(SQLite::Database& database, const std::filesystem::path& path, bool mayWrite);

}  // namespace cospadi
