// The paper's UG variants: only the up and gate projections of the MLPs are compressed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/published.h"

namespace cospadi {

// Whether a regex of layers finds up and gate of every block and no other layer, however many
// blocks the model has. False for one that is none.
bool isUpGate(const std::string& layers);

// The CR of these layers alone, of a published row: as printed with it, else as another table
// prints it of what is the same row there, by its method and values; nullopt where none does.
std::optional<double> publishedUpGateRatio(const PublishedRow& row,
                                           const std::vector<PublishedTable>& tables);
// Whether a row is of such a variant.
bool isUpGate(const PublishedRow& row);

}  // namespace cospadi
