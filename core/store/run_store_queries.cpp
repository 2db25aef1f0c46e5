// RunStore's reading side.
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/methods/rho_candidates.h"
#include "core/store/run_directory.h"
#include "core/store/run_store.h"
#include "core/store/store_database.h"
#include "core/store/task_groups.h"

namespace cospadi {

namespace {

constexpr const char* runColumns =
    "SELECT runs.key, id, directory, created, status, message, model, model_sha256, method, solver,"
    " layers, cr, rho, accounting, iterations, power_iterations, seed, matrices, layer_bytes,"
    " dense_bytes, relative_error, seconds, core_seconds, source_type, source_bytes, "
    "held_out_error, specification,"
    " starred, archived, ";

// By the rule of totalMultiplications(): what is left out of the model takes none.
constexpr const char* kSumOfMultiplications =
    "(SELECT CASE WHEN min(multiplications > 0 OR (bytes = 0 AND dense_bytes > 0))"
    " THEN nullif(total(multiplications), 0) END FROM matrices WHERE run = runs.key)";

constexpr const char* evaluationColumns =
    "SELECT run, file, kind, text, text_sha256, context, max_tokens, score, perplexity, tokens,"
    " seconds, created FROM evaluations";

constexpr const char* taskResultColumns =
    "SELECT run, file, task, metric, filter, value, stderr, samples, shots, version, data_sha256,"
    " higher_is_better, created FROM task_results";

constexpr const char* groupFields[] = {"method",     "solver", "layers", "model",      "status",
                                       "accounting", "cr",     "rho",    "iterations", "seed"};

static_assert(RunRow::kEachItsOwnRho == 0);
const std::string kRhoInWords = std::string("CASE rho WHEN 0 THEN '") + kAutoRho + "' ELSE rho END";

struct Condition {
    std::string where = " WHERE 1";
    std::vector<std::string> values;

