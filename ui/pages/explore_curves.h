// What the Explore page shows of an exploration: the error by iteration, by ρ and by stored bytes
// as curves, with the low-rank method at the same bytes beside them, and the setting at hand in
// words. An exploration that has only begun gives what there is of it. Pure functions.
#pragma once

#include <QList>
#include <QPointF>
#include <QString>

#include "ui/engine/explore_trace.h"
#include "ui/widgets/curve_chart.h"

namespace cospadi::ui {

// before: curves of earlier settings, drawn behind.
QList<Curve> errorByIteration(const ExploreTrace& trace, const QList<QList<QPointF>>& before);
QList<Curve> errorByRho(const ExploreTrace& trace);
QList<Curve> errorByBytes(const ExploreTrace& trace);  // in kB

// Rich text; only where trace.here() has an error.
QString exploreFacts(const ExploreTrace& trace);

}  // namespace cospadi::ui
