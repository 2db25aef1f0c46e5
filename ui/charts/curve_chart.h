// The chart of every page: curves or points, with bands around them where values are means; either
// axis linear or logarithmic.
//
// Takes all curves at once; drops what a logarithm cannot show, keeps background curves grey and
// out of the legend, says what the curves are worth under the pointer, zooms, pans and shows all
// again (double click), and exports itself. Qt Charts lays out the axes (curve_axes.h); the curves
// themselves are prepared by LayeredCurves and drawn by a CurveLayer, and named by a CurveLegend;
// what wheel, mouse and keys do is a CurveHand's. GUI thread only.
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
#include "ui/charts/curve_hand.h"
#include "ui/charts/curve_zoom.h"
#include "ui/charts/layered_curves.h"
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
    void setLogarithmic(bool on) { setLogarithmicAxes({isLogarithmicX(), on}); }  // y
    void setLogarithmicAxes(const LogarithmicAxes& axes);
    const LogarithmicAxes& logarithmicAxes() const { return m_shown.logarithmic; }
    bool isLogarithmic() const { return m_shown.logarithmic.y; }
    bool isLogarithmicX() const { return m_shown.logarithmic.x; }
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
    const CurveAxes& axes() const { return m_axes; }
    int drawnPoints() const { return m_layered.drawnPoints(); }

    // Axis coordinates (log10 where logarithmic); nothing: all that there is.
    void zoomTo(const std::optional<QRectF>& area);
    const std::optional<QRectF>& zoomedArea() const { return m_zoom.area(); }
    // As much more of x and y (factors; < 1: less) around a place in the viewport.
    void zoomBy(double x, double y, const QPointF& around);
    // What is zoomed, as by a hand that has hold of it: both are places in the viewport.
    void moveBy(const QPointF& from, const QPointF& to);
    // What the curves are worth at an x: the lines of the box under the pointer.
    QStringList valuesAt(double x, double pixelsPerUnit = 0) const;

    // The chart as it stands now, zoom included, for the writers of chart_export.h.
    ExportSource exportSource(const QString& name) const;
    QString csv() const;  // curve_csv.h

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
    void redraw(bool everything = false);
    void updateAxes();
    void showTitles();
    void applyColours();
    void nameCurves();
    void placeLegend();
    int plotPixels() const;
    void showZoom();

    CurveLayer* m_layer;
    LayeredCurves m_layered;
    CurveLegend* m_legend;
    CurveAxes m_axes;
    CurveHand m_hand;
    QLabel* m_emptyText = nullptr;
    QList<Curve> m_curves;
    QString m_ownName;  // accessible name, where the page gives none
    CurvesShown m_shown;
    bool m_isLegendShown = true;
    Titles m_titles = Titles::Yield;
    CurveExtent m_shared;
    CurveZoom m_zoom;
};

}  // namespace cospadi::ui
