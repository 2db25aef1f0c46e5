#include "core/report/run_kinds.h"

namespace cospadi {

namespace {

constexpr std::size_t kMostCandidates = 64;  // the newest

}  // namespace

void collectDifferences(const RunSettings& a, const RunSettings& b, std::set<std::string>& fields) {
    for (const auto& [field, value] : a) {
        const auto other = b.find(field);
        if (other != b.end() && other->second != value) {
            fields.insert(field);
        }
    }
}

bool agree(const RunSettings& a, const RunSettings& b) {
    std::set<std::string> differences;
    collectDifferences(a, b, differences);
    return differences.empty();
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
        if (filled.size() > most) {
            most = filled.size();
            usual = candidate;
        }
    }
    return usual != nullptr ? *usual : RunSettings();
}

}  // namespace cospadi
