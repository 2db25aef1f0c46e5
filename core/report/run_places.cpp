#include "core/report/run_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/report/storage_notes.h"
#include "core/store/run_settings.h"

namespace cospadi {

RunPlaces::RunPlaces(const std::vector<RunRow>& runs,
                     const std::function<std::string(const RunRow&)>& placeOf,
                     std::set<std::string> told)
    : m_told(std::move(told)) {
    struct Candidate {
        const RunRow* run;
        std::string place;
        RunSettings rest;
    };
    std::vector<Candidate> candidates;
    for (const RunRow& run : runs) {
        candidates.push_back({&run, placeOf(run), restOf(settingsOf(run), m_told)});
    }
    std::vector<PlacedKind> kinds;
    std::map<std::string, std::vector<const Candidate*>> byPlace;
    std::vector<std::string> order;
    for (const Candidate& candidate : candidates) {
        if (candidate.run->method != "dense") {
            kinds.push_back({&candidate.rest, candidate.place});
        }
        auto& here = byPlace[candidate.place];
        if (here.empty()) {
            order.push_back(candidate.place);
        }
        here.push_back(&candidate);
    }
    const RunSettings usual = usualKind(kinds);
    for (const std::string& place : order) {
        const std::vector<const Candidate*>& here = byPlace[place];
        const auto found = std::find_if(here.begin(), here.end(), [&](const Candidate* one) {
            return agree(one->rest, usual);
        });
        const Candidate& shown = found != here.end() ? **found : *here.front();
        RunPlace& next = m_places.emplace_back();
        next.kind = shown.rest;
        for (const Candidate* one : here) {
            if (one->rest == shown.rest) {
                next.runs.push_back(one->run);
            } else {
                collectDifferences(shown.rest, one->rest, m_mixed);
                ++m_leftOut;
            }
        }
    }
}

ReportCell RunPlaces::mean(const RunPlace& place, const std::function<double(const RunRow&)>& value,
                           const std::function<double(const RunRow&)>& standardError) {
    std::vector<SeedValue> values;
    for (const RunRow* run : place.runs) {
        const double number = value(*run);
        if (std::isfinite(number)) {
            values.push_back({seedOf(settingsOf(*run), m_told), number, run,
                              standardError ? standardError(*run) : 0.0});
        }
    }
    const SeedMean mean = meanOverSeeds(values);
    if (mean.repetitions > 0) {
        m_repetitions.insert(place.runs.front());
    }
    return mean.cell.count > 0 ? ReportCell(mean.cell) : ReportCell();
}

std::vector<std::string> RunPlaces::notes() const {
    std::vector<std::string> notes;
    if (m_leftOut > 0) {
        notes.push_back(leftOutNote(m_leftOut, "row", m_mixed));
    }
    std::vector<RunSettings> kinds;
    for (const RunPlace& place : m_places) {
        kinds.push_back(place.kind);
    }
    const std::set<std::string> between = differingSettings(kinds);
    if (!between.empty()) {
        notes.push_back(differencesNote("rows", between));
    }
    if (!m_repetitions.empty()) {
        notes.emplace_back(kRepetitionsNote);
    }
    std::vector<const RunRow*> onShow;
    for (const RunPlace& place : m_places) {
        onShow.insert(onShow.end(), place.runs.begin(), place.runs.end());
    }
    for (std::string& note : storageNotes(onShow)) {
        notes.push_back(std::move(note));
    }
    return notes;
}

std::string leftOutNote(std::int64_t runs, const std::string& place,
                        const std::set<std::string>& fields) {
    return fmt::format("{} runs are left out: they share a {} with others and differ in {}", runs,
                       place, fmt::join(fields, ", "));
}

std::string differencesNote(const std::string& places, const std::set<std::string>& fields) {
    return fmt::format("{} also differ in settings not shown in the table: {}", places,
                       fmt::join(fields, ", "));
}

}  // namespace cospadi
