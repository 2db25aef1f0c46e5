// Tokens a second wherever they are from: of one's own runs (store/throughput.h), and as the paper
// prints them.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/store/run_row.h"
#include "core/store/throughput.h"

namespace cospadi {

struct RateCell {
    std::string model, method, layers;
    double cr = unknownNumber;  // of these layers; unknown of the dense model
    std::int64_t users = 1;
    std::int64_t prompt = 1;
    double rate = 0;
    bool published = false;
    ThroughputPoint point = {};  // of an own run
    ThroughputMode mode = ThroughputMode::Synchronous;

    bool isDense() const { return !std::isfinite(cr); }
};

// What was measured of each run, read once for all modes.
class RunThroughput {
  public:
    // runs must outlive it, newest first.
    explicit RunThroughput(const std::vector<RunRow>& runs);

    const std::vector<std::pair<const RunRow*, ThroughputRecord>>& records() const {
        return m_records;
    }
    const std::vector<std::string>& notes() const { return m_notes; }  // of files passed over

  private:
    std::vector<std::pair<const RunRow*, ThroughputRecord>> m_records;
    std::vector<std::string> m_notes;
};

// Those of one mode that were measured alike, the way that most points were; of runs with the same
// model, method label, layers and ratio the newest.
class RunRates {
  public:
    RunRates(const RunThroughput& runs, ThroughputMode mode);

    const std::vector<RateCell>& cells() const { return m_cells; }
    // How they were measured, and how many records are left out; nothing where there are none.
    void addNotes(std::vector<std::string>& notes) const;

  private:
    // What makes rates comparable: tokens, rounds, threads, processor, weights.
    using Setting = std::tuple<std::int64_t, std::int64_t, int, std::string, std::string>;
    static Setting settingOf(const ThroughputRecord& record);
    void add(const RunRow& run, const ThroughputRecord& record);

    ThroughputMode m_mode;
    Setting m_setting;
    std::vector<RateCell> m_cells;
    std::int64_t m_otherwise = 0;
};

// Of one of the paper's tables, without its means over prompts.
std::vector<RateCell> publishedRates(const char* table);

}  // namespace cospadi
