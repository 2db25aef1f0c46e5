// What the Explore page shows of an exploration: the error of its matrices by iteration, by ρ and
// by stored bytes as curves, as far as the method has them, else as its one point, with the
// low-rank method at the same bytes beside them (dashed), and the setting at hand in words. An
// exploration that has only begun gives what there is of it. One matrix has the first colours to
// itself; of several, each has its own, for which the table of facts is the legend. Pure functions.
#pragma once

#include <QList>
#include <QPointF>
#include <QString>

#include "ui/engine/explore_trace.h"
#include "ui/models/curve.h"

namespace cospadi::ui {

// Of an earlier setting of the same matrix.
struct EarlierCurve {
    QList<QPointF> points;  // (iteration, error)
    bool whitened = false;
};

// before: drawn behind, as far as their errors are of the same kind. A plain error beside a
// whitened one compares nothing.
QList<Curve> errorByIteration(const ExploreTrace& trace, const QList<EarlierCurve>& before);
QList<Curve> errorByRho(const ExploreTrace& trace);
// x in kB; of several matrices, whose sizes may differ, in % of their bytes in bfloat16.
QList<Curve> errorByBytes(const ExploreTrace& trace);

// Rich text: a line about the first matrix, or a table of all, in the colours of their curves.
// Empty while there is nothing to tell.
QString factsOfFirst(const ExploreTrace& trace);
QString factsOfAll(const ExploreTrace& trace);
// How far it has come, of so many values on its curves.
QString stateOf(const ExploreTrace& trace, qsizetype values);

}  // namespace cospadi::ui
