// What the Runs and Pattern pages read from disk, in one call each, so that they can run on a pool
// thread: the index brought up to date with the run directories, and the files of one run.
// Every function opens what it needs and keeps nothing: safe from any thread. Errors:
// cospadi::Error.
#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <vector>

#include "core/store/iteration_series.h"
#include "core/store/run_row.h"
#include "core/sweep/sweep_estimate.h"

namespace cospadi::ui {

// What runs can also be told apart by: every field of their specifications, and what lm-eval
// measured, as text.
struct RunSettings {
    QStringList names;
    std::vector<QStringList> values;  // a run's, by the place of its name; empty where it has none
};

struct RunCatalog {
    std::vector<RunRow> runs;  // newest first, archived ones among them
    RunSettings settings;
    MeasuredRates rates = {};   // of this machine, and the device of its newest run
    QStringList warnings = {};  // directories that were passed over, and why
};

// The runs directory in use: $COSPADI_RUNS or the user's data directory.
std::filesystem::path currentRunsDirectory();

RunCatalog readRunCatalog(const std::filesystem::path& runsDirectory);

// What a chart of one run needs.
struct RunCurves {
    RunRow run;
    std::vector<MatrixRow> matrices;  // forward order
    IterationSeries iterations;
};

std::vector<RunCurves> readRunCurves(const std::vector<RunRow>& runs);

// Names of the finished matrices of a run, in forward order.
QStringList finishedMatrices(const QString& runDirectory);
std::filesystem::path matrixFile(const QString& runDirectory, const QString& matrix);

}  // namespace cospadi::ui
