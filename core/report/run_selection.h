// Which stored runs a command, a table or a page means: what the index can filter, and more.
#pragma once

#include <string>
#include <vector>

#include "core/store/run_store.h"

namespace cospadi {

// A setting (run_settings.h) or a metric (run_dimensions.h) with one of these values; numbers count
// by value. The relations of order take one number.
struct SettingFilter {
    std::string field;
    std::vector<std::string> values;
    std::string relation = "=";  // = < <= > >=
    bool operator==(const SettingFilter&) const = default;
};
// Of FIELD=VALUE[,VALUE] or FIELD>=NUMBER and the like; throws Error where it is none.
SettingFilter settingFilter(const std::string& text);
std::string textOf(const SettingFilter& filter);

struct RunSelection {
    RunFilter filter;                  // model: its path, or a part of it
    std::string layers;                // exactly this expression
    std::vector<double> cr, rho;       // any of these
    std::vector<std::string> tags;     // all of them
    std::vector<SettingFilter> where;  // all of them
};

// Newest first. Of a metric the measure counts that most of the runs have which the settings leave.
// Throws Error for a field in `where` that no run has, naming those there are, and for a metric
// that none was measured in.
std::vector<RunRow> selectedRuns(const RunStore& store, const RunSelection& selection);

}  // namespace cospadi
