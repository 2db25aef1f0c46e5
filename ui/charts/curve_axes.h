// The axes of a CurveChart: which part of the curves is seen, and where the ticks are. x has
// numbers, whole numbers or ticks of the page's own; either may be logarithmic.
//
// Axis coordinates are x and y themselves, or log10 of them where logarithmic: Qt's log axis loses
// a series at a value ≤ 0 and has ticks only at decades. Rectangles have the least y as their
// top(). GUI thread only.
#pragma once

#include <QColor>
#include <QList>
#include <QPair>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <optional>

#include "ui/charts/drawable_curve.h"

class QCategoryAxis;
class QChart;
class QFont;

namespace cospadi::ui {

using NamedTicks = QList<QPair<double, QString>>;  // position in axis coordinates, label

// How a plot's axes are, of one chart or of several beside each other.
struct PlotAxes {
    QString xTitle;
    QString yTitle;
    NamedTicks xTicks;  // empty: numbers
    LogarithmicAxes logarithmic;
    bool wholeX = false;
};

class CurveAxes {
  public:
    CurveAxes(QChart* chart, const QFont& font);  // adds both to the chart, which owns them

    void setTitles(const QString& x, const QString& y);
    QString xTitle() const;
    QString yTitle() const;
    void setTitlesVisible(bool on);
    void setColours(const QColor& line, const QColor& grid, const QColor& words);

    // Instead of numbers; empty: numbers again. margin: left and right of the outermost points.
    void setXTicks(const NamedTicks& ticks, double margin);
    const NamedTicks& xTicks() const { return m_xTicks; }
    double xMargin() const { return m_xMargin; }
    void setWholeX(bool on) { m_wholeX = on; }  // no ticks between whole numbers
    bool isWholeX() const { return m_wholeX; }
    void setZeroBased(bool on) { m_zeroBased = on; }  // linear y starts at 0
    bool isZeroBased() const { return m_zeroBased; }

    // Spans `zoomed`, without a value all of `extent` and the round numbers around it. width: of
    // the plot, height: of the chart, in pixels; both say how many ticks there is room for.
    void span(const CurveExtent& extent, const LogarithmicAxes& logarithmic,
              const std::optional<QRectF>& zoomed, int width, int height);
    const QRectF& full() const { return m_full; }  // with nothing zoomed
    const QRectF& area() const { return m_area; }  // what is seen

    // Axis coordinates of a place in the plot, in pixels.
    QPointF valueAt(const QPointF& place, const QRectF& plot) const;
    double pixelsPerX(const QRectF& plot) const;
    // The other way: where in the plot an x lies, in axis coordinates, from the left in pixels.
    double placeOfX(double x, const QRectF& plot) const;

  private:
    void setArea(const QRectF& area, const NamedTicks& xTicks, const NamedTicks& yTicks);

    QCategoryAxis* m_x;
    QCategoryAxis* m_y;
    NamedTicks m_xTicks;
    double m_xMargin = 0;  // with m_xTicks
    bool m_wholeX = false;
    bool m_zeroBased = false;
    QRectF m_full;
    QRectF m_area;
};

}  // namespace cospadi::ui
