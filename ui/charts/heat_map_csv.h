// The numbers of a heat map as the rows of a CSV file. Pure.
#pragma once

#include <QString>

#include "ui/models/heat_map_data.h"

namespace cospadi::ui {

// row,column,value under the titles of the map: a line for every cell with a number.
QString heatMapCsv(const HeatMapData& data);

}  // namespace cospadi::ui
