// What earlier starts of a run have spent, from its events (docs/formats.md): a run that was
// stopped and goes on has taken the time of all its starts, however many matrices were in flight.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace cospadi {

struct EarlierWork {
    double compressionSeconds = 0;  // from each start's first matrix to its last event of one
    double allocationSeconds = 0;   // of what was measured before the first matrix
    std::map<std::string, double> solvedBefore;  // runs whose matrices were taken, and their time

    double solving() const;  // compressionSeconds and those of solvedBefore, each once
};

// events: events.jsonl of the run; one that is not there says nothing. Half a line is passed over.
EarlierWork readEarlierWork(const std::filesystem::path& events);

}  // namespace cospadi
