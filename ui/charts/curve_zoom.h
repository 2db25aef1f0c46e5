// Which part of a chart is looked at. Areas are in axis coordinates (curve_axes.h). Pure.
#pragma once

#include <QPointF>
#include <QRectF>
#include <optional>

namespace cospadi::ui {

class CurveZoom {
  public:
    // No value: all that there is.
    const std::optional<QRectF>& area() const { return m_area; }
    void set(const std::optional<QRectF>& area) { m_area = area; }

    // As much more of x and y (factors; < 1: less), the place `around` staying where it is. Inside
    // `full`, all that there is; changes nothing where hardly anything would be left.
    void by(double x, double y, const QPointF& around, const QRectF& full);
    // Moves what is seen, up to the edges of `full`; nothing where all is seen.
    void move(const QPointF& by, const QRectF& full);

  private:
    std::optional<QRectF> m_area;
};

}  // namespace cospadi::ui