    void add(const char* sql, const std::string& value) {
        if (!value.empty()) {
            where += sql;
            values.push_back(value);
        }
    }
};

Condition conditionOf(const RunFilter& filter) {
    Condition condition;
    condition.add(" AND runs.model = ?", filter.model);
    condition.add(" AND runs.method = ?", filter.method);
    condition.add(" AND runs.solver = ?", filter.solver);
    condition.add(" AND runs.status = ?", filter.status);
    condition.add(" AND runs.key IN (SELECT run FROM tags WHERE tag = ?)", filter.tag);
    if (filter.ids) {
        condition.add(" AND runs.id IN (SELECT value FROM json_each(?))",
                      nlohmann::json(*filter.ids).dump());
    }
    if (filter.starredOnly) {
        condition.where += " AND runs.starred";
    }
    if (!filter.includeArchived) {
        condition.where += " AND NOT runs.archived";
    }
    if (!filter.text.empty()) {
        // instr() and not LIKE: what the user types has no wildcards.
        condition.where +=
            " AND (instr(lower(runs.id || char(10) || runs.model || char(10) || runs.method ||"
            " char(10) || runs.solver || char(10) || runs.layers), lower(?))"
            " OR runs.key IN (SELECT run FROM tags WHERE instr(lower(tag), lower(?)))"
            " OR runs.key IN (SELECT run FROM notes WHERE instr(lower(text), lower(?))))";
        condition.values.insert(condition.values.end(), 3, filter.text);
    }
    return condition;
}

EvaluationRow readEvaluation(RowReader& reader) {
    EvaluationRow row;
    reader >> row.file >> row.kind >> row.text >> row.textSha256 >> row.context >> row.maxTokens >>
        row.score >> row.perplexity >> row.tokens >> row.seconds >> row.created;
    return row;
}

bool sameMeasure(const EvaluationRow& a, const EvaluationRow& b) {
    const bool bothHashed = !a.textSha256.empty() && !b.textSha256.empty();
    const bool sameText = bothHashed ? a.textSha256 == b.textSha256 : a.text == b.text;
    return sameText && a.kind == b.kind && a.context == b.context && a.maxTokens == b.maxTokens &&
           a.score == b.score;
}

// Rows come oldest first: a later one takes the place of an earlier one of the same measure.
void keepLatest(std::vector<EvaluationRow>& kept, EvaluationRow row) {
    for (EvaluationRow& earlier : kept) {
        if (sameMeasure(earlier, row)) {
            earlier = std::move(row);
            return;
        }
    }
    kept.push_back(std::move(row));
}

TaskResultRow readTaskResult(RowReader& reader) {
    TaskResultRow row;
    reader >> row.file >> row.task >> row.metric >> row.filter >> row.value >> row.standardError >>
        row.samples >> row.shots >> row.version >> row.dataSha256 >> row.higherIsBetter >>
        row.created;
    return row;
}

void keepLatest(std::vector<TaskResultRow>& kept, TaskResultRow row) {
    for (TaskResultRow& earlier : kept) {
        if (earlier.measuresSameAs(row)) {
            earlier = std::move(row);
            return;
        }
    }
    kept.push_back(std::move(row));
}

template <class Take>
void eachRow(StoreDatabase& database, const std::string& sql,
             const std::vector<std::string>& values, Take&& take) {
    SQLite::Statement& statement = database.statement(sql);
    Binder binder(statement);
    for (const std::string& value : values) {
        binder << value;
    }
    while (statement.executeStep()) {
        RowReader reader(statement);
        take(reader);
    }
    statement.tryReset();
}

RunRow readRun(RowReader& reader) {
    RunRow row;
    reader >> row.id >> row.directory >> row.created >> row.status >> row.message >> row.model >>
        row.modelSha256 >> row.method >> row.solver >> row.layers >> row.cr >> row.rho >>
        row.accounting >> row.iterations >> row.powerIterations >> row.seed >> row.matrices >>
        row.layerBytes >> row.denseBytes >> row.relativeError >> row.seconds >> row.coreSeconds >>
        row.sourceType >> row.sourceBytes >> row.heldOutError >> row.specification >> row.starred >>
        row.archived >> row.multiplications;
    return row;
}

// Rows of a table that belong to the selected runs: all of the table read once where many runs are
// selected, one look-up a run where few are.
template <class Take>
void eachAnnotation(StoreDatabase& database, const std::string& select, const std::string& order,
                    const std::unordered_map<std::int64_t, RunRow*>& selected, Take&& take) {
    const auto ofSelected = [&](RowReader& reader) {
        std::int64_t key = 0;
        reader >> key;
        const auto row = selected.find(key);
        if (row != selected.end()) {
            take(*row->second, reader);
        }
    };
    if (selected.size() > 64) {
        eachRow(database, select + order, {}, ofSelected);
        return;
    }
    for (const auto& [key, row] : selected) {
        eachRow(database, select + " WHERE run = ?" + order, {std::to_string(key)}, ofSelected);
    }
}

std::vector<RunRow> selectRuns(StoreDatabase& database, const Condition& condition, int limit,
                               bool multiplications) {
    std::vector<RunRow> rows;
    std::vector<std::int64_t> keys;
    eachRow(database,
            runColumns + std::string(multiplications ? kSumOfMultiplications : "NULL") +
                " FROM runs" + condition.where + " ORDER BY created DESC, key DESC" +
                (limit > 0 ? " LIMIT " + std::to_string(limit) : std::string()),
            condition.values, [&](RowReader& reader) {
                reader >> keys.emplace_back();
                rows.push_back(readRun(reader));
            });
    std::unordered_map<std::int64_t, RunRow*> selected;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        selected.emplace(keys[i], &rows[i]);
    }
    eachAnnotation(database, "SELECT run, tag FROM tags", " ORDER BY run, tag", selected,
                   [](RunRow& row, RowReader& reader) { reader >> row.tags.emplace_back(); });
    eachAnnotation(database, "SELECT run, text FROM notes", " ORDER BY run, position", selected,
                   [](RunRow& row, RowReader& reader) {
                       std::string text;
                       reader >> text;
                       row.note = text.empty() ? row.note : text;
                   });
    eachAnnotation(database, evaluationColumns, " ORDER BY run, created, file", selected,
                   [](RunRow& row, RowReader& reader) {
                       keepLatest(row.evaluations, readEvaluation(reader));
                   });
    eachAnnotation(database, taskResultColumns, " ORDER BY run, created, file, task, metric",
                   selected, [](RunRow& row, RowReader& reader) {
                       keepLatest(row.taskResults, readTaskResult(reader));
                   });
    for (RunRow& row : rows) {
        addTaskGroups(row.taskResults);
    }
    return rows;
}

MatrixIterations readMatrix(RowReader& reader) {
    MatrixIterations matrix;
    std::int64_t count = 0;
    std::string phases;
    Blob series;
    reader >> matrix.matrix >> count >> phases >> series;
    try {
        for (const auto& phase : nlohmann::json::parse(phases)) {
            matrix.phases.push_back(
                {phase.at(0).get<std::string>(), phase.at(1).get<std::size_t>()});
        }
    } catch (const nlohmann::json::exception&) {
        throw Error("the phases of stored iterations are unreadable", matrix.matrix,
                    "run `cospadi runs import` to read them from the run directory again");
    }
    unpackColumns(series.bytes, static_cast<std::size_t>(std::max<std::int64_t>(0, count)), matrix);
    return matrix;
}

}  // namespace

