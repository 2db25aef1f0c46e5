#include "core/store/run_store.h"

#include <sqlite3.h>
#include <unistd.h>

#include "core/base/timestamp.h"
#include "core/store/annotation_rows.h"
#include "core/store/each_row.h"
#include "core/store/journal_mode.h"
#include "core/store/locations.h"
#include "core/store/older_index.h"
#include "core/store/run_directory.h"
#include "core/store/run_grouping.h"
#include "core/store/run_import.h"
#include "core/store/run_lock.h"
#include "core/store/run_parts.h"
#include "core/store/selected_runs.h"
#include "core/store/store_database.h"
#include "core/store/store_schema.h"

namespace cospadi {

RunStore RunStore::open(const std::filesystem::path& path, Access access) {
    const bool mayWrite = access == Access::ReadWrite;
    std::error_code failure;
    if (path == storePath()) {
        adoptOlderIndex();
    }
    if (mayWrite && path.has_parent_path()) {
        std::filesystem::create_directories(path.parent_path(), failure);
    } else if (!mayWrite && !std::filesystem::exists(path, failure)) {
        throw Error("there is no run store yet", path.string(),
                    "run `cospadi compress` or `cospadi runs import DIR` first");
    }
    try {
        auto database = std::make_unique<StoreDatabase>(path, connectStore(path, mayWrite));
        SQLite::Database& connection = database->connection();
        connection.exec("PRAGMA foreign_keys = ON");
        migrateSchema(connection, path, mayWrite);
        if (mayWrite) {
            if (sqlite3_db_readonly(connection.getHandle(), "main") == 1) {
                throw SQLite::Exception("read-only", SQLITE_READONLY);
            }
            const std::string mode = journalModeFor(path.parent_path());
            connection.tryExec("PRAGMA journal_mode = " + mode);
            // NORMAL may lose the last transactions with a rollback journal, not with WAL.
            connection.exec(mode == "WAL" ? "PRAGMA synchronous = NORMAL"
                                          : "PRAGMA synchronous = FULL");
        }
        return RunStore(std::move(database));
    } catch (const SQLite::Exception& error) {
        throw storeError(error, path);
    }
}

RunStore RunStore::openForReading(const std::filesystem::path& path,
                                  std::vector<std::string>* notes) {
    // A WAL database is read through files beside it: its folder counts as well as itself.
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const bool isSealed =
        ::access(path.c_str(), F_OK) == 0 &&
        (::access(path.c_str(), W_OK) != 0 || ::access(folder.c_str(), W_OK) != 0);
    const bool isMissing = ::access(path.c_str(), F_OK) != 0;
    if (isMissing && path == storePath() && ::access(folder.c_str(), W_OK) != 0 &&
        ::access(olderStorePath().c_str(), R_OK) == 0) {
        return open(olderStorePath(), Access::ReadOnly);  // it cannot be taken over here
    }
    RunStore store = open(path, isSealed ? Access::ReadOnly : Access::ReadWrite);
    if (!isSealed) {
        store.refreshUnfinished(notes);
    }
    return store;
}

RunStore::RunStore(std::unique_ptr<StoreDatabase> database) : m_database(std::move(database)) {}
RunStore::RunStore(RunStore&&) noexcept = default;
RunStore& RunStore::operator=(RunStore&&) noexcept = default;
RunStore::~RunStore() = default;

const std::filesystem::path& RunStore::path() const { return m_database->path(); }

std::string RunStore::importRun(const std::filesystem::path& directory,
                                std::vector<std::string>* notes) {
    return cospadi::importRun(directory, *m_database, notes);
}

void RunStore::refreshUnfinished(std::vector<std::string>* notes) {
    cospadi::refreshUnfinished(*m_database, notes);
}

void RunStore::importRecords(const std::vector<RunRecord>& records) {
    cospadi::importRecords(records, *m_database);
}

ImportSummary RunStore::importTree(const std::filesystem::path& runs,
                                   const ProgressCallback& progress) {
    return importRuns(runDirectories(runs), progress);
}

ImportSummary RunStore::importRuns(const std::vector<std::filesystem::path>& directories,
                                   const ProgressCallback& progress) {
    return cospadi::importRuns(directories, *m_database, progress);
}

std::vector<RunRow> RunStore::list(const RunFilter& filter) const {
    return selectRuns(filter, *m_database);
}

std::vector<RunGroup> RunStore::group(const std::vector<std::string>& fields,
                                      const RunFilter& filter) const {
    return groupRuns(fields, filter, *m_database);
}

RunRow RunStore::find(const std::string& run) const { return findRun(run, *m_database); }

std::filesystem::path RunStore::directoryOf(const std::string& run) const {
    const RunRow row = find(run);
    const std::string holds = row.directory.empty() ? "" : runIdIn(row.directory);
    if (holds.empty()) {
        throw Error("the run's directory no longer exists",
                    row.directory.empty() ? row.id : row.id + ", " + row.directory,
                    "if it was moved, import it again with `cospadi runs import DIR`; otherwise "
                    "remove it from the index with `cospadi runs delete " +
                        row.id + "`");
    }
    if (holds != row.id) {
        throw Error("its directory now contains another run, " + holds,
                    row.id + ", " + row.directory,
                    "import the other run with `cospadi runs import " + row.directory +
                        "`; its own files no longer exist");
    }
    return row.directory;
}

std::vector<MatrixRow> RunStore::matrices(const std::string& run) const {
    return matricesOf(run, *m_database);
}

std::vector<EvaluationRow> RunStore::evaluations(const std::string& run) const {
    return evaluationsOf(run, *m_database);
}

std::map<std::string, std::string> RunStore::environment(const std::string& run) const {
    return environmentOf(run, *m_database);
}

std::vector<ArtefactRow> RunStore::artefacts(const std::string& run) const {
    return artefactsOf(run, *m_database);
}

IterationSeries RunStore::iterations(const std::string& run) const {
    return iterationsOf(run, *m_database);
}

std::vector<NoteRow> RunStore::notes(const std::string& run) const {
    return notesOf(run, *m_database);
}

std::vector<std::string> RunStore::tags() const {
    return m_database->guarded([&] {
        std::vector<std::string> names;
        eachRow(*m_database, "SELECT DISTINCT tag FROM tags ORDER BY tag", {},
                [&](RowReader& reader) { reader >> names.emplace_back(); });
        return names;
    });
}

// The change and the run's file together: a file that cannot be written undoes the rows. What
// others have written to the file since is taken in first, so that it is not lost.
void RunStore::annotate(const std::string& run,
                        const std::function<void(std::int64_t key)>& change) {
    m_database->write([&] {
        const std::int64_t key = m_database->keyOf(run);
        refreshAnnotations(key, *m_database);
        change(key);
        keepAnnotations(key, *m_database);
    });
}

void RunStore::tag(const std::string& run, const std::string& tag) {
    if (tag.empty()) {
        throw Error("a tag needs at least one character", "tag", "for example: demo");
    }
    annotate(run, [&](std::int64_t key) {
        auto& insert = m_database->statement("INSERT OR IGNORE INTO tags (run, tag) VALUES (?, ?)");
        Binder(insert) << key << tag;
        insert.exec();
    });
}

void RunStore::untag(const std::string& run, const std::string& tag) {
    annotate(run, [&](std::int64_t key) {
        auto& erase = m_database->statement("DELETE FROM tags WHERE run = ? AND tag = ?");
        Binder(erase) << key << tag;
        erase.exec();
    });
}

void RunStore::note(const std::string& run, const std::string& text) {
    if (text.empty()) {
        throw Error("a note needs at least one character", "note", "write the text of the note");
    }
    annotate(run, [&](std::int64_t key) {
        auto& insert = m_database->statement(
            "INSERT INTO notes (run, position, created, text) VALUES "
            "(?1, (SELECT coalesce(max(position), 0) + 1 FROM notes WHERE run = ?1), ?2, ?3)");
        Binder(insert) << key << utcTimestamp() << text;
        insert.exec();
    });
}

void RunStore::star(const std::string& run, bool starred) {
    annotate(run, [&](std::int64_t key) {
        auto& update = m_database->statement("UPDATE runs SET starred = ? WHERE key = ?");
        Binder(update) << std::int64_t{starred} << key;
        update.exec();
    });
}

void RunStore::archive(const std::string& run, bool archived) {
    annotate(run, [&](std::int64_t key) {
        auto& update = m_database->statement("UPDATE runs SET archived = ? WHERE key = ?");
        Binder(update) << std::int64_t{archived} << key;
        update.exec();
    });
}

RunAnnotations RunStore::annotations(const std::string& run) const {
    return m_database->guarded([&] { return annotationsOf(m_database->keyOf(run), *m_database); });
}

void RunStore::remove(const std::string& run) {
    const RunRow row = find(run);
    if (!row.directory.empty() && isBeingWritten(row.directory) &&
        runIdIn(row.directory) == row.id) {
        throw Error("the run " + row.id + " is being written", row.directory,
                    "wait until it has finished, or cancel it");
    }
    m_database->write([&] {
        auto& erase = m_database->statement("DELETE FROM runs WHERE id = ?");
        Binder(erase) << row.id;
        erase.exec();
    });
}

}  // namespace cospadi
