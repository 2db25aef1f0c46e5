#include "core/store/run_store.h"

#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "core/store/store_database.h"
#include "core/store/store_schema.h"

namespace cospadi {

namespace {

constexpr int busyMilliseconds = 10'000;

std::string nowUtc() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return {text, length};
}

SQLite::Database connect(const std::filesystem::path& path, RunStore::Access access) {
    if (access == RunStore::Access::ReadWrite) {
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

}  // namespace

RunStore RunStore::open(const std::filesystem::path& path, Access access) {
    const bool mayWrite = access == Access::ReadWrite;
    std::error_code failure;
    if (mayWrite && path.has_parent_path()) {
        std::filesystem::create_directories(path.parent_path(), failure);
    } else if (!mayWrite && !std::filesystem::exists(path, failure)) {
        throw Error("there is no run store yet", path.string(),
                    "run `cospadi compress` or `cospadi runs import DIR` first");
    }
    try {
        auto database = std::make_unique<StoreDatabase>(path, connect(path, access));
        SQLite::Database& connection = database->connection();
        connection.exec("PRAGMA foreign_keys = ON");
        migrateSchema(connection, path, mayWrite);
        if (mayWrite) {
            if (sqlite3_db_readonly(connection.getHandle(), "main") == 1) {
                throw SQLite::Exception("read-only", SQLITE_READONLY);
            }
            // Some network file systems refuse WAL; the rollback journal does there.
            connection.tryExec("PRAGMA journal_mode = WAL");
            connection.exec("PRAGMA synchronous = NORMAL");
        }
        return RunStore(std::move(database));
    } catch (const SQLite::Exception& error) {
        throw storeError(error, path);
    }
}

RunStore RunStore::openForReading(const std::filesystem::path& path) {
    // A WAL database is read through files beside it: its folder counts as well as itself.
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const bool isSealed =
        ::access(path.c_str(), F_OK) == 0 &&
        (::access(path.c_str(), W_OK) != 0 || ::access(folder.c_str(), W_OK) != 0);
    RunStore store = open(path, isSealed ? Access::ReadOnly : Access::ReadWrite);
    if (!isSealed) {
        store.refreshUnfinished();
    }
    return store;
}

RunStore::RunStore(std::unique_ptr<StoreDatabase> database) : m_database(std::move(database)) {}
RunStore::RunStore(RunStore&&) noexcept = default;
RunStore& RunStore::operator=(RunStore&&) noexcept = default;
RunStore::~RunStore() = default;

const std::filesystem::path& RunStore::path() const { return m_database->path(); }

void RunStore::tag(const std::string& run, const std::string& tag) {
    if (tag.empty()) {
        throw Error("a tag needs at least one character", "tag", "for example: demo");
    }
    m_database->write([&] {
        auto& insert = m_database->statement("INSERT OR IGNORE INTO tags (run, tag) VALUES (?, ?)");
        Binder(insert) << m_database->keyOf(run) << tag;
        insert.exec();
    });
}

void RunStore::untag(const std::string& run, const std::string& tag) {
    m_database->write([&] {
        auto& erase = m_database->statement("DELETE FROM tags WHERE run = ? AND tag = ?");
        Binder(erase) << m_database->keyOf(run) << tag;
        erase.exec();
    });
}

void RunStore::note(const std::string& run, const std::string& text) {
    m_database->write([&] {
        const std::int64_t key = m_database->keyOf(run);
        auto& insert = m_database->statement(
            "INSERT INTO notes (run, position, created, text) VALUES "
            "(?1, (SELECT coalesce(max(position), 0) + 1 FROM notes WHERE run = ?1), ?2, ?3)");
        Binder(insert) << key << nowUtc() << text;
        insert.exec();
    });
}

void RunStore::star(const std::string& run, bool starred) {
    m_database->write([&] {
        auto& update = m_database->statement("UPDATE runs SET starred = ? WHERE key = ?");
        Binder(update) << std::int64_t{starred} << m_database->keyOf(run);
        update.exec();
    });
}

void RunStore::archive(const std::string& run, bool archived) {
    m_database->write([&] {
        auto& update = m_database->statement("UPDATE runs SET archived = ? WHERE key = ?");
        Binder(update) << std::int64_t{archived} << m_database->keyOf(run);
        update.exec();
    });
}

void RunStore::remove(const std::string& run) {
    m_database->write([&] {
        auto& erase = m_database->statement("DELETE FROM runs WHERE key = ?");
        Binder(erase) << m_database->keyOf(run);
        erase.exec();
    });
}

}  // namespace cospadi
