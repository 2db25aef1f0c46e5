#include "core/store/store_database.h"

#include <sqlite3.h>

#include "core/store/locations.h"
#include "core/store/run_directory.h"

namespace cospadi {

namespace {

constexpr int busyMilliseconds = 10'000;

}  // namespace

SQLite::Database connectStore(const std::filesystem::path& path, bool mayWrite) {
    if (mayWrite) {
        return SQLite::Database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                busyMilliseconds);
    }
    SQLite::Database database(path.string(), SQLite::OPEN_READONLY, busyMilliseconds);
    try {
        database.execAndGet("PRAGMA user_version");
        return database;
    } catch (const SQLite::Exception& error) {
        if (error.getErrorCode() != SQLITE_CANTOPEN && error.getErrorCode() != SQLITE_READONLY) {
            throw;
        }
    }
    // A WAL file in a folder that may not be written: read it as the unchanging file it is.
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(path).string()) {
        uri += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
    }
    return SQLite::Database(uri + "?immutable=1", SQLite::OPEN_READONLY | SQLITE_OPEN_URI,
                            busyMilliseconds);
}

Error storeError(const SQLite::Exception& error, const std::filesystem::path& path) {
    const std::string reason = error.what();
    switch (error.getErrorCode()) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return {"another process is writing to the run store", path.string(),
                    "wait for it to finish, then try again"};
        case SQLITE_READONLY:
            return {"the run store is read-only", path.string(),
                    "check the permissions of the file and its folder"};
        case SQLITE_FULL:
            return {
                "no space left for the run store", path.string(),
                "free some space and run `cospadi runs import`; the runs themselves are intact"};
        case SQLITE_IOERR:
            return {"the run store cannot be read or written: " + reason, path.string(),
                    "check the disk and its free space, then run `cospadi runs import`; the runs "
                    "themselves are intact"};
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return {"the run store is damaged or not an SQLite file", path.string(),
                    "move it away and run `cospadi runs import`; the runs themselves are intact"};
        case SQLITE_CANTOPEN:
            return {"the run store cannot be opened", path.string(),
                    "check that the folder exists and is writable"};
        default:
            return {"the run store failed: " + reason, path.string(),
                    "move the file away and run `cospadi runs import` to rebuild it"};
    }
}

SQLite::Statement& StoreDatabase::statement(const std::string& sql) {
    auto entry = m_statements.find(sql);
    if (entry == m_statements.end()) {
        return m_statements.emplace(sql, SQLite::Statement(m_connection, sql)).first->second;
    }
    entry->second.tryReset();
    entry->second.clearBindings();
    return entry->second;
}

std::optional<std::int64_t> StoreDatabase::keyOfId(const std::string& id) {
    SQLite::Statement& exact = statement("SELECT key FROM runs WHERE id = ?");
    Binder(exact) << id;
    std::optional<std::int64_t> key;
    if (exact.executeStep()) {
        key = exact.getColumn(0).getInt64();
    }
    exact.tryReset();
    return key;
}

std::int64_t StoreDatabase::keyOf(const std::string& run) {
    if (const auto key = keyOfId(run)) {
        return *key;
    }
    if (const std::filesystem::path directory = runDirectoryNamed(run); !directory.empty()) {
        if (const auto key = keyOfId(runIdIn(directory))) {
            return *key;
        }
        throw Error("the run is not in the index", directory.string(),
                    "import it with `cospadi runs import " + directory.string() + "`");
    }
    SQLite::Statement& beginning =
        statement("SELECT key FROM runs WHERE ?1 <> '' AND substr(id, 1, length(?1)) = ?1 LIMIT 2");
    Binder(beginning) << run;
    std::vector<std::int64_t> keys;
    while (beginning.executeStep()) {
        keys.push_back(beginning.getColumn(0).getInt64());
    }
    if (keys.size() != 1) {
        throw Error(keys.empty() ? "no run has this id" : "more than one run begins with this", run,
                    "see the ids with `cospadi runs list`, or give a run's directory");
    }
    return keys.front();
}

void StoreDatabase::write(const std::function<void()>& change) {
    guarded([&] {
        m_connection.exec("BEGIN IMMEDIATE");
        try {
            change();
            m_connection.exec("COMMIT");
        } catch (...) {
            for (auto& [sql, statement] : m_statements) {
                statement.tryReset();  // an unfinished one would hold the transaction open
            }
            m_connection.tryExec("ROLLBACK");
            throw;
        }
    });
}

}  // namespace cospadi
