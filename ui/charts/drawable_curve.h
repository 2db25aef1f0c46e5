// The points of a curve as a chart holds them: smoothed, without what the axis cannot show, and
// decimated to what a look at any part of them needs. Looks again only at what has changed. A value
// of its own, not shared between threads.
#pragma once

#include <QLineF>
#include <QList>
#include <QPointF>
#include <QRectF>
#include <limits>
#include <optional>

#include "ui/charts/decimator.h"
#include "ui/models/curve.h"

namespace cospadi::ui {

// Which axes count by their logarithm.
struct LogarithmicAxes {
    bool x = false;
    bool y = false;
    bool operator==(const LogarithmicAxes&) const = default;
};

// Of what is finite and can be drawn, bands included: x in axis coordinates, y as measured. Empty:
// left > right.
struct CurveExtent {
    double left = std::numeric_limits<double>::infinity();
    double right = -std::numeric_limits<double>::infinity();
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();

    void add(const CurveExtent& other);
};

class DrawableCurve {
  public:
    // Points ascend in x. Where an axis is logarithmic only what is > 0 there can be shown.
    // smoothing: the running mean over so many points; 0 and 1: as they are.
    void setPoints(const Curve& curve, const LogarithmicAxes& logarithmic, int smoothing);

    const CurveExtent& extent() const { return m_extent; }
    bool isSinglePoint() const { return m_values.points().size() == 1; }
    // In axis coordinates (log10 where logarithmic), for a plot so many pixels wide; with an area
    // only what lies between its sides.
    QList<QPointF> drawn(const std::optional<QRectF>& area, int pixels) const;
    // Upright lines from mean − deviation to mean + deviation, in axis coordinates; all of them.
    // What reaches below what a logarithm can show ends far below the mean.
    const QList<QLineF>& spreads() const { return m_spreads; }

  private:
    void findSpreads();

    QList<QPointF> m_points;  // as given
    QList<double> m_deviations;
    LogarithmicAxes m_logarithmic;
    int m_smoothing = 0;
    CurveExtent m_extent;
    QList<QLineF> m_spreads;
    Decimator m_values;
};

}  // namespace cospadi::ui
