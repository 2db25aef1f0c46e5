// Where the axis of a chart has its ticks: round numbers, and for a logarithmic axis 1-2-5 steps
// (decades alone leave one tick where errors run from 0.08 to 0.3). The numbers of one axis are
// all written in one way: 100,000 as the user's locale has it or, where any is below 10⁻⁴ or from a
// million on, 2 · 10⁻⁵. Pure functions.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace cospadi::ui {

struct Tick {
    double position = 0;  // in axis coordinates: the value, or its log10
    QString label;
};

struct AxisTicks {
    double low = 0;  // axis coordinates; low < high
    double high = 1;
    QList<Tick> ticks;  // ascending, inside [low, high]
};

// What stands beside ticks: of an axis all in one way, 100,000 or 10⁵, never both.
QStringList tickLabels(const QList<double>& values);

// About `count` ticks of 1, 2 or 5 · 10ⁿ that cover [least, greatest]. whole: no fractions.
AxisTicks linearTicks(double least, double greatest, int count, bool whole = false);

// least, greatest > 0: values, not logarithms. No ticks nearer to each other than 1/most of the
// axis.
AxisTicks logarithmicTicks(double least, double greatest, int most = 1000);

}  // namespace cospadi::ui
