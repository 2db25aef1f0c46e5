// The arguments of `cospadi` that make what was designed: report --rows …
#pragma once

#include <string>
#include <vector>

#include "core/report/figure_design.h"
#include "core/report/table_design.h"

namespace cospadi {

std::vector<std::string> reportArguments(const TableDesign& design);
// Of a chart that is a series (series.h): its points.
std::vector<std::string> reportArguments(const FigureDesign& design);

}  // namespace cospadi
