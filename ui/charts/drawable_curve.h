// The points of a curve as a chart holds them: smoothed, without what the axis cannot show, and
// decimated to what a look at any part of them needs. Looks again only at what has changed. A value
// of its own, not shared between threads.
#pragma once

#include <QList>
#include <QPointF>
#include <QRectF>
#include <limits>
#include <optional>

#include "ui/charts/decimator.h"

namespace cospadi::ui {

// Of what is finite and can be drawn, as measured. Empty: left > right.
struct CurveExtent {
    double left = std::numeric_limits<double>::infinity();
    double right = -std::numeric_limits<double>::infinity();
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();

    void add(const CurveExtent& other);
};

class DrawableCurve {
  public:
    // points: ascending in x. logarithmic: only y > 0 can be shown. smoothing: the running mean
    // over so many points; 0 and 1: as they are.
    void setPoints(const QList<QPointF>& points, bool logarithmic, int smoothing);

    const CurveExtent& extent() const { return m_extent; }
    bool isSinglePoint() const { return m_values.points().size() == 1; }
    // In axis coordinates (log10 of y where logarithmic), for a plot so many pixels wide; with an
    // area only what lies between its sides.
    QList<QPointF> drawn(const std::optional<QRectF>& area, int pixels) const;

  private:
    QList<QPointF> m_points;  // as given
    bool m_logarithmic = false;
    int m_smoothing = 0;
    CurveExtent m_extent;
    Decimator m_values;
};

}  // namespace cospadi::ui
