// Lists in the fields of a plan become a grid of runs: every combination of the values, in the
// order method by method as they would be read in a table; and what is measured of each once it is
// finished. Pure functions.
#pragma once

#include <QList>
#include <QString>
#include <vector>

#include "core/store/run_specification.h"
#include "ui/engine/after_run.h"

namespace cospadi::ui {

struct SweepText {
    // As typed: "0.1 0.2 0.3", "0.1, 0.2", or first:last:step as "0.1:0.5:0.1". Empty: the plan's
    // own single value.
    QString cr;
    QString rho;  // also the word auto among the numbers
    QString iterations;
    QString seed;
    QString name = {};        // of the sweep, as a tag of its runs; empty: none
    bool perplexity = false;  // is measured of each run
    QString tasks = {};       // that each run is asked: names, as typed
    bool operator==(const SweepText&) const = default;
};

struct SweepValues {
    QList<double> values;
    QString problem;  // what cannot be read; then there are no values
};

// Commas separate; where the locale has a decimal comma and no point is typed, one between two
// digits of a broken number is decimal: "0,2 0,3".
SweepValues parseValues(const QString& text, double least, double greatest, bool whole);

struct Sweep {
    std::vector<RunSpecification> jobs;  // one where nothing is listed
    QString problem;
    AfterRun after =
        {};  // of each; where the tasks' data is, and how many items, is not known here
};

// At most kMostJobs, else a problem.
inline constexpr int kMostJobs = 500;
Sweep expandSweep(const RunSpecification& plan, const SweepText& text);

}  // namespace cospadi::ui
