// Kinds of run: the settings beside those that a table shows. Runs of one kind may stand in one
// table; of several kinds, one is the usual.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace cospadi {

using RunSettings = std::map<std::string, std::string>;  // only what applies to the run

// Adds the settings that both have with another value.
void collectDifferences(const RunSettings& a, const RunSettings& b, std::set<std::string>& fields);
bool agree(const RunSettings& a, const RunSettings& b);  // there are none

struct PlacedKind {
    const RunSettings* kind;
    std::string place;  // the cell of the table where the run stands
};

// The kind that, with all that agree with it, fills most places; of equals the newest. Empty where
// there are no runs.
RunSettings usualKind(const std::vector<PlacedKind>& newestFirst);

}  // namespace cospadi
