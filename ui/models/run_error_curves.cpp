#include "ui/models/run_error_curves.h"

#include "ui/base/translated.h"

namespace cospadi::ui {

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
        curves.append(curve);
        if (curve.highlighted && matrix.finished && !matrix.error.isEmpty()) {
            Curve stored;
            stored.points.append(QPointF(matrix.error.last().x(), matrix.finalError));
            stored.pointNames << tr("%1, as stored in the file").arg(matrix.name);
            stored.colour = curve.colour;
            stored.style = Curve::Style::Points;
            curves.append(stored);
        }
    }
    return curves;
}

}  // namespace cospadi::ui
