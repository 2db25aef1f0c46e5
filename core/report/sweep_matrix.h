// The runs of a sweep as a matrix that fills: by two of the settings in which they differ, a run a
// cell, whether it waits, is at work, ended otherwise or is finished. Nothing is averaged: where
// runs differ in more than the two, the others stand in the names of the rows.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/base/phrase.h"
#include "core/report/report_table.h"
#include "core/report/run_names.h"
#include "core/store/run_row.h"

namespace cospadi {

// The status of a row that is no run yet: a specification that was asked for.
inline constexpr const char* kWaitingStatus = "waiting";

struct SweepCell {
    RunRow run;                    // without a status: there is none of these settings
    double value = unknownNumber;  // of the metric; NaN: not finished, or not measured
};

struct SweepMatrix {
    std::vector<std::string> settings;  // to choose rows and columns from: in which runs differ
    std::string rows, columns;          // those that stand there; empty: none does
    std::vector<std::string> rowNames;  // "ρ 1.5, seed 2"
    std::vector<std::string> columnNames;
    std::vector<SweepCell> cells;  // row after row
    BestValue best = BestValue::None;
    std::size_t finished = 0;
    std::size_t count = 0;      // of cells with a run, or one that waits
    std::vector<Phrase> notes;  // how the value was measured

    const SweepCell& at(std::size_t row, std::size_t column) const {
        return cells[row * columnNames.size() + column];
    }
};

struct SweepAxes {
    std::string rows, columns;  // a setting; one in which the runs do not differ: chosen for them
    std::string metric = "error";
    bool operator==(const SweepAxes&) const = default;
};

bool isOfSweep(const RunRow& run);
// The names of the sweeps that runs belong to (kSweepTag).
std::set<std::string> sweepNames(const std::vector<RunRow>& runs);
// Those of one sweep.
std::vector<RunRow> runsOfSweep(const std::vector<RunRow>& runs, const std::string& sweep);

// Of runs of equal settings the one that tells most counts: finished, at work, waiting, ended
// otherwise; of equals the first. runs: newest first; those that wait with status kWaitingStatus,
// whose paths need not be resolved. wording: of settings in the names of rows and columns. Throws
// Error for a metric that is none.
SweepMatrix sweepMatrix(const std::vector<RunRow>& runs, const SweepAxes& axes,
                        const SettingWording& wording = settingWords);

}  // namespace cospadi
