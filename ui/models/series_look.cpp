#include "ui/models/series_look.h"

#include "ui/base/theme.h"

namespace cospadi::ui {

void setSeriesLook(Curve& curve, int index) {
    const auto colours = static_cast<int>(theme().series.size());
    const QColor colour = theme().series[index % colours];
    switch (index / colours % kSeriesRounds) {
        case 0:
            curve.colour = colour;
            curve.pen = Qt::SolidLine;
            break;
        case 1:
            curve.colour = colour.darker(135);
            curve.pen = Qt::DashLine;
            break;
        case 2:
            curve.colour = colour.lighter(130);
            curve.pen = Qt::DotLine;
            break;
        default:
            curve.colour = colour.darker(175);
            curve.pen = Qt::DashDotLine;
    }
}

}  // namespace cospadi::ui
