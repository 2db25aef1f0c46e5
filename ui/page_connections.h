// What leads from one page to another, and what pages hear of one another, of runs and of sweeps on
// clusters: signals that need nobody between them. What is planned goes by planned_runs.h.
#pragma once

#include "ui/window_pages.h"
#include "ui/window_services.h"

namespace cospadi::ui {

class ClusterLife;
class RunLife;
class RunMeasures;

struct ConnectedParts {  // none is null
    WindowPages pages;
    WindowServices services;
    RunLife* runLife;
    RunMeasures* runMeasures;
    ClusterLife* clusterLife;
};

// Once, when what ticks change is told to the plan already (planned_runs.h).
void connectPages(const ConnectedParts& parts);

}  // namespace cospadi::ui
