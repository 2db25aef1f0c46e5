// Curves as the rows of a CSV file: every point in full, whatever of it is drawn. Pure.
#pragma once

#include <QList>
#include <QString>

#include "ui/models/curve.h"

namespace cospadi::ui {

// curve,x,y,point under the titles of the axes; deviation where a curve has some.
QString curvesCsv(const QList<Curve>& curves, const QString& xTitle, const QString& yTitle);

}  // namespace cospadi::ui
