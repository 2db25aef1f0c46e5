// Draws parallel coordinates: lines, what stands out among them, axes with their brushes and ticks,
// and what the keyboard is at. On the screen in the colours of the window, in print on white. Lasts
// no longer than what it is given.
#pragma once

#include <QColor>
#include <QList>
#include <vector>

#include "ui/charts/axis_ticks.h"
#include "ui/charts/parallel_layout.h"
#include "ui/charts/parallel_look.h"

class QPainter;

namespace cospadi::ui {

class ParallelPainter {
  public:
    ParallelPainter(const BrushedLines& lines, const ParallelLook& look,
                    const ParallelLayout& layout, bool print);

    void drawLines(QPainter& painter) const;  // what fades below, what stands out above
    // Of the lines inside (one a line) those that stand out.
    void drawHighlighted(QPainter& painter, const std::vector<bool>& inside) const;
    void drawAxes(QPainter& painter, int focused = -1) const;  // focused: with the keyboard's mark
    // The line that the keyboard is at.
    void drawCurrent(QPainter& painter, const ParallelLine& line) const;
    // Where the line crosses the axis, on a ground of its own.
    void drawName(QPainter& painter, const ParallelLine& line, int axis) const;

    const QColor& fadedInk() const { return m_faded; }  // of lines outside the brushes
    // Of lines inside that do not stand out: the more there are, the fainter.
    QColor insideInk() const;

  private:
    void drawLine(QPainter& painter, const ParallelLine& line) const;
    void drawTicks(QPainter& painter, int axis) const;
    QList<Tick> ticksOf(int axis) const;
    QColor colourOf(const ParallelLine& line, int axis) const;  // by its value there

    const BrushedLines& m_all;
    const ParallelLook& m_look;
    const ParallelLayout m_layout;
    const bool m_print;
    QColor m_ground;
    QColor m_ink;
    QColor m_muted;
    QColor m_faded;
    QColor m_line;        // lines inside, where none is chosen
    QColor m_background;  // lines inside, beside chosen ones
    QColor m_brush;
    QColor m_unknown;  // of lines without the value that colours tell
};

}  // namespace cospadi::ui
