// From stored runs to parallel coordinates: which quantities make an axis, and where each run lies
// on it. Pure functions.
#pragma once

#include <QList>
#include <QStringList>
#include <vector>

#include "core/store/run_row.h"
#include "ui/models/parallel_lines.h"

namespace cospadi::ui {

struct ParallelRuns {
    QList<ParallelAxis> axes;
    QList<ParallelLine> lines;  // a run each, by its id
};

// Method, CR, ρ, iterations, bytes, seconds, error (by the name of what it is an error of),
// perplexity and what lm-eval measured: those that at least one run has. Perplexities and tasks of
// one measure only, the one most runs have.
ParallelRuns parallelRuns(const std::vector<RunRow>& runs);

// How one wants them: axes that are named first stand first, in that order, the others behind them
// as they come; those in `hidden` are left out.
ParallelRuns arranged(const ParallelRuns& runs, const QStringList& order,
                      const QStringList& hidden);

}  // namespace cospadi::ui
