// The outline of a histogram's bars as a curve: two points a bin, at its two edges and the height
// of its count. Pure.
#pragma once

#include "ui/models/curve.h"

namespace cospadi::ui {

// Bins of equal width from low to high; in the colour of values, without a name.
Curve histogramCurve(double low, double high, const QList<double>& counts);

}  // namespace cospadi::ui
