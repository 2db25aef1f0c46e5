// Axes side by side and the lines that run across all of them, as parallel coordinates draw them
// (ui/charts/parallel_coordinates.h).
#pragma once

#include <QColor>
#include <QList>
#include <QString>
#include <QStringList>

namespace cospadi::ui {

struct ParallelAxis {
    QString name;
    QStringList categories;    // values are places in it; empty: numbers
    bool logarithmic = false;  // only where all values are > 0
    bool operator==(const ParallelAxis&) const = default;
};

// Of a line that stands out.
struct LineLook {
    QColor colour;
    Qt::PenStyle pen = Qt::SolidLine;
    bool operator==(const LineLook&) const = default;
};

struct ParallelLine {
    QString key;
    QString name;          // for the tool tip
    QList<double> values;  // one an axis; NaN: the line has a gap there
    bool operator==(const ParallelLine& other) const {
        return key == other.key && name == other.name;
    }
};

}  // namespace cospadi::ui
