#include "core/store/known_runs.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/store/run_directory.h"
#include "core/store/store_database.h"

namespace cospadi {

KnownRuns KnownRuns::of(StoreDatabase& database) {
    return database.guarded([&] {
        KnownRuns known;
        SQLite::Statement& select =
            database.statement("SELECT id, directory, events_stamp FROM runs");
        while (select.executeStep()) {
            Place place;
            std::string id;
            RowReader(select) >> id >> place.directory >> place.stamp;
            known.idIn[place.directory] = id;
            known.byId[id] = std::move(place);
        }
        select.tryReset();
        return known;
    });
}

std::string KnownRuns::stampOf(const RunRow& run) const {
    const auto known = byId.find(run.id);
    return known != byId.end() && known->second.directory == run.directory ? known->second.stamp
                                                                           : "";
}

void KnownRuns::requireFree(const RunRow& run) const {
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

Error copyProblem(const RunRow& run, const std::string& other) {
    return {"its id " + run.id + " is also used in another directory, " + other, run.directory,
            "delete one of the copies"};
}

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
        notes.push_back("the files of run " + earlier->second +
                        " no longer exist: " + record.run.id + " is now in " +
                        record.run.directory + "; the index keeps what it knows of the first");
    }
}

}  // namespace cospadi
