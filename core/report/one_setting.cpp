#include "core/report/one_setting.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/report/run_dimensions.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

// Other settings follow from these, unless they are given.
const std::set<std::string> kImplying = {"cr", "rho", "iterations"};

// As if this setting were the usual one.
RunSettings settingsBut(const RunRow& run, const std::string& setting) {
    std::optional<RunSpecification> specification = specificationOf(run);
    if (!specification) {
        return settingsOf(run);
    }
    const RunSpecification usual;
    if (setting == "cr") {
        specification->cr = usual.cr;
    } else if (setting == "rho") {
        specification->rho = usual.rho;
        specification->autoRho = false;
    } else {
        specification->iterations = usual.iterations;
    }
    return settingsOf(*specification);
}

// The one setting in which they differ; empty: none, or several.
std::string apartInOne(const RunRow& run, const RunSettings& own, const RunRow& other,
                       const RunSettings& others) {
    const std::set<std::string> names = unequalSettings({&own, &others});
    if (names.size() == 1) {
        return *names.begin();
    }
    for (const std::string& name : names) {
        if (kImplying.contains(name) && settingsBut(run, name) == settingsBut(other, name)) {
            return name;
        }
    }
    return {};
}

}  // namespace

std::vector<OneSetting> runsApartInOne(const RunRow& run, const std::vector<RunRow>& others,
                                       const SettingWording& wording) {
    struct Found {
        std::optional<std::string> value;
        RunOfValue run;
    };
    const auto foundOf = [&wording](const std::string& name, const RunSettings& settings,
                                    const RunRow& row) {
        const auto value = settingIn(settings, name);
        return Found{value, {wording(name, value), row.id, row.directory}};
    };
    const RunSettings own = settingsOf(run);
    std::map<std::string, std::vector<Found>> bySetting;
    for (const RunRow& other : others) {
        if (other.id == run.id) {
            continue;
        }
        const RunSettings settings = settingsOf(other);
        const std::string name = apartInOne(run, own, other, settings);
        if (name.empty()) {
            continue;
        }
        std::vector<Found>& known = bySetting[name];
        if (known.empty()) {
            known.push_back(foundOf(name, own, run));
        }
        Found found = foundOf(name, settings, other);
        const bool isNew = std::none_of(known.begin(), known.end(), [&](const Found& earlier) {
            return earlier.run.words == found.run.words;
        });
        if (isNew) {
            known.push_back(std::move(found));
        }
    }
    std::vector<OneSetting> settings;
    for (auto& [name, found] : bySetting) {
        std::stable_sort(found.begin(), found.end(),
                         [&name = name](const Found& a, const Found& b) {
                             return isBefore(name, settingCell(a.value), settingCell(b.value));
                         });
        OneSetting setting{name, {}};
        for (Found& one : found) {
            setting.values.push_back(std::move(one.run));
        }
        if (setting.values.size() > 1) {
            settings.push_back(std::move(setting));
        }
    }
    std::stable_sort(
        settings.begin(), settings.end(),
        [](const OneSetting& a, const OneSetting& b) { return a.values.size() > b.values.size(); });
    return settings;
}

}  // namespace cospadi
