// The errors of a run's matrices over its iterations, as the Monitor page draws them while it goes
// on. Pure.
#pragma once

#include <QColor>
#include <QHash>
#include <QList>
#include <QString>

#include "ui/engine/run_trace.h"
#include "ui/models/curve.h"

namespace cospadi::ui {

// A curve a matrix that has an error: by iteration, of methods without iterations a single point.
// Those in `colours` (by the matrix' name) are highlighted; of these the finished ones have a point
// without a name of its own after them: the error as stored, which tells what rounding to the
// file's precision has cost. Where text was held out, each of them is followed by a dashed curve of
// its colour, named as such, and its point: the error on that text. Where it stays behind or turns
// up, the factors learn the fitted text.
QList<Curve> runErrorCurves(const RunTrace& trace, const QHash<QString, QColor>& colours);

// Those of an earlier run for the matrices in `colours`, dotted in their colours (in those that
// look like others, with the dashes of companionPen()), without entries in a legend: what stands
// below the curves above. name: of that run.
QList<Curve> referenceCurves(const RunTrace& reference, const QHash<QString, QColor>& colours,
                             const QString& name);

}  // namespace cospadi::ui
