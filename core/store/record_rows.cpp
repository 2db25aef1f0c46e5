#include "core/store/record_rows.h"

#include <nlohmann/json.hpp>

#include "core/store/annotation_rows.h"
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

}  // namespace

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

}  // namespace cospadi
