#include "core/store/iteration_series.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/store/run_row.h"

namespace cospadi {

namespace {

using nlohmann::json;

std::uint32_t indexOf(std::vector<std::string>& names, const std::string& name) {
    // Searched from the end: the name is nearly always the last one.
    const auto found = std::find(names.rbegin(), names.rend(), name);
    if (found != names.rend()) {
        return static_cast<std::uint32_t>(std::distance(found, names.rend()) - 1);
    }
    names.push_back(name);
    return static_cast<std::uint32_t>(names.size() - 1);
}

double numberOr(const json& event, const char* field, double fallback) {
    const auto value = event.find(field);
    return value != event.end() && value->is_number() ? value->get<double>() : fallback;
}

// Throws nlohmann's exception before anything is appended where the event lacks what it must have.
void append(const json& event, IterationSeries& series) {
    const std::string matrix = event.at("matrix").get<std::string>();
    const std::string phase = event.value("phase", std::string());
    const std::int32_t iteration = event.at("iteration").get<std::int32_t>();
    std::vector<std::int32_t> usage;
    if (event.contains("usage")) {
        event.at("usage").get_to(usage);
    }
    series.matrix.push_back(indexOf(series.matrixNames, matrix));
    series.phase.push_back(indexOf(series.phaseNames, phase));
    series.iteration.push_back(iteration);
    series.relativeError.push_back(numberOr(event, "relative_error", unknownNumber));
    series.seconds.push_back(static_cast<float>(numberOr(event, "seconds", 0)));
    series.deadAtoms.push_back(static_cast<std::int32_t>(numberOr(event, "dead_atoms", 0)));
    series.supportChanges.push_back(
        static_cast<std::int64_t>(numberOr(event, "support_changes", 0)));
    series.usageEntropy.push_back(static_cast<float>(numberOr(event, "usage_entropy", 0)));
    series.usageQuantiles.insert(series.usageQuantiles.end(), usage.begin(), usage.end());
    series.usageOffsets.push_back(series.usageQuantiles.size());
}

// Drops the entries of a matrix that is begun again. Matrices are worked on side by side, so they
// stand anywhere in the series.
void dropAbandoned(const std::string& name, IterationSeries& series) {
    IterationSeries kept;
    kept.matrixNames = series.matrixNames;
    kept.phaseNames = series.phaseNames;
    kept.brokenLines = series.brokenLines;
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (series.matrixNames[series.matrix[i]] == name) {
            continue;
        }
        kept.matrix.push_back(series.matrix[i]);
        kept.phase.push_back(series.phase[i]);
        kept.iteration.push_back(series.iteration[i]);
        kept.relativeError.push_back(series.relativeError[i]);
        kept.seconds.push_back(series.seconds[i]);
        kept.deadAtoms.push_back(series.deadAtoms[i]);
        kept.supportChanges.push_back(series.supportChanges[i]);
        kept.usageEntropy.push_back(series.usageEntropy[i]);
        const auto usage = series.usage(i);
        kept.usageQuantiles.insert(kept.usageQuantiles.end(), usage.begin(), usage.end());
        kept.usageOffsets.push_back(kept.usageQuantiles.size());
    }
    series = std::move(kept);
}

}  // namespace

std::span<const std::int32_t> IterationSeries::usage(std::size_t entry) const {
    return std::span(usageQuantiles)
        .subspan(usageOffsets[entry], usageOffsets[entry + 1] - usageOffsets[entry]);
}

IterationSeries readIterations(const std::filesystem::path& runDirectory) {
    IterationSeries series;
    std::ifstream stream(runDirectory / "events.jsonl");
    for (std::string line; std::getline(stream, line);) {
        const json event = json::parse(line, nullptr, false);
        try {
            const std::string kind = event.at("event").get<std::string>();
            if (kind == "iteration") {
                append(event, series);
            } else if (kind == "matrix_started") {
                const std::string name = event.at("matrix").get<std::string>();
                if (std::ranges::find(series.matrixNames, name) != series.matrixNames.end()) {
                    dropAbandoned(name, series);
                }
            }
        } catch (const json::exception&) {
            ++series.brokenLines;
        }
    }
    return series;
}

}  // namespace cospadi
