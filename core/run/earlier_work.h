// What earlier starts of a run have spent, from its events (docs/formats.md): a run that was
// stopped and goes on has taken the time of all its starts, however many matrices were in flight.
#pragma once

#include <filesystem>

namespace cospadi {

struct EarlierWork {
    double compressionSeconds = 0;  // from each start's first matrix to its last event of one, and
                                    // what another run took whose matrices were taken
    double allocationSeconds = 0;   // of allocations that came to their end
};

// events: events.jsonl of the run; one that is not there says nothing. Half a line is passed over.
EarlierWork readEarlierWork(const std::filesystem::path& events);

}  // namespace cospadi
