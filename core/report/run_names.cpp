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

std::string endOf(const std::string& text) {
    return text.size() > kHashEnd ? text.substr(text.size() - kHashEnd) : text;
}

}  // namespace

std::string settingWords(const std::string& setting, const std::string& stored) {
    std::string value = settingText(settingCell(stored));  // "2.0" is 2
    if (setting == "method") {
        return value;
    }
    if (setting == "cr") {
        return "CR " + value;
    }
    if (setting == "rho") {
        return "ρ " + value;
    }
    if (setting == "layers") {
        return value == ".*" || value == "all" ? "all layers" : value;
    }
    const std::string name = setting.substr(setting.rfind('.') + 1);
    return name + " " +
           (value.size() == kHashLength ? endOf(value)
            : value.find('/') != std::string::npos
                ? std::filesystem::path(value).filename().string()
                : value);
}

std::string settingWords(const std::string& setting, const std::optional<std::string>& value) {
    return value ? settingWords(setting, *value) : "no " + setting;
}

std::vector<std::string> namesOf(const std::vector<NamedKind>& kinds,
                                 const std::set<std::string>& told) {
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
                parts.push_back(settingWords(setting, value));
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

}  // namespace cospadi
