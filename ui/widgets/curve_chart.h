// The chart of every page: curves or points over a linear x and a linear or logarithmic y.
//
// Takes all curves at once and redraws only those that changed; decimates to the width it has,
// drops what a logarithm cannot show, keeps background curves grey and out of the legend, says what
// a curve is under the pointer, and exports itself as SVG or PNG. Log positions are drawn as log10
// on a plain axis with own ticks: Qt's log axis loses a series at a value ≤ 0 and has ticks only at
// decades. GUI thread only.
#pragma once

#include <QChartView>
#include <QColor>
#include <QLabel>
#include <QList>
#include <QPointF>
#include <QString>
#include <QStringList>

class QCategoryAxis;
class QXYSeries;

namespace cospadi::ui {

struct Curve {
    enum class Style { Line, Points, LineAndPoints };
    QString name;
    QList<QPointF> points;    // ascending in x; y as measured, not its logarithm
    bool highlighted = true;  // coloured, in the legend, above the others
    QColor colour;
    Style style = Style::Line;
    QStringList pointNames;  // optional: what stands at each point, for the tool tip
    bool operator==(const Curve&) const = default;
};

class CurveChart : public QChartView {
    Q_OBJECT

  public:
    explicit CurveChart(QWidget* parent = nullptr);

    void setAxisTitles(const QString& x, const QString& y);
    void setLogarithmic(bool on);
    bool isLogarithmic() const { return m_logarithmic; }
    void setWholeX(bool on) { m_wholeX = on; }        // iterations: no ticks between
    void setZeroBased(bool on) { m_zeroBased = on; }  // linear y starts at 0
    // Ticks for x instead of numbers, e.g. the first layer of every block; empty: numbers again.
    void setXTicks(const QList<QPair<double, QString>>& ticks);
    // Shown in the middle while there is nothing to draw.
    void setEmptyText(const QString& text);

    void setCurves(const QList<Curve>& curves);
    const QList<Curve>& curves() const { return m_curves; }
    int drawnPoints() const;  // over all series, after decimation

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void redraw();
    void updateAxes();
    QXYSeries* makeSeries(const Curve& curve);
    void describePoint(const QPointF& at, bool inside, int curve);
    int plotPixels() const;
    static void setTicks(QCategoryAxis* axis, double low, double high,
                         const QList<QPair<double, QString>>& ticks);

    QCategoryAxis* m_x;
    QCategoryAxis* m_y;
    QLabel* m_emptyText;
    QList<Curve> m_curves;
    QList<Curve> m_drawn;  // what the series show, one entry a series
    QList<QXYSeries*> m_series;
    QList<QPair<double, QString>> m_xTicks;
    bool m_logarithmic = false;
    bool m_wholeX = false;
    bool m_zeroBased = false;
    bool m_drawnLogarithmic = false;
    int m_drawnPixels = 0;
};

}  // namespace cospadi::ui
