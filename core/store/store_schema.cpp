#include "core/store/store_schema.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr int applicationId = 0x43535044;  // "CSPD", so that `file` and we can tell a store

int pragma(SQLite::Database& database, const char* name) {
    return database.execAndGet(std::string("PRAGMA ") + name).getInt();
}

}  // namespace

bool isRunStore(SQLite::Database& database) {
    return pragma(database, "application_id") == applicationId;
}

void migrateSchema(SQLite::Database& database, const std::filesystem::path& path, bool mayWrite) {
    const int newest = static_cast<int>(schemaSteps().size());
    int version = pragma(database, "user_version");
    if (version == newest && isRunStore(database)) {
        return;
    }
    // Another process may be migrating the same file: decide again under the write lock.
    if (mayWrite) {
        database.exec("BEGIN IMMEDIATE");
        version = pragma(database, "user_version");
    }
    try {
        const int tables = database.execAndGet("SELECT count(*) FROM sqlite_master").getInt();
        const bool ours = isRunStore(database);
        if (!ours && tables > 0) {
            throw Error("this SQLite file is not a run store", path.string(),
                        "choose another file name for the store");
        }
        if (version > newest) {
            throw Error("the run store has schema " + std::to_string(version) +
                            ", written by a newer cospadi; this one knows up to " +
                            std::to_string(newest),
                        path.string(),
                        "update cospadi, or move the file away and run `cospadi runs import`");
        }
        if (!mayWrite && version < newest) {
            throw Error("the run store has the older schema " + std::to_string(version) +
                            " and is opened read-only",
                        path.string(), "run `cospadi runs import` once to bring it up to date");
        }
        for (int step = version; step < newest; ++step) {
            database.exec(schemaSteps()[static_cast<std::size_t>(step)]);
        }
        if (mayWrite) {
            database.exec("PRAGMA application_id = " + std::to_string(applicationId));
            database.exec("PRAGMA user_version = " + std::to_string(newest));
            database.exec("COMMIT");
        }
    } catch (...) {
        if (mayWrite) {
            database.tryExec("ROLLBACK");
        }
        throw;
    }
}

}  // namespace cospadi
