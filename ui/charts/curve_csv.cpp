#include "ui/charts/curve_csv.h"

#include <algorithm>

#include "ui/charts/chart_export.h"

namespace cospadi::ui {

QString curvesCsv(const QList<Curve>& curves, const QString& xTitle, const QString& yTitle) {
    const bool hasSpreads = std::any_of(curves.begin(), curves.end(), [](const Curve& curve) {
        return !curve.deviations.isEmpty();
    });
    QString text = QStringLiteral("curve,%1,%2,point%3\n")
                       .arg(csvCell(xTitle), csvCell(yTitle),
                            hasSpreads ? QStringLiteral(",deviation") : QString());
    for (const Curve& curve : curves) {
        for (qsizetype i = 0; i < curve.points.size(); ++i) {
            const QString deviation = i < curve.deviations.size()
                                          ? QString::number(curve.deviations[i], 'g', 17)
                                          : QString();
            text += QStringLiteral("%1,%2,%3,%4%5\n")
                        .arg(csvCell(curve.name))
                        .arg(curve.points[i].x(), 0, 'g', 17)
                        .arg(curve.points[i].y(), 0, 'g', 17)
                        .arg(csvCell(curve.pointNames.value(i)),
                             hasSpreads ? QLatin1Char(',') + deviation : QString());
        }
    }
    return text;
}

}  // namespace cospadi::ui
