// A pattern as the rows of a CSV file: every entry with its value. Pure.
#pragma once

#include <QString>

#include "ui/sources/pattern_source.h"

namespace cospadi::ui {

// atom,column,value: as they are numbered in the matrix, column after column.
QString patternCsv(const PatternData& data);

}  // namespace cospadi::ui
