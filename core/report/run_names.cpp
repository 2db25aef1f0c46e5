#include "core/report/run_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/report/run_dimensions.h"
#include "core/store/method_label.h"

namespace cospadi {

namespace {

constexpr std::size_t kHashEnd = 6;      // characters that tell hashes and ids apart
constexpr std::size_t kHashLength = 64;  // of a sha256
// What comes first in the name of one of many, in this order, after its method.
constexpr const char* kHeadline[] = {"cr", "rho", "layers", "model"};

std::string endOf(const std::string& text) {
    return text.size() > kHashEnd ? text.substr(text.size() - kHashEnd) : text;
}

// Those that are called alike, by their places.
std::map<std::string, std::vector<std::size_t>> alike(const std::vector<std::string>& names,
                                                      const std::vector<std::size_t>& places) {
    std::map<std::string, std::vector<std::size_t>> groups;
    for (const std::size_t place : places) {
        groups[names[place]].push_back(place);
    }
    return groups;
}

// The setting that has most values among them, where having none is one, too; "" where they have
// all alike.
std::string mostTelling(const std::vector<NamedKind>& kinds,
                        const std::vector<std::size_t>& places) {
    const std::set<std::string> known = labelledSettings();
    std::map<std::string, std::map<std::string, std::size_t>> counts;  // of a setting's values
    for (const std::size_t place : places) {
        for (const auto& [setting, value] : kinds[place].settings) {
            if (!known.contains(setting)) {
                ++counts[setting][settingWords(setting, value)];
            }
        }
    }
    std::string best;
    std::size_t most = 1;
    for (const auto& [setting, values] : counts) {
        std::size_t having = 0;
        for (const auto& [value, count] : values) {
            having += count;
        }
        const std::size_t different = values.size() + (having < places.size() ? 1 : 0);
        if (different > most) {
            best = setting;
            most = different;
        }
    }
    return best;
}

// Names that several have in common are made longer until each has its own.
void tellApart(const std::vector<NamedKind>& kinds, const std::vector<std::size_t>& places,
               const SettingWording& wording, std::vector<std::string>& names) {
    for (const auto& [name, group] : alike(names, places)) {
        if (group.size() < 2) {
            continue;
        }
        const std::string setting = mostTelling(kinds, group);
        for (const std::size_t place : group) {
            const auto value = settingIn(kinds[place].settings, setting);
            if (setting.empty()) {
                names[place] += " · " + endOf(kinds[place].id);
            } else if (value) {
                names[place] += ", " + wording(setting, value);
            }
        }
        if (!setting.empty()) {
            tellApart(kinds, group, wording, names);
        }
    }
}

}  // namespace

std::string valueWords(const std::string& setting, const std::string& stored) {
    std::string value = settingText(settingCell(stored));  // "2.0" is 2
    if (setting == "method" || setting == "cr" || setting == "rho") {
        return value;
    }
    if (setting == "layers") {
        if (value == ".*" || value == "all") {
            return "";
        }
        std::erase_if(value, [](char c) { return c == '\\' || c == '^' || c == '$'; });
        return value;
    }
    return value.size() == kHashLength            ? endOf(value)
           : value.find('/') != std::string::npos ? std::filesystem::path(value).filename().string()
                                                  : value;
}

std::string settingWords(const std::string& setting, const std::optional<std::string>& value) {
    if (!value) {
        return "no " + setting;
    }
    const std::string words = valueWords(setting, *value);
    return setting == "method"   ? words
           : setting == "cr"     ? "CR " + words
           : setting == "rho"    ? "ρ " + words
           : setting != "layers" ? setting.substr(setting.rfind('.') + 1) + " " + words
           : words.empty()       ? "all layers"
                                 : words;
}

std::vector<std::string> namesOf(const std::vector<NamedKind>& kinds,
                                 const std::set<std::string>& told, const SettingWording& wording) {
    std::map<std::string, std::set<std::string>> values;
    std::set<std::string> methods;
    for (const NamedKind& kind : kinds) {
        methods.insert(kind.method);
        for (const auto& [setting, value] : kind.settings) {
            values[setting].insert(value);
        }
    }
    std::set<std::string> known = labelledSettings();
    known.insert(told.begin(), told.end());
    std::vector<std::string> names;
    for (const NamedKind& kind : kinds) {
        std::vector<std::string> parts;
        if (methods.size() > 1) {
            parts.push_back(kind.method);
        }
        for (const auto& [setting, value] : kind.settings) {
            if (values[setting].size() > 1 && !known.contains(setting)) {
                parts.push_back(wording(setting, value));
            }
        }
        names.push_back(parts.empty() ? kind.method : fmt::format("{}", fmt::join(parts, ", ")));
    }
    const std::vector<std::string> plain = names;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (std::count(plain.begin(), plain.end(), plain[i]) > 1) {
            names[i] += " · " + endOf(kinds[i].id);
        }
    }
    return names;
}

std::vector<std::string> namesInList(const std::vector<NamedKind>& kinds,
                                     const SettingWording& wording) {
    std::map<std::string, std::set<std::string>> values;
    for (const NamedKind& kind : kinds) {
        for (const auto& [setting, value] : kind.settings) {
            values[setting].insert(value);
        }
    }
    std::vector<std::string> names;
    std::vector<std::size_t> places;
    for (const NamedKind& kind : kinds) {
        std::string name = kind.method;
        for (const char* setting : kHeadline) {
            const auto value = settingIn(kind.settings, setting);
            if (value && values[setting].size() > 1) {
                name += ", " + wording(setting, value);
            }
        }
        places.push_back(names.size());
        names.push_back(std::move(name));
    }
    tellApart(kinds, places, wording, names);
    return names;
}

std::string nameAlone(const NamedKind& kind, const SettingWording& wording) {
    std::string name = kind.method;
    for (const char* setting : {"cr", "rho"}) {
        if (const auto value = settingIn(kind.settings, setting)) {
            name += ", " + wording(setting, value);
        }
    }
    return name + " · " + endOf(kind.id);
}

}  // namespace cospadi
