// What is told of parallel coordinates to those who do not see them: the axis and the line that the
// keyboard is at, in words. Pure functions of the lines.
#pragma once

#include <QString>

#include "ui/charts/brushed_lines.h"

namespace cospadi::ui {

// The axis, its place among the others, its brush or else its ends, and how many runs are inside
// all brushes.
QString axisWords(const BrushedLines& lines, int axis);

// The line's name and its value on every axis.
QString lineWords(const BrushedLines& lines, int line);

}  // namespace cospadi::ui
