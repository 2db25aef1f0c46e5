#include "core/store/annotation_rows.h"

#include <unistd.h>

#include "core/store/run_directory.h"
#include "core/store/store_database.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

struct Place {
    std::string id;
    std::filesystem::path directory;
};

Place placeOf(std::int64_t key, StoreDatabase& database) {
    SQLite::Statement& select = database.statement("SELECT id, directory FROM runs WHERE key = ?");
    Binder(select) << key;
    Place place;
    if (select.executeStep()) {
        std::string directory;
        RowReader(select) >> place.id >> directory;
        place.directory = directory;
    }
    select.tryReset();
    return place;
}

bool holdsRun(const Place& place) {
    return !place.directory.empty() && runIdIn(place.directory) == place.id;
}

void execute(const char* sql, std::int64_t key, StoreDatabase& database) {
    SQLite::Statement& statement = database.statement(sql);
    Binder(statement) << key;
    statement.exec();
}

void writeRows(std::int64_t key, const RunAnnotations& annotations, StoreDatabase& database) {
    execute("DELETE FROM tags WHERE run = ?", key, database);
    execute("DELETE FROM notes WHERE run = ?", key, database);
    for (const std::string& tag : annotations.tags) {
        SQLite::Statement& insert =
            database.statement("INSERT OR IGNORE INTO tags (run, tag) VALUES (?, ?)");
        Binder(insert) << key << tag;
        insert.exec();
    }
    std::int64_t position = 0;
    for (const NoteRow& note : annotations.notes) {
        SQLite::Statement& insert = database.statement(
            "INSERT INTO notes (run, position, created, text) VALUES (?, ?, ?, ?)");
        Binder(insert) << key << ++position << note.created << note.text;
        insert.exec();
    }
    SQLite::Statement& update =
        database.statement("UPDATE runs SET starred = ?, archived = ? WHERE key = ?");
    Binder(update) << std::int64_t{annotations.starred} << std::int64_t{annotations.archived}
                   << key;
    update.exec();
}

}  // namespace

RunAnnotations annotationsOf(std::int64_t key, StoreDatabase& database) {
    RunAnnotations annotations;
    SQLite::Statement& tags = database.statement("SELECT tag FROM tags WHERE run = ? ORDER BY tag");
    Binder(tags) << key;
    while (tags.executeStep()) {
        RowReader(tags) >> annotations.tags.emplace_back();
    }
    tags.tryReset();
    SQLite::Statement& notes =
        database.statement("SELECT created, text FROM notes WHERE run = ? ORDER BY position");
    Binder(notes) << key;
    while (notes.executeStep()) {
        NoteRow& note = annotations.notes.emplace_back();
        RowReader(notes) >> note.created >> note.text;
    }
    notes.tryReset();
    SQLite::Statement& marks =
        database.statement("SELECT starred, archived FROM runs WHERE key = ?");
    Binder(marks) << key;
    if (marks.executeStep()) {
        RowReader(marks) >> annotations.starred >> annotations.archived;
    }
    marks.tryReset();
    return annotations;
}

void refreshAnnotations(std::int64_t key, StoreDatabase& database) {
    const Place place = placeOf(key, database);
    if (!holdsRun(place)) {
        return;
    }
    if (const auto annotations = readAnnotations(place.directory)) {
        writeRows(key, *annotations, database);
    }
}

void keepAnnotations(std::int64_t key, StoreDatabase& database) {
    const Place place = placeOf(key, database);
    if (!holdsRun(place)) {
        return;
    }
    const std::filesystem::path file = place.directory / kAnnotationsFile;
    if (::access(file.c_str(), F_OK) != 0 && ::access(place.directory.c_str(), W_OK) != 0) {
        return;
    }
    writeFileAtomically(file, annotationsText(annotationsOf(key, database)));
}

void takeAnnotations(std::int64_t key, StoreDatabase& database, std::vector<std::string>& notes) {
    try {
        if (const auto annotations = readAnnotations(placeOf(key, database).directory)) {
            writeRows(key, *annotations, database);
        } else if (!annotationsOf(key, database).empty()) {
            keepAnnotations(key, database);
        }
    } catch (const Error& error) {
        notes.emplace_back(error.what());
    }
}

}  // namespace cospadi
