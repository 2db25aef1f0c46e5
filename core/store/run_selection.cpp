#include "core/store/run_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

bool isOneOf(double value, const std::vector<double>& values) {
    return values.empty() || std::any_of(values.begin(), values.end(), [value](double wanted) {
               return std::abs(value - wanted) < 1e-9;
           });
}

bool isValue(const std::string& value, const std::string& wanted) {
    if (value == wanted) {
        return true;
    }
    double a = 0;
    double b = 0;
    const auto reads = [](const std::string& text, double& number) {
        const char* end = text.data() + text.size();
        const auto [stopped, error] = std::from_chars(text.data(), end, number);
        return error == std::errc() && stopped == end;
    };
    return reads(value, a) && reads(wanted, b) && std::abs(a - b) < 1e-9;
}

// The model and the calibration text by their paths, too: their hashes are not what one types.
std::map<std::string, std::string> namedSettings(const RunRow& run) {
    std::map<std::string, std::string> settings = settingsOf(run);
    settings["model"] = std::filesystem::path(run.model).filename().string();
    return settings;
}

void keepWhere(const std::vector<SettingFilter>& filters, std::vector<RunRow>& runs) {
    if (filters.empty() || runs.empty()) {
        return;
    }
    std::set<std::string> known;
    std::vector<bool> fits;
    for (const RunRow& run : runs) {
        const std::map<std::string, std::string> settings = namedSettings(run);
        for (const auto& [field, value] : settings) {
            known.insert(field);
        }
        fits.push_back(
            std::all_of(filters.begin(), filters.end(), [&](const SettingFilter& filter) {
                const auto found = settings.find(filter.field);
                return found != settings.end() &&
                       std::any_of(
                           filter.values.begin(), filter.values.end(),
                           [&](const std::string& value) { return isValue(found->second, value); });
            }));
    }
    for (const SettingFilter& filter : filters) {
        if (!known.contains(filter.field)) {
            throw Error("no run has a setting of this name", "--where " + filter.field,
                        fmt::format("there are: {}", fmt::join(known, ", ")));
        }
    }
    std::vector<RunRow> kept;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (fits[i]) {
            kept.push_back(std::move(runs[i]));
        }
    }
    runs = std::move(kept);
}

bool hasTags(const RunRow& run, const std::vector<std::string>& tags) {
    return std::all_of(tags.begin(), tags.end(), [&](const std::string& tag) {
        return std::find(run.tags.begin(), run.tags.end(), tag) != run.tags.end();
    });
}

}  // namespace

SettingFilter settingFilter(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        throw Error("is not FIELD=VALUE[,VALUE]", "--where " + text,
                    "for example --where calibration.sequences=64");
    }
    SettingFilter filter{text.substr(0, equals), {}};
    std::string rest = text.substr(equals + 1);
    for (std::size_t comma = 0; comma != std::string::npos;) {
        comma = rest.find(',');
        filter.values.push_back(rest.substr(0, comma));
        rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    }
    return filter;
}

std::vector<RunRow> selectedRuns(const RunStore& store, const RunSelection& selection) {
    RunFilter filter = selection.filter;
    filter.limit = 0;  // after the filters that are applied here
    filter.model.clear();
    std::vector<RunRow> runs = store.list(filter);
    std::erase_if(runs, [&](const RunRow& run) {
        return !isOneOf(run.cr, selection.cr) || !isOneOf(run.rho, selection.rho) ||
               (!selection.layers.empty() && run.layers != selection.layers) ||
               run.model.find(selection.filter.model) == std::string::npos ||
               !hasTags(run, selection.tags);
    });
    keepWhere(selection.where, runs);
    if (selection.filter.limit > 0 &&
        runs.size() > static_cast<std::size_t>(selection.filter.limit)) {
        runs.resize(static_cast<std::size_t>(selection.filter.limit));
    }
    return runs;
}

}  // namespace cospadi
