#include "core/report/run_kinds.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/store/run_settings.h"

namespace cospadi {

namespace {

constexpr std::size_t kMostCandidates = 64;  // the newest

bool isSeed(const std::string& field) { return field == "seed" || field == "calibration.seed"; }

bool isSameResult(const SeedValue& a, const SeedValue& b) {
    return a.value == b.value && a.run->relativeError == b.run->relativeError &&
           a.run->layerBytes == b.run->layerBytes;
}

}  // namespace

std::optional<std::string> settingIn(const RunSettings& settings, const std::string& name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::nullopt : std::optional(found->second);
}

void collectDifferences(const RunSettings& a, const RunSettings& b, std::set<std::string>& fields) {
    for (const auto& [field, value] : a) {
        const auto other = b.find(field);
        if (other != b.end() && other->second != value) {
            fields.insert(field);
        }
    }
}

std::set<std::string> differingSettings(const std::vector<RunSettings>& kinds) {
    RunSettings first;
    std::set<std::string> fields;
    for (const RunSettings& kind : kinds) {
        collectDifferences(first, kind, fields);
        first.insert(kind.begin(), kind.end());
    }
    return fields;
}

bool agree(const RunSettings& a, const RunSettings& b) {
    std::set<std::string> differences;
    collectDifferences(a, b, differences);
    return differences.empty();
}

std::set<std::string> unequalSettings(const std::vector<const RunSettings*>& kinds) {
    std::set<std::string> names;
    for (const RunSettings* kind : kinds) {
        for (const auto& [name, value] : *kind) {
            names.insert(name);
        }
    }
    std::erase_if(names, [&](const std::string& name) {
        return std::all_of(kinds.begin(), kinds.end(), [&](const RunSettings* kind) {
            return settingIn(*kind, name) == settingIn(*kinds.front(), name);
        });
    });
    return names;
}

RunSettings usualKind(const std::vector<PlacedKind>& newestFirst) {
    std::map<RunSettings, std::set<std::string>> placesOf;
    std::vector<const RunSettings*> candidates;
    for (const PlacedKind& run : newestFirst) {
        const auto [kind, isNew] = placesOf.try_emplace(*run.kind);
        kind->second.insert(run.place);
        if (isNew && candidates.size() < kMostCandidates) {
            candidates.push_back(&kind->first);
        }
    }
    const RunSettings* usual = nullptr;
    std::size_t most = 0;
    for (const RunSettings* candidate : candidates) {
        std::set<std::string> filled;
        for (const auto& [kind, places] : placesOf) {
            if (agree(*candidate, kind)) {
                filled.insert(places.begin(), places.end());
            }
        }
        // One without a setting (an SVD has no ρ) agrees with all values of it and chooses none.
        const bool saysMore =
            filled.size() == most && usual != nullptr && candidate->size() > usual->size();
        if (filled.size() > most || saysMore) {
            most = filled.size();
            usual = candidate;
        }
    }
    return usual != nullptr ? *usual : RunSettings();
}

RunSettings restOf(const RunSettings& settings, const std::set<std::string>& told) {
    RunSettings rest;
    std::copy_if(settings.begin(), settings.end(), std::inserter(rest, rest.end()),
                 [&](const auto& setting) {
                     return !told.contains(setting.first) && !isSeed(setting.first);
                 });
    return rest;
}

std::string seedOf(const RunSettings& settings, const std::set<std::string>& told) {
    std::string seed;
    for (const auto& [field, value] : settings) {
        seed += isSeed(field) && !told.contains(field) ? value + " " : "";
    }
    return seed;
}

std::set<std::string> variedSeeds(const std::vector<RunRow>& runs) {
    std::map<std::string, std::set<std::string>> values;
    for (const RunRow& run : runs) {
        if (run.solver != "ksvd") {
            continue;
        }
        for (const auto& [field, value] : settingsOf(run)) {
            if (isSeed(field)) {
                values[field].insert(value);
            }
        }
    }
    std::set<std::string> varied;
    for (const auto& [field, known] : values) {
        if (known.size() > 1) {
            varied.insert(field);
        }
    }
    return varied;
}

SeedMean meanOverSeeds(const std::vector<SeedValue>& newestFirst) {
    std::vector<const SeedValue*> observed;
    SeedMean result;
    for (const SeedValue& next : newestFirst) {
        const auto known = std::find_if(observed.begin(), observed.end(), [&](const auto* other) {
            return other->seed == next.seed || isSameResult(*other, next);
        });
        if (known == observed.end()) {
            observed.push_back(&next);
        } else if ((*known)->seed != next.seed) {
            ++result.repetitions;
        }
    }
    if (observed.empty()) {
        return result;
    }
    const auto count = static_cast<double>(observed.size());
    MeanCell& mean = result.cell;
    for (const SeedValue* one : observed) {
        mean.mean += one->value / count;
    }
    double squares = 0;
    for (const SeedValue* one : observed) {
        squares += (one->value - mean.mean) * (one->value - mean.mean);
    }
    mean.count = static_cast<std::int64_t>(observed.size());
    mean.standardError = mean.count == 1 ? observed.front()->standardError : 0;
    mean.deviation = mean.count > 1 ? std::sqrt(squares / (count - 1)) : 0;
    return result;
}

}  // namespace cospadi