std::vector<RunRow> RunStore::list(const RunFilter& filter) const {
    return m_database->guarded([&] {
        return selectRuns(*m_database, conditionOf(filter), filter.limit, filter.multiplications);
    });
}

std::vector<RunGroup> RunStore::group(const std::vector<std::string>& fields,
                                      const RunFilter& filter) const {
    std::string columns;
    std::string values;
    for (const std::string& field : fields) {
        if (std::find(std::begin(groupFields), std::end(groupFields), field) ==
            std::end(groupFields)) {
            throw Error("runs cannot be grouped by this", field,
                        "there are: method, solver, layers, model, status, accounting, cr, rho, "
                        "iterations, seed");
        }
        columns += (columns.empty() ? "" : ", ") + field;
        values += ", " + (field == "rho" ? kRhoInWords : field);
    }
    return m_database->guarded([&] {
        const Condition condition = conditionOf(filter);
        std::vector<RunGroup> groups;
        const std::string by =
            columns.empty() ? "" : " GROUP BY " + columns + " ORDER BY " + columns;
        eachRow(*m_database,
                "SELECT count(*), avg(relative_error), min(relative_error), "
                "coalesce(sum(layer_bytes), 0), coalesce(sum(seconds), 0.0)" +
                    values + " FROM runs" + condition.where + by,
                condition.values, [&](RowReader& reader) {
                    RunGroup& row = groups.emplace_back();
                    reader >> row.runs >> row.meanError >> row.bestError >> row.bytes >>
                        row.seconds;
                    row.values.resize(fields.size());
                    for (std::string& value : row.values) {
                        reader >> value;
                    }
                });
        return groups;
    });
}

RunRow RunStore::find(const std::string& run) const {
    return m_database->guarded([&] {
        Condition condition;
        condition.add(" AND runs.key = ?", std::to_string(m_database->keyOf(run)));
        return selectRuns(*m_database, condition, 1, true).at(0);
    });
}

std::filesystem::path RunStore::directoryOf(const std::string& run) const {
    const RunRow row = find(run);
    const std::string holds = row.directory.empty() ? "" : runIdIn(row.directory);
    if (holds.empty()) {
        throw Error("the run's directory is gone",
                    row.directory.empty() ? row.id : row.id + ", " + row.directory,
                    "if it was moved, take it in again with `cospadi runs import DIR`; else remove "
                    "it from the index with `cospadi runs delete " +
                        row.id + "`");
    }
    if (holds != row.id) {
        throw Error("another run, " + holds + ", stands in the directory of this one by now",
                    row.id + ", " + row.directory,
                    "take the other one in with `cospadi runs import " + row.directory +
                        "`; its own files are gone");
    }
    return row.directory;
}

