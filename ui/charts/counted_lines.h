// Very many lines of parallel coordinates, counted instead of painted (line_density.h): those
// inside every brush, and the others. A brush that moves costs what the lines cost that enter or
// leave it. A value of its own.
#pragma once

#include <QColor>
#include <QImage>
#include <QSize>
#include <vector>

#include "ui/charts/line_density.h"
#include "ui/charts/parallel_layout.h"

namespace cospadi::ui {

class CountedLines {
  public:
    void forget() { m_inside.clear(); }  // other lines come, or the same in other places

    // size: of the layout's picture; ratio: pixels of the screen to one of its.
    void count(const BrushedLines& lines, const ParallelLayout& layout, const QSize& size,
               double ratio);
    const std::vector<bool>& inside() const { return m_inside; }  // one a line
    // Over `image`, in pixels of the screen. Colours: of one line, alpha included.
    void paintOver(QImage& image, const QColor& outside, const QColor& inside) const;

  private:
    LineDensity m_linesInside;
    LineDensity m_linesOutside;
    std::vector<bool> m_inside;  // as they are counted; empty: none yet
    QSize m_pixels;              // that they are counted on: a window can move to another screen
};

}  // namespace cospadi::ui
