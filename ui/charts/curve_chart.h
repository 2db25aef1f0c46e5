// The chart of every page: curves or points, with bands around them where values are means; either
// axis linear or logarithmic.
//
// Takes all curves at once and works only on those that changed; decimates to the width it has,
// drops what a logarithm cannot show, keeps background curves grey and out of the legend, says what
// the curves are worth under the pointer, zooms (wheel; Shift: x only, Ctrl: y only), pans (drag)
// and shows all again (double click), and exports itself. Qt Charts lays out the
// axes (curve_axes.h); the curves themselves are drawn by a CurveLayer, and named by a CurveLegend.
// GUI thread only.
#pragma once

#include <QChartView>
#include <QLabel>
#include <QList>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <optional>

#include "ui/charts/chart_export.h"
#include "ui/charts/curve_axes.h"
#include "ui/charts/curve_zoom.h"
#include "ui/charts/drawable_curve.h"
#include "ui/models/curve.h"

namespace cospadi::ui {

class CurveLayer;
class CurveLegend;

class CurveChart : public QChartView {
    Q_OBJECT

  public:
    explicit CurveChart(QWidget* parent = nullptr);

    void setAxes(const PlotAxes& axes);
    void setAxisTitles(const QString& x, const QString& y);
    void setLogarithmic(bool on) { setLogarithmicAxes({m_logarithmic.x, on}); }  // y
    void setLogarithmicAxes(const LogarithmicAxes& axes);
    bool isLogarithmic() const { return m_logarithmic.y; }
    bool isLogarithmicX() const { return m_logarithmic.x; }
    void setWholeX(bool on) { m_axes.setWholeX(on); }        // iterations: no ticks between
    void setZeroBased(bool on) { m_axes.setZeroBased(on); }  // linear y starts at 0
    enum class Titles {
        Yield,
        Stay,
        Hidden
    };  // of the axes: where the chart is low, always, never
    void setTitles(Titles titles);
    void setLegendShown(bool on);  // off: someone else says what the curves are
    // What the axes span besides the curves, so that charts beside each other can be compared.
    void setSharedExtent(const CurveExtent& extent);
    CurveExtent extent() const;  // of the curves
    // Running mean over this many points; 0 and 1 show the curves as they are.
    void setSmoothing(int window);
    // White background and a line style of its own for every curve; for the export.
    void setPrintLook(bool on);
    // Ticks for x instead of numbers, e.g. the first layer of every block; empty: numbers again.
    // margin: room left and right of the outermost points, in units of x.
    void setXTicks(const NamedTicks& ticks, double margin = 0.5) {
        m_axes.setXTicks(ticks, margin);
    }
    // Shown in the middle while there is nothing to draw.
    void setEmptyText(const QString& text);

    void setCurves(const QList<Curve>& curves);
    const QList<Curve>& curves() const { return m_curves; }
    const CurveLegend& legend() const { return *m_legend; }
    int drawnPoints() const;  // over all curves, after decimation

    // Axis coordinates (log10 where logarithmic); nothing: all that there is.
    void zoomTo(const std::optional<QRectF>& area);
    const std::optional<QRectF>& zoomedArea() const { return m_zoom.area(); }
    // What the curves are worth at an x: the lines of the box under the pointer.
    QStringList valuesAt(double x, double pixelsPerUnit = 0) const;

    // The chart as it stands now, zoom included, for the writers of chart_export.h.
    ExportSource exportSource(const QString& name) const;
    QString csv() const;  // curve,x,y,point in full, whatever is drawn; deviation where there are

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

  private:
    // A curve as it is held: what was given, and what of it can be drawn.
    struct Entry {
        Curve curve;
        DrawableCurve points;
    };

    void redraw(bool everything = false);
    void shrinkTo(qsizetype entries);
    void style(qsizetype index);
    void drawEntry(qsizetype index);
    void updateAxes();
    void showTitles();
    void applyColours();
    void nameCurves();
    void placeLegend();
    int plotPixels() const;
    void readNext(bool forward);
    void zoomBy(double x, double y, const QPointF& around);  // a place in the viewport
    void showZoom();

    CurveLayer* m_layer;  // curve i is entry i
    CurveLegend* m_legend;
    CurveAxes m_axes;
    QLabel* m_emptyText = nullptr;
    QList<Curve> m_curves;
    QList<Entry> m_entries;
    QString m_ownName;  // accessible name, where the page gives none
    LogarithmicAxes m_logarithmic;
    bool m_print = false;
    bool m_isLegendShown = true;
    Titles m_titles = Titles::Yield;
    CurveExtent m_shared;
    int m_smoothing = 0;
    CurveZoom m_zoom;
    std::optional<double> m_read;      // x that the keyboard is at
    std::optional<QPointF> m_pointer;  // in the viewport, while over the plot
    std::optional<QPointF> m_dragged;  // where the drag has got to
    int m_drawnPixels = 0;
};

}  // namespace cospadi::ui
