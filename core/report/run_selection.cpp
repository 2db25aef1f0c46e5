#include "core/report/run_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/report/run_dimensions.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

bool isOneOf(double value, const std::vector<double>& values) {
    return values.empty() || std::any_of(values.begin(), values.end(), [value](double wanted) {
               return std::abs(value - wanted) < 1e-9;
           });
}

bool reads(const std::string& text, double& number) {
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stopped == end;
}

bool isOrder(const SettingFilter& filter) { return filter.relation != "="; }

bool holds(double value, const std::string& relation, double wanted) {
    return relation == "<"    ? value < wanted
           : relation == "<=" ? value <= wanted
           : relation == ">"  ? value > wanted
           : relation == ">=" ? value >= wanted
                              : std::abs(value - wanted) < 1e-9;
}

bool isValue(const std::string& value, const SettingFilter& filter) {
    return std::any_of(filter.values.begin(), filter.values.end(), [&](const std::string& wanted) {
        double a = 0;
        double b = 0;
        return (!isOrder(filter) && value == wanted) ||
               (reads(value, a) && reads(wanted, b) && holds(a, filter.relation, b));
    });
}

// The model and the calibration text by their paths, too: their hashes are not what one types.
std::map<std::string, std::string> namedSettings(const RunRow& run) {
    std::map<std::string, std::string> settings = settingsOf(run);
    settings["model"] = std::filesystem::path(run.model).filename().string();
    return settings;
}

void keepWhere(const SettingFilter& filter,
               const std::vector<std::map<std::string, std::string>>& settings,
               std::vector<bool>& fits) {
    bool isKnown = false;
    for (std::size_t i = 0; i < settings.size(); ++i) {
        const auto found = settings[i].find(filter.field);
        isKnown = isKnown || found != settings[i].end();
        fits[i] = fits[i] && found != settings[i].end() && isValue(found->second, filter);
    }
    if (!isKnown) {
        std::set<std::string> known;
        for (const auto& one : settings) {
            for (const auto& [field, value] : one) {
                known.insert(field);
            }
        }
        throw Error("no run has a setting of this name", "--where " + filter.field,
                    fmt::format("there are: {}; and the metrics {}", fmt::join(known, ", "),
                                fmt::join(metricNames(), ", ")));
    }
}

void keepMeasured(const SettingFilter& filter, std::vector<RunRow>& runs) {
    metricFromName(filter.field);  // throws for a malformed list of tasks
    const Measure measure = commonMeasure(runs, filter.field);
    bool isKnown = false;
    const std::vector<RunRow> all = runs;
    std::erase_if(runs, [&](const RunRow& run) {
        const double value = metricOf(run, filter.field, measure);
        isKnown = isKnown || std::isfinite(value);
        return !std::any_of(filter.values.begin(), filter.values.end(),
                            [&](const std::string& wanted) {
                                double number = 0;
                                return reads(wanted, number) && std::isfinite(value) &&
                                       holds(value, filter.relation, number);
                            });
    });
    if (!isKnown) {
        throw Error("no run has a value of this metric", "--where " + filter.field,
                    howToMeasure(all, filter.field, measure));
    }
}

void keepWhere(const std::vector<SettingFilter>& filters, std::vector<RunRow>& runs) {
    if (filters.empty() || runs.empty()) {
        return;
    }
    std::vector<std::map<std::string, std::string>> settings;
    for (const RunRow& run : runs) {
        settings.push_back(namedSettings(run));
    }
    std::vector<bool> fits(runs.size(), true);
    for (const SettingFilter& filter : filters) {
        if (!isMetric(filter.field)) {
            keepWhere(filter, settings, fits);
        }
    }
    std::vector<RunRow> kept;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (fits[i]) {
            kept.push_back(std::move(runs[i]));
        }
    }
    for (const SettingFilter& filter : filters) {
        if (isMetric(filter.field) && !kept.empty()) {
            keepMeasured(filter, kept);
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
    const std::size_t at = text.find_first_of("=<>");
    const bool isLong = at != std::string::npos && text[at] != '=' && text.substr(at + 1, 1) == "=";
    const std::size_t rests = at == std::string::npos ? at : at + (isLong ? 2 : 1);
    if (at == std::string::npos || at == 0 || rests == text.size()) {
        throw Error("is not FIELD=VALUE[,VALUE]", "--where " + text,
                    "for example --where calibration.sequences=64, or 'avg_acc>=0.5'");
    }
    SettingFilter filter{text.substr(0, at), {}, text.substr(at, rests - at)};
    std::string rest = text.substr(rests);
    if (double number = 0; isOrder(filter) && !reads(rest, number)) {
        throw Error("'" + rest + "' is not a number", "--where " + text,
                    "for example --where 'avg_acc>=0.5'");
    }
    for (std::size_t comma = 0; comma != std::string::npos;) {
        comma = rest.find(',');
        filter.values.push_back(rest.substr(0, comma));
        rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    }
    return filter;
}

std::string textOf(const SettingFilter& filter) {
    return fmt::format("{}{}{}", filter.field, filter.relation, fmt::join(filter.values, ","));
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
