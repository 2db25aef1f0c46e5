// The chart of every page: curves or points over a linear x and a linear or logarithmic y.
//
// Takes all curves at once and works only on those that changed; decimates to the width it has,
// drops what a logarithm cannot show, keeps background curves grey and out of the legend, says what
// the curves are worth under the pointer, zooms (wheel; Shift: x only, Ctrl: y only), pans (drag)
// and shows all again (double click), and exports itself. Qt Charts lays out axes and legend; the
// curves themselves are drawn by a CurveLayer. Log positions are drawn as log10 on a plain axis
// with own ticks: Qt's log axis loses a series at a value ≤ 0 and has ticks only at decades. GUI
// thread only.
#pragma once

#include <QChartView>
#include <QColor>
#include <QLabel>
#include <QList>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <limits>
#include <optional>

#include "ui/charts/chart_export.h"
#include "ui/charts/decimator.h"
#include "ui/models/curve.h"

class QCategoryAxis;
class QXYSeries;

namespace cospadi::ui {

class CurveLayer;

class CurveChart : public QChartView {
    Q_OBJECT

  public:
    explicit CurveChart(QWidget* parent = nullptr);

    void setAxisTitles(const QString& x, const QString& y);
    void setLogarithmic(bool on);
    bool isLogarithmic() const { return m_logarithmic; }
    void setWholeX(bool on) { m_wholeX = on; }        // iterations: no ticks between
    void setZeroBased(bool on) { m_zeroBased = on; }  // linear y starts at 0
    void keepTitles() { m_titlesYield = false; }      // of the axes, however low the chart is
    // Running mean over this many points; 0 and 1 show the curves as they are.
    void setSmoothing(int window);
    // White background and a line style of its own for every curve; for the export.
    void setPrintLook(bool on);
    // Ticks for x instead of numbers, e.g. the first layer of every block; empty: numbers again.
    // margin: room left and right of the outermost points, in units of x.
    void setXTicks(const QList<QPair<double, QString>>& ticks, double margin = 0.5);
    // Shown in the middle while there is nothing to draw.
    void setEmptyText(const QString& text);

    void setCurves(const QList<Curve>& curves);
    const QList<Curve>& curves() const { return m_curves; }
    int drawnPoints() const;  // over all curves, after decimation

    // Axis coordinates (log10 of y where logarithmic); nothing: all that there is.
    void zoomTo(const std::optional<QRectF>& area);
    const std::optional<QRectF>& zoomedArea() const { return m_zoomed; }
    // What the curves are worth at an x: the lines of the box under the pointer.
    QStringList valuesAt(double x, double pixelsPerUnit = 0) const;

    // The chart as it stands now, zoom included, for the writers of chart_export.h.
    ExportSource exportSource(const QString& name) const;
    QString csv() const;  // curve,x,y in full, whatever is drawn

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
    // Of what is finite and can be drawn.
    struct Extent {
        double left = std::numeric_limits<double>::infinity();
        double right = -std::numeric_limits<double>::infinity();
        double least = std::numeric_limits<double>::infinity();
        double greatest = -std::numeric_limits<double>::infinity();
    };
    // A curve as it is held: what was given, what of it can be drawn, and its place in the legend.
    struct Entry {
        Curve curve;
        Extent extent;       // as measured
        Decimator drawable;  // smoothed, without what the axis cannot show
        bool logarithmic = false;
        int smoothing = 0;
        QXYSeries* series = nullptr;  // without points
    };

    void redraw(bool everything = false);
    void shrinkTo(qsizetype entries);
    void takePoints(Entry& entry, const Curve& curve) const;
    bool isListed(const Curve& curve) const;  // in the legend
    void style(qsizetype index);
    int printPlace(qsizetype index) const;  // of its colour and dashes in print
    qsizetype leaderOf(qsizetype index) const;
    void drawEntry(qsizetype index);
    Extent extentOf(const QList<QPointF>& points) const;
    void updateAxes();
    void applyColours();
    QXYSeries* makeSeries(const Curve& curve);
    QPen penOf(qsizetype index) const;
    int plotPixels() const;
    QPointF valueAt(const QPointF& position) const;  // axis coordinates of a viewport position
    void zoomBy(double x, double y, const QPointF& around);
    void setArea(const QRectF& area, const QList<QPair<double, QString>>& xTicks,
                 const QList<QPair<double, QString>>& yTicks);
    static void setTicks(QCategoryAxis* axis, double low, double high,
                         const QList<QPair<double, QString>>& ticks);

    QCategoryAxis* m_x;
    QCategoryAxis* m_y;
    QLabel* m_emptyText;
    QList<Curve> m_curves;
    QList<Entry> m_entries;
    CurveLayer* m_layer;  // curve i is entry i
    QList<QPair<double, QString>> m_xTicks;
    double m_xMargin = 0;  // with m_xTicks
    QString m_ownName;     // accessible name, where the page gives none
    bool m_logarithmic = false;
    bool m_wholeX = false;
    bool m_zeroBased = false;
    bool m_print = false;
    bool m_titlesYield = true;
    int m_smoothing = 0;
    std::optional<QRectF> m_zoomed;
    QRectF m_full;                     // what there is, in axis coordinates
    std::optional<QPointF> m_pointer;  // in the viewport, while over the plot
    std::optional<QPointF> m_dragged;  // where the drag has got to
    int m_drawnPixels = 0;
};

}  // namespace cospadi::ui
