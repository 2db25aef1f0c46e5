// RunStore's writing side: a run record into rows.
#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/thread_pool.h"
#include "core/store/annotation_rows.h"
#include "core/store/run_directory.h"
#include "core/store/run_store.h"
#include "core/store/store_database.h"

namespace cospadi {

namespace {

// Tags, notes, star and archive mark are not in the list: takeAnnotations() decides.
constexpr const char* upsertRun =
    "INSERT INTO runs (id, directory, created, status, message, model, model_sha256, method, "
    "solver,"
    " layers, cr, rho, accounting, iterations, power_iterations, seed, matrices, layer_bytes,"
    " dense_bytes, relative_error, seconds, specification, core_seconds, source_type, "
    "source_bytes, held_out_error) "
    "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) "
    "ON CONFLICT (id) DO UPDATE SET directory = excluded.directory, created = excluded.created,"
    " status = excluded.status, message = excluded.message, model = excluded.model,"
    " model_sha256 = excluded.model_sha256, method = excluded.method, solver = excluded.solver,"
    " layers = excluded.layers, cr = excluded.cr, rho = excluded.rho,"
    " accounting = excluded.accounting, iterations = excluded.iterations,"
    " power_iterations = excluded.power_iterations, seed = excluded.seed,"
    " matrices = excluded.matrices, layer_bytes = excluded.layer_bytes,"
    " dense_bytes = excluded.dense_bytes, relative_error = excluded.relative_error,"
    " seconds = excluded.seconds, specification = excluded.specification,"
    " core_seconds = excluded.core_seconds, source_type = excluded.source_type,"
    " source_bytes = excluded.source_bytes, held_out_error = excluded.held_out_error "
    "RETURNING key";

std::int64_t writeRun(const RunRow& run, StoreDatabase& database) {
    SQLite::Statement& upsert = database.statement(upsertRun);
    Binder(upsert) << run.id << run.directory << run.created << run.status << run.message
                   << run.model << run.modelSha256 << run.method << run.solver << run.layers
                   << run.cr << run.rho << run.accounting << run.iterations << run.powerIterations
                   << run.seed << run.matrices << run.layerBytes << run.denseBytes
                   << run.relativeError << run.seconds << run.specification << run.coreSeconds
                   << run.sourceType << run.sourceBytes << run.heldOutError;
    upsert.executeStep();
    const std::int64_t key = upsert.getColumn(0).getInt64();
    upsert.executeStep();  // to its end
    return key;
}

void writeMatrices(std::int64_t key, const std::vector<MatrixRow>& rows, StoreDatabase& database) {
    std::int64_t position = 0;
    for (const MatrixRow& row : rows) {
        SQLite::Statement& insert = database.statement(
            "INSERT INTO matrices (run, position, name, kind, block, d1, d2, k, s, rank, bytes,"
            " dense_bytes, relative_error, gram_shift, replaced_atoms, iterations, seconds,"
            " core_seconds, source_type, source_bytes, held_out_error, coding_seconds,"
            " dictionary_seconds, active_atoms, multiplications, form, facts)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
        Binder(insert) << key << position++ << row.name << row.kind << row.block << row.d1 << row.d2
                       << row.k << row.s << row.rank << row.bytes << row.denseBytes
                       << row.relativeError << row.gramShift << row.replacedAtoms << row.iterations
                       << row.seconds << row.coreSeconds << row.sourceType << row.sourceBytes
                       << row.heldOutError << row.codingSeconds << row.dictionarySeconds
                       << row.activeAtoms << row.multiplications << row.form << row.facts;
        insert.exec();
    }
}

void writeEvaluations(std::int64_t key, const std::vector<EvaluationRow>& rows,
                      StoreDatabase& database) {
    for (const EvaluationRow& row : rows) {
        SQLite::Statement& insert =
            database.statement("INSERT INTO evaluations VALUES (?,?,?,?,?,?,?,?,?,?,?,?)");
        Binder(insert) << key << row.file << row.kind << row.text << row.textSha256 << row.context
                       << row.maxTokens << row.score << row.perplexity << row.tokens << row.seconds
                       << row.created;
        insert.exec();
    }
}

void clearTable(const char* table, std::int64_t key, StoreDatabase& database) {
    SQLite::Statement& erase =
        database.statement("DELETE FROM " + std::string(table) + " WHERE run = ?");
    Binder(erase) << key;
    erase.exec();
}

void writeArtefacts(std::int64_t key, const std::vector<ArtefactRow>& rows,
                    StoreDatabase& database) {
    for (const ArtefactRow& row : rows) {
        SQLite::Statement& insert = database.statement("INSERT INTO artefacts VALUES (?,?,?,?)");
        Binder(insert) << key << row.path << row.kind << row.bytes;
        insert.exec();
    }
}

void writeTaskResults(std::int64_t key, const std::vector<TaskResultRow>& rows,
                      StoreDatabase& database) {
    for (const TaskResultRow& row : rows) {
        // A file that names a metric twice counts once.
        SQLite::Statement& insert = database.statement(
            "INSERT OR REPLACE INTO task_results VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
        Binder(insert) << key << row.file << row.task << row.metric << row.filter << row.value
                       << row.standardError << row.samples << row.shots << row.version
                       << row.dataSha256 << std::int64_t{row.higherIsBetter ? 1 : 0} << row.created;
        insert.exec();
    }
}

std::string phasesText(const std::vector<PhaseLength>& phases) {
    nlohmann::json list = nlohmann::json::array();
    for (const PhaseLength& phase : phases) {
        list.push_back({phase.name, phase.iterations});
    }
    return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void writeIterations(std::int64_t key, const RunRecord& record, StoreDatabase& database) {
    clearTable("iterations", key, database);
    std::int64_t position = 0;
    for (const MatrixIterations& matrix : record.iterations) {
        SQLite::Statement& insert =
            database.statement("INSERT INTO iterations VALUES (?,?,?,?,?,?,?)");
        Binder(insert) << key << position++ << matrix.matrix
                       << static_cast<std::int64_t>(matrix.size())
                       << (matrix.size() == 0 ? unknownNumber : double{matrix.relativeError.back()})
                       << phasesText(matrix.phases) << Blob{packColumns(matrix)};
        insert.exec();
    }
    SQLite::Statement& mark = database.statement("UPDATE runs SET events_stamp = ? WHERE key = ?");
    Binder(mark) << *record.eventsStamp << key;
    mark.exec();
}

void writeRecord(const RunRecord& record, StoreDatabase& database,
                 std::vector<std::string>& notes) {
    const std::int64_t key = writeRun(record.run, database);
    for (const char* table :
         {"matrices", "evaluations", "task_results", "environment", "artefacts"}) {
        clearTable(table, key, database);
    }
    if (record.eventsStamp) {
        writeIterations(key, record, database);
    }
    writeArtefacts(key, record.artefacts, database);
    writeMatrices(key, record.matrices, database);
    writeEvaluations(key, record.run.evaluations, database);
    writeTaskResults(key, record.run.taskResults, database);
    for (const auto& [name, value] : record.environment) {
        SQLite::Statement& insert = database.statement("INSERT INTO environment VALUES (?, ?, ?)");
        Binder(insert) << key << name << value;
        insert.exec();
    }
    takeAnnotations(key, database, notes);
}

void writeRecords(const std::vector<RunRecord>& records, StoreDatabase& database,
                  std::vector<std::string>& notes) {
    for (const RunRecord& record : records) {
        writeRecord(record, database, notes);
    }
}

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
        throw Error("the folder of runs cannot be read: " + failure.message(), runs.string(),
                    "give an existing folder that holds run directories");
    }
    std::sort(found.begin(), found.end());
    return found;
}

// What the store knows before runs are taken in.
struct KnownRuns {
    struct Place {
        std::string directory;
        std::string stamp;  // what its stored iterations were read from
    };
    std::map<std::string, Place> byId;
    std::map<std::string, std::string> idIn;  // by directory

    // A run that was moved is read again.
    std::string stampOf(const RunRow& run) const {
        const auto known = byId.find(run.id);
        return known != byId.end() && known->second.directory == run.directory ? known->second.stamp
                                                                               : "";
    }

    // Throws Error where the directory that the store has for the run still holds it.
    void requireFree(const RunRow& run) const {
        const auto known = byId.find(run.id);
        if (known == byId.end() || known->second.directory.empty() ||
            known->second.directory == run.directory) {
            return;
        }
        const std::string& earlier = known->second.directory;
        std::error_code failed;
        if (!std::filesystem::equivalent(earlier, run.directory, failed) &&
            runIdIn(earlier) == run.id) {
            throw copyProblem(run, earlier);
        }
    }

    static Error copyProblem(const RunRow& run, const std::string& other) {
        return {"its id " + run.id + " stands in another directory too, " + other, run.directory,
                "delete one of the copies"};
    }
};

KnownRuns knownRuns(StoreDatabase& database) {
    return database.guarded([&] {
        KnownRuns known;
        SQLite::Statement& select =
            database.statement("SELECT id, directory, events_stamp FROM runs");
        while (select.executeStep()) {
            KnownRuns::Place place;
            std::string id;
            RowReader(select) >> id >> place.directory >> place.stamp;
            known.idIn[place.directory] = id;
            known.byId[id] = std::move(place);
        }
        select.tryReset();
        return known;
    });
}

// A run that stood where one of the records does has its rows left, and nothing else.
void takePlaces(const std::vector<RunRecord>& records, const KnownRuns& known,
                StoreDatabase& database, std::vector<std::string>& notes) {
    for (const RunRecord& record : records) {
        const auto earlier = known.idIn.find(record.run.directory);
        if (earlier == known.idIn.end() || earlier->second == record.run.id) {
            continue;
        }
        SQLite::Statement& update =
            database.statement("UPDATE runs SET directory = '' WHERE id = ? AND directory = ?");
        Binder(update) << earlier->second << record.run.directory;
        update.exec();
        notes.push_back("the files of run " + earlier->second + " are gone: " + record.run.id +
                        " stands in " + record.run.directory +
                        " now; what the index knows of the first stays");
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

}  // namespace

std::string RunStore::importRun(const std::filesystem::path& directory,
                                std::vector<std::string>* notes) {
    RunRecord record = readRunDirectory(directory);
    const KnownRuns known = knownRuns(*m_database);
    known.requireFree(record.run);
    readDetails("", record);
    std::vector<std::string> told = record.notes;
    m_database->write([&] {
        takePlaces({record}, known, *m_database, told);
        writeRecord(record, *m_database, told);
    });
    if (notes != nullptr) {
        notes->insert(notes->end(), told.begin(), told.end());
    }
    return record.run.id;
}

void RunStore::refreshUnfinished(std::vector<std::string>* notes) {
    RunFilter filter;
    filter.includeArchived = true;
    for (const char* status : {"running", "paused"}) {
        filter.status = status;
        for (const RunRow& run : list(filter)) {
            try {
                if (runIdIn(run.directory) == run.id) {
                    importRun(run.directory, notes);
                    continue;
                }
            } catch (const std::exception&) {  // a damaged directory: it is not at work at least
            }
            m_database->write([&] {
                SQLite::Statement& update =
                    m_database->statement("UPDATE runs SET status = 'interrupted' WHERE id = ?");
                Binder(update) << run.id;
                update.exec();
            });
        }
    }
}

void RunStore::importRecords(const std::vector<RunRecord>& records) {
    std::vector<std::string> notes;
    m_database->write([&] { writeRecords(records, *m_database, notes); });
}

ImportSummary RunStore::importTree(const std::filesystem::path& runs,
                                   const ProgressCallback& progress) {
    return importRuns(runDirectories(runs), progress);
}

ImportSummary RunStore::importRuns(const std::vector<std::filesystem::path>& directories,
                                   const ProgressCallback& progress) {
    constexpr std::size_t runsPerTransaction = 64;  // a commit costs more than a run's rows
    const auto begin = std::chrono::steady_clock::now();
    const KnownRuns known = knownRuns(*m_database);
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
                read.problem = isNew ? "" : KnownRuns::copyProblem(run, copy->second).what();
            }
            if (read.problem.empty()) {
                const std::vector<std::string>& told = read.record.notes;
                summary.notes.insert(summary.notes.end(), told.begin(), told.end());
                records.push_back(std::move(read.record));
            } else {
                summary.warnings.push_back(read.problem);
            }
        }
        m_database->write([&] {
            takePlaces(records, known, *m_database, summary.notes);
            writeRecords(records, *m_database, summary.notes);
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
