#include "core/store/run_parts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/store/each_row.h"
#include "core/store/evaluation_rows.h"
#include "core/store/run_directory.h"

namespace cospadi {

namespace {

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

std::vector<MatrixRow> matricesOf(const std::string& run, StoreDatabase& database) {
    return database.guarded([&] {
        std::vector<MatrixRow> rows;
        eachRow(database,
                "SELECT name, kind, block, d1, d2, k, s, rank, bytes, dense_bytes, relative_error,"
                " gram_shift, replaced_atoms, iterations, seconds, core_seconds, source_type,"
                " source_bytes, held_out_error, coding_seconds, dictionary_seconds, active_atoms,"
                " multiplications, form, facts FROM matrices WHERE run = ? ORDER BY position",
                {std::to_string(database.keyOf(run))}, [&](RowReader& reader) {
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

std::vector<EvaluationRow> evaluationsOf(const std::string& run, StoreDatabase& database) {
    return database.guarded([&] {
        std::vector<EvaluationRow> rows;
        eachRow(database, std::string(evaluationColumns) + " WHERE run = ? ORDER BY created, file",
                {std::to_string(database.keyOf(run))}, [&](RowReader& reader) {
                    std::int64_t key = 0;
                    reader >> key;
                    rows.push_back(readEvaluation(reader));
                });
        return rows;
    });
}

std::map<std::string, std::string> environmentOf(const std::string& run, StoreDatabase& database) {
    return database.guarded([&] {
        std::map<std::string, std::string> values;
        eachRow(database, "SELECT name, value FROM environment WHERE run = ?",
                {std::to_string(database.keyOf(run))}, [&](RowReader& reader) {
                    std::string name;
                    reader >> name;
                    reader >> values[name];
                });
        return values;
    });
}

std::vector<ArtefactRow> artefactsOf(const std::string& run, StoreDatabase& database) {
    return database.guarded([&] {
        std::vector<ArtefactRow> rows;
        eachRow(database, "SELECT path, kind, bytes FROM artefacts WHERE run = ? ORDER BY path",
                {std::to_string(database.keyOf(run))}, [&](RowReader& reader) {
                    ArtefactRow& row = rows.emplace_back();
                    reader >> row.path >> row.kind >> row.bytes;
                });
        return rows;
    });
}

IterationSeries iterationsOf(const std::string& run, StoreDatabase& database) {
    return database.guarded([&] {
        const std::string key = std::to_string(database.keyOf(run));
        std::string id, directory, stored;
        eachRow(database, "SELECT id, directory, events_stamp FROM runs WHERE key = ?", {key},
                [&](RowReader& reader) { reader >> id >> directory >> stored; });
        const std::string now = directory.empty() ? "" : eventsStamp(directory);
        if (!now.empty() && now != stored && runIdIn(directory) == id) {
            return readIterations(directory);
        }
        IterationSeries series;
        eachRow(database,
                "SELECT matrix, count, phases, series FROM iterations WHERE run = ?"
                " ORDER BY position",
                {key}, [&](RowReader& reader) { series.matrices.push_back(readMatrix(reader)); });
        return series;
    });
}

std::vector<NoteRow> notesOf(const std::string& run, StoreDatabase& database) {
    return database.guarded([&] {
        std::vector<NoteRow> rows;
        eachRow(database, "SELECT created, text FROM notes WHERE run = ? ORDER BY position",
                {std::to_string(database.keyOf(run))}, [&](RowReader& reader) {
                    NoteRow& row = rows.emplace_back();
                    reader >> row.created >> row.text;
                });
        return rows;
    });
}

}  // namespace cospadi
