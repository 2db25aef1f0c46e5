// Runs that differ from a given one in a single setting that counts (run_settings.h), by that
// setting: what there is to see of what one setting does, all else being equal. The seed is a
// setting like any other here. What follows from a setting is no difference of its own: the bits of
// a coefficient that ρ implies.
#pragma once

#include <string>
#include <vector>

#include "core/report/run_names.h"
#include "core/store/run_row.h"

namespace cospadi {

struct RunOfValue {
    std::string words;  // "ρ 1.5" (settingWords() of run_names.h), "no gamma" where it has none
    std::string run;    // id; of runs that agree in everything the newest
    std::string directory;
};

struct OneSetting {
    std::string name;                // "rho"
    std::vector<RunOfValue> values;  // two or more, in the order of the setting, `run`'s among them
};

// The setting with most values first, of equals by name. others: newest first; `run` may be among
// them. wording: of the values.
std::vector<OneSetting> runsApartInOne(const RunRow& run, const std::vector<RunRow>& others,
                                       const SettingWording& wording = settingWords);

}  // namespace cospadi
