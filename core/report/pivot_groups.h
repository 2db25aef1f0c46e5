// Which cells of a pivot are rivals: of another model, other layers, another ratio or another
// calibration no number is better than the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/report_table.h"

namespace cospadi {

// The values of a pivot's rows or columns along their dimensions; none: the setting does not apply.
using PivotKey = std::vector<std::optional<ReportCell>>;

// Whether cells of different values of the setting are not compared.
bool partsRivals(const std::string& setting);

// The values of such settings in a key along these dimensions: keys of one group are compared.
std::string groupOfRivals(const std::vector<std::string>& dimensions, const PivotKey& key);

}  // namespace cospadi
