#include "core/store/selected_runs.h"

#include <unordered_map>

#include "core/store/each_row.h"
#include "core/store/evaluation_rows.h"
#include "core/store/filter_condition.h"
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
constexpr const char* sumOfMultiplications =
    "(SELECT CASE WHEN min(multiplications > 0 OR (bytes = 0 AND dense_bytes > 0))"
    " THEN nullif(total(multiplications), 0) END FROM matrices WHERE run = runs.key)";

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

std::vector<RunRow> selectWhere(const FilterCondition& condition, int limit, bool multiplications,
                                StoreDatabase& database) {
    std::vector<RunRow> rows;
    std::vector<std::int64_t> keys;
    eachRow(database,
            runColumns + std::string(multiplications ? sumOfMultiplications : "NULL") +
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

}  // namespace

std::vector<RunRow> selectRuns(const RunFilter& filter, StoreDatabase& database) {
    return database.guarded([&] {
        return selectWhere(conditionOf(filter), filter.limit, filter.multiplications, database);
    });
}

RunRow findRun(const std::string& run, StoreDatabase& database) {
    return database.guarded([&] {
        FilterCondition condition;
        condition.add(" AND runs.key = ?", std::to_string(database.keyOf(run)));
        return selectWhere(condition, 1, true, database).at(0);
    });
}

}  // namespace cospadi
