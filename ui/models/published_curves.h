// What the paper prints of a metric, as curves to lay over one's own. Pure functions.
#pragma once

#include <QList>
#include <QString>
#include <string>
#include <vector>

#include "core/report/published.h"
#include "ui/models/curve.h"

namespace cospadi::ui {

// A model's results by one method in one table; how they look is for whoever lays them over others.
struct PublishedCurve {
    QString key;  // "3 Llama-3-8B": table and model
    QString name;
    Curve curve;
};
// setting: what x is, by its name. Empty where the paper prints no such metric, or not against
// this.
QList<PublishedCurve> publishedCurves(const std::vector<PublishedTable>& tables,
                                      const std::string& metric, const std::string& setting);

}  // namespace cospadi::ui
