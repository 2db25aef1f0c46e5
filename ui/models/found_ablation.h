// All that an ablation of some runs takes reading them for: thousands take a second, so it is found
// off the GUI thread and drawn on it. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/ablation.h"
#include "ui/models/ablation_curves.h"

namespace cospadi::ui {

// What there is to choose from.
struct AblationNames {
    std::vector<std::string> measured;
    std::vector<std::string> varied;  // settings in which the runs differ
    std::vector<std::string> others;  // that they share
    AblationAxes first;               // with which it shows something, while nobody has chosen
};

struct FoundAblation {
    AblationPlot plot;
    AblationNames names;
    double baseline = unknownNumber;  // y of the run that is pinned
    QString baselineName;
    QString problem;  // why there is no plot
};

FoundAblation foundAblation(const std::vector<RunRow>& runs, const AblationAxes& axes,
                            const std::optional<RunRow>& pinned);

// With the baseline as a line from side to side, and every point told beside it.
AblationCharts chartsOf(const FoundAblation& found);

}  // namespace cospadi::ui
