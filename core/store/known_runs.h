// What the store knows before runs are taken in: which run stands where. Private to core/store.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/store/run_row.h"

namespace cospadi {

class StoreDatabase;

struct KnownRuns {
    struct Place {
        std::string directory;
        std::string stamp;  // what its stored iterations were read from
    };
    std::map<std::string, Place> byId;
    std::map<std::string, std::string> idIn;  // by directory

    static KnownRuns of(StoreDatabase& database);

    // What the run's stored iterations were read from; empty where they are to be read again, as
    // those of a run that was moved are.
    std::string stampOf(const RunRow& run) const;

    // Throws Error where the directory that the store has for the run still holds it.
    void requireFree(const RunRow& run) const;
};

// Two directories hold the same run: this one and another.
Error copyProblem(const RunRow& run, const std::string& other);

// In a transaction: a run that stood where one of the records does has its rows left, and nothing
// else; told in `notes`.
void takePlaces(const std::vector<RunRecord>& records, const KnownRuns& known,
                StoreDatabase& database, std::vector<std::string>& notes);

}  // namespace cospadi
