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
    QString key = {};          // what choices keep it by, in every language; empty: its name
    const QString& word() const { return key.isEmpty() ? name : key; }
    // Earlier versions kept choices by the name.
    bool isCalled(const QString& other) const { return other == word() || other == name; }
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
