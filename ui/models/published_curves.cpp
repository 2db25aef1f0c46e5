#include "ui/models/published_curves.h"

#include <algorithm>

#include "core/report/published_values.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

namespace {

// In order of x, with its name along.
void addPrinted(Curve& curve, const QPointF& point, const QString& name) {
    const auto place =
        std::lower_bound(curve.points.begin(), curve.points.end(), point.x(),
                         [](const QPointF& other, double value) { return other.x() < value; });
    const auto index = place - curve.points.begin();
    curve.points.insert(index, point);
    curve.pointNames.insert(index, name);
}

}  // namespace

QList<PublishedCurve> publishedCurves(const std::vector<PublishedTable>& tables,
                                      const std::string& metric, const std::string& wanted) {
    QList<PublishedCurve> curves;
    for (const PublishedValue& value : publishedValues(tables, metric)) {
        const auto setting = settingOf(value.row, wanted);
        bool isNumber = false;
        const double x = QString::fromStdString(setting.value_or("")).toDouble(&isNumber);
        if (!isNumber) {
            continue;
        }
        const QString table = QString::fromStdString(value.table);
        const QString model = QString::fromStdString(value.model);
        const QString name = Words::tr("%1, %2 (paper, table %3)")
                                 .arg(QString::fromStdString(value.method), model, table);
        auto known = std::find_if(curves.begin(), curves.end(),
                                  [&](const PublishedCurve& curve) { return curve.name == name; });
        if (known == curves.end()) {
            PublishedCurve curve;
            curve.key = table + ' ' + model;
            curve.name = name;
            curve.curve.name = name;
            curve.curve.style = Curve::Style::LineAndPoints;
            curves.append(curve);
            known = curves.end() - 1;
        }
        addPrinted(known->curve, QPointF(x, value.value), name);
    }
    return curves;
}

}  // namespace cospadi::ui