std::vector<MatrixRow> RunStore::matrices(const std::string& run) const {
    return m_database->guarded([&] {
        std::vector<MatrixRow> rows;
        eachRow(*m_database,
                "SELECT name, kind, block, d1, d2, k, s, rank, bytes, dense_bytes, relative_error,"
                " gram_shift, replaced_atoms, iterations, seconds, core_seconds, source_type,"
                " source_bytes, held_out_error, coding_seconds, dictionary_seconds, active_atoms,"
                " multiplications, form, facts FROM matrices WHERE run = ? ORDER BY position",
                {std::to_string(m_database->keyOf(run))}, [&](RowReader& reader) {
                    MatrixRow& row = rows.emplace_back();
                    reader >> row.name >> row.kind >> row.block >> row.d1 >> row.d2 >> row.k >>
                        row.s >> row.rank >> row.bytes >> row.denseBytes >> row.relativeError >>
                        row.gramShift >> row.replacedAtoms >> row.iterations >> row.seconds >>
                        row.coreSeconds >> row.sourceType >> row.sourceBytes >> row.heldOutError >>
                        row.codingSeconds >> row.dictionarySeconds >> row.activeAtoms >>
                        row.multiplications >> row.form >> row.facts;
                });
        return rows;
    });
}

std::vector<EvaluationRow> RunStore::evaluations(const std::string& run) const {
    return m_database->guarded([&] {
        std::vector<EvaluationRow> rows;
        eachRow(*m_database,
                std::string(evaluationColumns) + " WHERE run = ? ORDER BY created, file",
                {std::to_string(m_database->keyOf(run))}, [&](RowReader& reader) {
                    std::int64_t key = 0;
                    reader >> key;
                    rows.push_back(readEvaluation(reader));
                });
        return rows;
    });
}

std::map<std::string, std::string> RunStore::environment(const std::string& run) const {
    return m_database->guarded([&] {
        std::map<std::string, std::string> values;
        eachRow(*m_database, "SELECT name, value FROM environment WHERE run = ?",
                {std::to_string(m_database->keyOf(run))}, [&](RowReader& reader) {
                    std::string name;
                    reader >> name;
                    reader >> values[name];
                });
        return values;
    });
}

std::vector<ArtefactRow> RunStore::artefacts(const std::string& run) const {
    return m_database->guarded([&] {
        std::vector<ArtefactRow> rows;
        eachRow(*m_database, "SELECT path, kind, bytes FROM artefacts WHERE run = ? ORDER BY path",
                {std::to_string(m_database->keyOf(run))}, [&](RowReader& reader) {
                    ArtefactRow& row = rows.emplace_back();
                    reader >> row.path >> row.kind >> row.bytes;
                });
        return rows;
    });
}

IterationSeries RunStore::iterations(const std::string& run) const {
    return m_database->guarded([&] {
        const std::string key = std::to_string(m_database->keyOf(run));
        std::string id, directory, stored;
        eachRow(*m_database, "SELECT id, directory, events_stamp FROM runs WHERE key = ?", {key},
                [&](RowReader& reader) { reader >> id >> directory >> stored; });
        const std::string now = directory.empty() ? "" : eventsStamp(directory);
        if (!now.empty() && now != stored && runIdIn(directory) == id) {
            return readIterations(directory);
        }
        IterationSeries series;
        eachRow(*m_database,
                "SELECT matrix, count, phases, series FROM iterations WHERE run = ?"
                " ORDER BY position",
                {key}, [&](RowReader& reader) { series.matrices.push_back(readMatrix(reader)); });
        return series;
    });
}

std::vector<NoteRow> RunStore::notes(const std::string& run) const {
    return m_database->guarded([&] {
        std::vector<NoteRow> rows;
        eachRow(*m_database, "SELECT created, text FROM notes WHERE run = ? ORDER BY position",
                {std::to_string(m_database->keyOf(run))}, [&](RowReader& reader) {
                    NoteRow& row = rows.emplace_back();
                    reader >> row.created >> row.text;
                });
        return rows;
    });
}

std::vector<std::string> RunStore::tags() const {
    return m_database->guarded([&] {
        std::vector<std::string> names;
        eachRow(*m_database, "SELECT DISTINCT tag FROM tags ORDER BY tag", {},
                [&](RowReader& reader) { reader >> names.emplace_back(); });
        return names;
    });
}

}  // namespace cospadi
