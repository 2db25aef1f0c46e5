// The colours of values in maps and lines: light yellow over green to dark blue, monotone in
// lightness, so that they survive a grey print. Pure.
#pragma once

#include <QColor>

namespace cospadi::ui {

// share: 0 … 1 of the way from the least to the greatest value.
QColor scaleColour(double share);

// share: −1 … 1 of the greatest difference; grey where there is none, green below, purple above.
QColor differenceColour(double share);

// The part of it that is seen as a line on the window's panels, or on white in print.
QColor scaleLineColour(double share, bool onDark);

}  // namespace cospadi::ui
