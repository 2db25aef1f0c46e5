// Kinds of run: the settings beside those that a table shows. Runs of one kind may stand in one
// table; of several kinds, one is the usual.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi {

using RunSettings = std::map<std::string, std::string>;  // only what applies to the run

// Of a run that does not have the setting: nullopt.
std::optional<std::string> settingIn(const RunSettings& settings, const std::string& name);

// Adds the settings that both have with another value.
void collectDifferences(const RunSettings& a, const RunSettings& b, std::set<std::string>& fields);
// Settings that two of the kinds have with different values.
std::set<std::string> differingSettings(const std::vector<RunSettings>& kinds);
bool agree(const RunSettings& a, const RunSettings& b);  // there are none

struct PlacedKind {
    const RunSettings* kind;
    std::string place;  // the cell of the table where the run stands
};

// Settings that not all have with the same value, where having none is a value, too.
std::set<std::string> unequalSettings(const std::vector<const RunSettings*>& kinds);

// The kind that, with all that agree with it, fills most places; of equals the one with most
// settings, then the newest. Empty where there are no runs.
RunSettings usualKind(const std::vector<PlacedKind>& newestFirst);

// What a kind is made of: the settings but for the seeds and those that the table tells.
RunSettings restOf(const RunSettings& settings, const std::set<std::string>& told);
// The seeds that it does not tell, as one text: what a mean is taken over.
std::string seedOf(const RunSettings& settings, const std::set<std::string>& told);

// The seeds, of solver or calibration, of which the runs by K-SVD have several values: none of
// these runs is told by its seed.
std::set<std::string> variedSeeds(const std::vector<RunRow>& runs);

struct SeedValue {
    std::string seed;
    double value;
    const RunRow* run;
    double standardError = 0;  // of the value, over the items of a task; 0: unknown
};

struct SeedMean {
    MeanCell cell;                 // count 0 where there is no value
    std::int64_t repetitions = 0;  // runs of another seed that came to the very same result
};

// Over runs of one kind, newest first; of each seed the newest. Where runs of different seeds came
// to the same error, bytes and value to the last bit, the seed moved nothing: they are one
// observation.
SeedMean meanOverSeeds(const std::vector<SeedValue>& newestFirst);

}  // namespace cospadi
