// A metric of stored runs against bytes, CR, ρ or iterations, and the paper's results beside it.
//
// Nothing that differs in something else than x is joined by a line: runs that agree in every
// setting that counts but the one on x are a curve, named by what tells it from the others. Against
// bytes, which are measured and not chosen, runs are points by method, and a front is drawn for
// each model and set of layers: bytes of other layers cannot be compared. Pure functions.
#pragma once

#include <QList>
#include <QString>
#include <string>
#include <vector>

#include "core/report/published.h"
#include "ui/models/comparison_curves.h"

namespace cospadi::ui {

// name: one of run_dimensions.h. Of runs that agree in x as well the latest counts.
ComparisonPlot metricAgainst(const std::vector<RunCurves>& curves, const std::string& name,
                             Comparison against);

// What the paper prints of a metric, as one curve: a model's results by one method in one table.
struct PublishedCurve {
    QString key;  // "3 Llama-3-8B": table and model
    QString name;
    Curve curve;
};
// Empty where the paper prints no such metric, or not against this.
QList<PublishedCurve> publishedCurves(const std::vector<PublishedTable>& tables,
                                      const std::string& metric, Comparison comparison);

}  // namespace cospadi::ui
