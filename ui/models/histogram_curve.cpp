#include "ui/models/histogram_curve.h"

#include <algorithm>

#include "ui/base/theme.h"

namespace cospadi::ui {

Curve histogramCurve(double low, double high, const QList<double>& counts) {
    Curve bars;
    bars.colour = theme().values;
    const double width = (high - low) / static_cast<double>(std::max<qsizetype>(1, counts.size()));
    for (qsizetype i = 0; i < counts.size(); ++i) {
        const double left = low + width * static_cast<double>(i);
        bars.points.append(QPointF(left, counts[i]));
        bars.points.append(QPointF(left + width * 0.999, counts[i]));  // x ascends
    }
    return bars;
}

}  // namespace cospadi::ui
