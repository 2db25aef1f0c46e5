#include "core/report/throughput_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "core/report/published_values.h"
#include "core/report/up_gate.h"

namespace cospadi {

namespace {

std::string rateModel(const RunRow& run) {
    const std::filesystem::path path(run.model);
    return (path.extension() == ".gguf" ? path.stem() : path.filename()).string();
}

std::int64_t countOf(const PublishedRow& row, const char* setting, std::int64_t otherwise) {
    const std::string text = settingOf(row, setting).value_or("");
    std::int64_t count = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), count);
    return count;
}

}  // namespace

RunThroughput::RunThroughput(const std::vector<RunRow>& runs) {
    for (const RunRow& run : runs) {
        for (ThroughputRecord& record : throughputOf(run.directory, &m_notes)) {
            m_records.emplace_back(&run, std::move(record));
        }
    }
}

RunRates::Setting RunRates::settingOf(const ThroughputRecord& record) {
    return {record.tokens, record.rounds, record.threads, record.cpu, record.weights};
}

RunRates::RunRates(const RunThroughput& runs, ThroughputMode mode) : m_mode(mode) {
    const auto isOfMode = [mode](const ThroughputRecord& record) {
        return record.mode == mode && !record.points.empty();
    };
    std::map<Setting, int> counts;
    for (const auto& [run, record] : runs.records()) {
        if (isOfMode(record)) {
            counts[settingOf(record)] += static_cast<int>(record.points.size());
        }
    }
    if (counts.empty()) {
        return;
    }
    m_setting = std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
                    return a.second < b.second;
                })->first;
    std::set<std::string> seen;
    for (const auto& [run, record] : runs.records()) {
        if (!isOfMode(record)) {
            continue;
        }
        if (settingOf(record) != m_setting) {
            ++m_otherwise;
        } else if (seen.insert(fmt::format("{} {} {} {}", rateModel(*run), methodLabel(*run),
                                           layersLabel(*run), run->cr))
                       .second) {
            add(*run, record);
        }
    }
}

void RunRates::addNotes(std::vector<std::string>& notes) const {
    if (m_cells.empty()) {
        return;
    }
    const auto& [tokens, rounds, threads, cpu, weights] = m_setting;
    notes.push_back(fmt::format(
        "own rows, {}: {} tokens generated for each of {} prompts {}, {} threads of {}; "
        "uncompressed weights are {} in memory",
        name(m_mode), tokens, rounds,
        m_mode == ThroughputMode::Synchronous ? "one after the other" : "per user over HTTP",
        threads, cpu, weights.empty() ? "float32" : weights));
    if (m_otherwise > 0) {
        notes.push_back(
            fmt::format("{} records are left out: other machines, threads, weights, numbers of "
                        "tokens or rounds",
                        m_otherwise));
    }
}

void RunRates::add(const RunRow& run, const ThroughputRecord& record) {
    const bool isDense = run.method == "dense";
    for (const ThroughputPoint& point : record.points) {
        m_cells.push_back({rateModel(run), methodLabel(run), isDense ? "" : layersLabel(run),
                           isDense ? unknownNumber : run.cr, point.users, point.prompt,
                           point.tokensPerSecond(), false, point, m_mode});
    }
}

std::vector<RateCell> publishedRates(const char* table) {
    const PublishedTable published = publishedTable(table);
    std::vector<RateCell> cells;
    for (const PublishedRow& row : published.rows) {
        const auto rate = row.values.find("throughput");
        if (rate == row.values.end() || settingOf(row, "aggregate")) {
            continue;
        }
        const bool isDense = row.method == "dense";
        cells.push_back({fmt::format("{} (paper, table {})", row.model, published.number),
                         row.method, isDense ? "" : settingOf(row, "layers").value_or(""),
                         isDense ? unknownNumber
                                 : publishedUpGateRatio(row, {published}).value_or(unknownNumber),
                         countOf(row, "users", 1), countOf(row, "prompt_length", 1), rate->second,
                         true});
    }
    return cells;
}

}  // namespace cospadi
