// The look of the n-th of several curves: the theme's colours first, those that some eyes cannot
// tell apart with dashes of their own; then the same in other shades and with other dashes, so that
// curves beyond the eighth are told apart, too. No two shades are equal: a curve in the colour of
// an earlier one is taken to accompany that one (ui/charts/curve_look.h).
#pragma once

#include <QIcon>

#include "ui/models/curve.h"

namespace cospadi::ui {

inline constexpr int kSeriesRounds = 4;  // through the colours, until looks come again

void setSeriesLook(Curve& curve, int index);
// Of the place-th colour, without its shades.
Qt::PenStyle seriesPen(int place, int round);
// Of a curve in that colour which dashed or dotted ones accompany: solid as far as everybody tells
// the colours apart.
Qt::PenStyle leadingPen(const QColor& colour);
// Of those, the first and the second in that colour: dashed and dotted, where the colour is one of
// the first. Wherever colours look alike to somebody, their first ones have other dashes than each
// other, and so have their second ones.
inline constexpr int kMostCompanions = 2;
Qt::PenStyle companionPen(const QColor& colour, int which);  // from 1, then again from there
// Of what stands beside curves with looks of their own, as what others have printed: never solid,
// and in a colour that none of these has.
void setGuestLook(Curve& curve, const QList<Curve>& beside);

// The colour of a curve beside its row in a table. In a selected row it keeps it, with a ring, for
// that may have the colour of the selection. Of a colour that is not seen: as large, and empty.
QIcon swatch(const QColor& colour);

}  // namespace cospadi::ui
