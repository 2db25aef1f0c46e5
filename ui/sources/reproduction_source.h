// What the dialog of the paper's tables reads, in one call each that can run on a pool thread: the
// labels there are, the plan of one, and the tables of what is stored. Opens what it needs and
// keeps nothing: safe from any thread. Errors: cospadi::Error.
#pragma once

#include <QString>
#include <map>
#include <string>
#include <vector>

#include "core/reproduce/reproduced_table.h"
#include "core/reproduce/reproduction_plan.h"

namespace cospadi::ui {

std::vector<Reproduction> paperLabels();  // as reproductions() orders them

struct PlannedLabel {
    ReproductionPlan plan;
    // Of what there is, holes among it; empty where no run is there that they could show.
    std::vector<ReproducedTable> tables;
};

// device: as the engine calls it. holes: why runs were made in vain, by their number in the plan.
PlannedLabel plannedLabel(const Reproduction& entry, ProtocolSize size, const QString& model,
                          const QString& device, const std::map<std::size_t, std::string>& holes);

}  // namespace cospadi::ui
