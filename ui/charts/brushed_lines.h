// Lines across upright axes, and the brushes on these: where each value lies, which lines are
// inside every brush. What parallel coordinates draw and filter by.
//
// Places on an axis are in axis coordinates: the value, or its log10 where the axis is logarithmic.
// A value of its own, not shared between threads.
#pragma once

#include <QHash>
#include <QList>
#include <QSet>
#include <QString>
#include <optional>
#include <vector>

#include "ui/models/parallel_lines.h"

namespace cospadi::ui {

struct AxisRange {
    double low = 0;  // in axis coordinates, as the next
    double high = 1;
    bool single = false;  // one value in the middle is all there is

    double share(double at) const { return (at - low) / (high - low); }  // 0 at low, 1 at high
};

class BrushedLines {
  public:
    // Brushes of axes that are there under the same word() stay.
    void set(const QList<ParallelAxis>& axes, const QList<ParallelLine>& lines);
    const QList<ParallelAxis>& axes() const { return m_axes; }
    const QList<ParallelLine>& lines() const { return m_lines; }
    int axisCount() const { return static_cast<int>(m_axes.size()); }

    const AxisRange& range(int axis) const { return m_ranges[axis]; }  // a little more than all
    double coordinate(int axis, double value) const;  // NaN where the axis cannot show it
    double coordinateOf(const ParallelLine& line, int axis) const;  // NaN where it has a gap
    double shareOf(const ParallelLine& line, int axis) const;       // of the range; NaN, too

    std::optional<AxisRange> brush(int axis) const;
    // Cut to the range; low > high, or all of the range, clears it.
    void setBrush(int axis, const AxisRange& brush);
    void clearBrushes() { m_brushes.clear(); }
    bool isBrushed() const { return !m_brushes.isEmpty(); }
    std::vector<bool> passing() const;  // inside every brush? One a line
    QSet<QString> passingKeys() const;

  private:
    AxisRange rangeOf(int axis) const;

    QList<ParallelAxis> m_axes;
    QList<ParallelLine> m_lines;
    QList<AxisRange> m_ranges;
    QHash<QString, AxisRange> m_brushes;  // by the axis' word()
};

}  // namespace cospadi::ui
