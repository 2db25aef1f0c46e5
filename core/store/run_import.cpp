#include "core/store/run_import.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "core/base/thread_pool.h"
#include "core/store/known_runs.h"
#include "core/store/record_rows.h"
#include "core/store/run_directory.h"
#include "core/store/selected_runs.h"
#include "core/store/store_database.h"

namespace cospadi {

namespace {

void writeRecords(const std::vector<RunRecord>& records, StoreDatabase& database,
                  std::vector<std::string>& notes) {
    for (const RunRecord& record : records) {
        writeRecord(record, database, notes);
    }
}

struct ReadRun {
    RunRecord record;
    std::string problem;  // empty: none
};

ReadRun readForImport(const std::filesystem::path& directory, const KnownRuns& known) {
    ReadRun read;
    try {
        read.record = readRunDirectory(directory);
        known.requireFree(read.record.run);
        readDetails(known.stampOf(read.record.run), read.record);
    } catch (const std::exception& error) {
        read.problem = error.what();
    }
    return read;
}

// In a transaction of its own. notes: may be null.
void writeAlone(const RunRecord& record, const KnownRuns& known, StoreDatabase& database,
                std::vector<std::string>* notes) {
    std::vector<std::string> told = record.notes;
    database.write([&] {
        takePlaces({record}, known, database, told);
        writeRecord(record, database, told);
    });
    if (notes != nullptr) {
        notes->insert(notes->end(), told.begin(), told.end());
    }
}

}  // namespace

std::vector<std::filesystem::path> runDirectories(const std::filesystem::path& runs) {
    std::error_code failure;
    std::vector<std::filesystem::path> found;
    for (std::filesystem::directory_iterator entry(runs, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        std::error_code ignored;
        if (entry->is_directory(ignored)) {
            found.push_back(entry->path());
        }
    }
    if (failure) {
        throw Error("the runs directory cannot be read: " + failure.message(), runs.string(),
                    "give an existing folder with run directories");
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string importRun(const std::filesystem::path& directory, StoreDatabase& database,
                      std::vector<std::string>* notes) {
    RunRecord record = readRunDirectory(directory);
    const KnownRuns known = KnownRuns::of(database);
    known.requireFree(record.run);
    readDetails("", record);
    writeAlone(record, known, database, notes);
    return record.run.id;
}

void refreshUnfinished(StoreDatabase& database, std::vector<std::string>* notes) {
    RunFilter filter;
    filter.includeArchived = true;
    for (const char* status : {"running", "paused"}) {
        filter.status = status;
        for (const RunRow& run : selectRuns(filter, database)) {
            if (runIdIn(run.directory) == run.id) {
                const KnownRuns known = KnownRuns::of(database);
                const ReadRun read = readForImport(run.directory, known);
                if (read.problem.empty()) {
                    writeAlone(read.record, known, database, notes);
                    continue;
                }
            }
            database.write([&] {  // gone or damaged: it is not at work at least
                SQLite::Statement& update =
                    database.statement("UPDATE runs SET status = 'interrupted' WHERE id = ?");
                Binder(update) << run.id;
                update.exec();
            });
        }
    }
}

void importRecords(const std::vector<RunRecord>& records, StoreDatabase& database) {
    std::vector<std::string> notes;
    database.write([&] { writeRecords(records, database, notes); });
}

ImportSummary importRuns(const std::vector<std::filesystem::path>& directories,
                         StoreDatabase& database, const ProgressCallback& progress) {
    constexpr std::size_t runsPerTransaction = 64;  // a commit costs more than a run's rows
    const auto begin = std::chrono::steady_clock::now();
    const KnownRuns known = KnownRuns::of(database);
    ThreadPool pool;
    ImportSummary summary;
    std::map<std::string, std::string> seen;  // directories by id
    for (std::size_t first = 0; first < directories.size(); first += runsPerTransaction) {
        const std::size_t last = std::min(directories.size(), first + runsPerTransaction);
        std::vector<ReadRun> batch(last - first);
        pool.run(static_cast<std::int64_t>(batch.size()), [&](std::int64_t i) {
            const auto index = static_cast<std::size_t>(i);
            batch[index] = readForImport(directories[first + index], known);
        });
        std::vector<RunRecord> records;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            ReadRun& read = batch[i];
            const RunRow& run = read.record.run;
            if (read.problem.empty()) {
                const auto [copy, isNew] = seen.emplace(run.id, run.directory);
                read.problem = isNew ? "" : copyProblem(run, copy->second).what();
            }
            if (read.problem.empty()) {
                const std::vector<std::string>& told = read.record.notes;
                summary.notes.insert(summary.notes.end(), told.begin(), told.end());
                records.push_back(std::move(read.record));
            } else {
                summary.warnings.push_back(read.problem);
            }
        }
        database.write([&] {
            takePlaces(records, known, database, summary.notes);
            writeRecords(records, database, summary.notes);
        });
        summary.imported += static_cast<std::int64_t>(records.size());
        if (progress) {
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
            const double done = static_cast<double>(last);
            const double rest = static_cast<double>(directories.size()) - done;
            progress({"import", static_cast<std::int64_t>(last),
                      static_cast<std::int64_t>(directories.size()), spent.count(),
                      spent.count() / done * rest});
        }
    }
    return summary;
}

}  // namespace cospadi
