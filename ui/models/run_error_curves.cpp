#include "ui/models/run_error_curves.h"

#include "ui/base/translated.h"
#include "ui/models/series_look.h"

namespace cospadi::ui {

// The error as stored behind the iterations of a curve of that colour.
Curve storedPoint(const QString& name, const QPointF& at, const QColor& colour) {
    Curve stored;
    stored.points.append(at);
    stored.pointNames << name;
    stored.colour = colour;
    stored.style = Curve::Style::Points;
    return stored;
}

void appendHeldOut(const MatrixTrace& matrix, const QColor& colour, QList<Curve>& curves) {
    const bool isStored = matrix.finished && matrix.finalHeldOutError >= 0;
    if (!matrix.heldOutError.isEmpty()) {
        Curve curve;
        curve.name = Words::tr("%1, held out").arg(matrix.name);
        curve.points = matrix.heldOutError;
        curve.colour = colour;
        curve.pen = companionPen(colour, 1);
        curves.append(curve);
    }
    if (isStored) {
        const double last = matrix.heldOutError.isEmpty() ? 1 : matrix.heldOutError.last().x();
        curves.append(storedPoint(Words::tr("%1, held out, as stored in the file").arg(matrix.name),
                                  {last, matrix.finalHeldOutError}, colour));
    }
}

QList<Curve> runErrorCurves(const RunTrace& trace, const QHash<QString, QColor>& colours) {
    QList<Curve> curves;
    for (const MatrixTrace& matrix : trace.matrices()) {
        Curve curve;
        curve.name = matrix.name;
        curve.points = matrix.error;
        if (curve.points.isEmpty() && matrix.finalError >= 0) {
            curve.points.append(QPointF(1, matrix.finalError));
        }
        if (curve.points.isEmpty()) {
            continue;
        }
        curve.highlighted = colours.contains(matrix.name);
        curve.colour = colours.value(matrix.name);
        curve.pen = leadingPen(curve.colour);
        curves.append(curve);
        if (curve.highlighted && matrix.finished && !matrix.error.isEmpty()) {
            curves.append(storedPoint(Words::tr("%1, as stored in the file").arg(matrix.name),
                                      {matrix.error.last().x(), matrix.finalError}, curve.colour));
        }
        if (curve.highlighted) {
            appendHeldOut(matrix, curve.colour, curves);
        }
    }
    return curves;
}

QList<Curve> referenceCurves(const RunTrace& reference, const QHash<QString, QColor>& colours,
                             const QString& name) {
    QList<Curve> curves;
    for (const MatrixTrace& matrix : reference.matrices()) {
        if (!colours.contains(matrix.name)) {
            continue;
        }
        Curve curve;
        curve.name = QStringLiteral("%1 · %2").arg(matrix.name, name);
        curve.points = matrix.error;
        if (curve.points.isEmpty() && matrix.finalError >= 0) {
            curve.points.append(QPointF(1, matrix.finalError));
        }
        curve.colour = colours[matrix.name];
        curve.pen = companionPen(curve.colour, 2);
        curve.inLegend = false;
        if (!curve.points.isEmpty()) {
            curves.append(curve);
        }
    }
    return curves;
}

}  // namespace cospadi::ui
