#include "core/store/older_index.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>
#include <unistd.h>

#include <set>
#include <vector>

#include "core/base/error.h"
#include "core/store/annotation_rows.h"
#include "core/store/folder_lock.h"
#include "core/store/locations.h"
#include "core/store/run_file.h"
#include "core/store/store_database.h"
#include "core/store/store_schema.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

struct Row {
    std::int64_t key = 0;
    std::string id;
    fs::path directory;
};

// Folders beside `runs` that hold runs named by their ids, as none do that a user chose the name
// for.
std::set<fs::path> otherFolders(const std::vector<Row>& rows, const fs::path& runs) {
    std::set<fs::path> found;
    for (const Row& run : rows) {
        const fs::path folder = run.directory.parent_path();
        if (folder != runs && folder.parent_path() == runs.parent_path() &&
            run.directory.filename() == run.id) {
            found.insert(folder);
        }
    }
    return found;
}

// A copy with what stands in the older one's journal. False where that is damaged or no store.
bool copyIndex(const fs::path& older, const fs::path& copy) {
    try {
        SQLite::Database source = connectStore(older, false);
        if (!isRunStore(source)) {
            return false;
        }
        SQLite::Statement into(source, "VACUUM INTO ?");
        into.bind(1, copy.string());
        into.exec();
        return true;
    } catch (const SQLite::Exception& error) {
        if (error.getErrorCode() == SQLITE_CORRUPT || error.getErrorCode() == SQLITE_NOTADB) {
            return false;
        }
        throw storeError(error, older);
    }
}

void removeIndex(const fs::path& index) {
    for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
        std::error_code ignored;
        fs::remove(index.string() + ending, ignored);
    }
}

void copyTables(const fs::path& from, const fs::path& to) {
    std::error_code failed;
    if (fs::exists(from, failed) && !fs::exists(to, failed)) {
        writeFileAtomically(to, readTextFile(from));
    }
}

// Leaves the runs of this folder, and those that lie elsewhere.
void keepOwn(StoreDatabase& database, const fs::path& runs) {
    std::vector<Row> rows;
    SQLite::Statement& select = database.statement("SELECT key, id, directory FROM runs");
    while (select.executeStep()) {
        Row& row = rows.emplace_back();
        std::string directory;
        RowReader(select) >> row.key >> row.id >> directory;
        row.directory = directory;
    }
    select.tryReset();
    const std::set<fs::path> others = otherFolders(rows, runs);
    std::error_code ignored;
    for (const Row& run : rows) {
        if (others.contains(run.directory.parent_path())) {
            SQLite::Statement& erase = database.statement("DELETE FROM runs WHERE key = ?");
            Binder(erase) << run.key;
            erase.exec();
        } else if (!annotationsOf(run.key, database).empty() &&
                   !fs::exists(run.directory / kAnnotationsFile, ignored)) {
            keepAnnotations(run.key, database);
        }
    }
}

}  // namespace

void adoptOlderIndex() {
    const fs::path index = storePath();
    const fs::path older = olderStorePath();
    const fs::path runs = index.parent_path();
    std::error_code failed;
    if (fs::exists(index, failed) || !fs::exists(older, failed)) {
        return;
    }
    fs::create_directories(runs, failed);
    if (::access(runs.c_str(), W_OK) != 0) {
        return;
    }
    const FolderLock lock(runs);
    const fs::path copy = runs / ".cospadi.sqlite.older";
    removeIndex(copy);
    if (fs::exists(index, failed) || !copyIndex(older, copy)) {
        removeIndex(copy);
        return;
    }
    try {
        copyTables(older.parent_path() / "tables.json", runs / "tables.json");
        // Without WAL: nothing of the copy may stand beside it when it is renamed.
        StoreDatabase database(copy, connectStore(copy, true));
        database.guarded([&] {
            database.connection().exec("PRAGMA foreign_keys = ON");
            migrateSchema(database.connection(), copy, true);
        });
        database.write([&] { keepOwn(database, runs); });
    } catch (const Error& error) {
        removeIndex(copy);
        throw Error(error.problem(), error.where() == copy ? older.string() : error.where(),
                    error.hint());
    }
    fs::rename(copy, index, failed);
    if (failed) {
        throw Error("the index cannot be written: " + failed.message(), index.string(),
                    "check the folder and its permissions");
    }
}

}  // namespace cospadi
