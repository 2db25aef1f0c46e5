#include "ui/charts/curve_chart.h"

#include <QChart>
#include <QEvent>
#include <QFontMetricsF>
#include <QGraphicsLayout>
#include <QLegend>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/base/font_units.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_csv.h"
#include "ui/charts/curve_layer.h"
#include "ui/charts/curve_legend.h"
#include "ui/charts/curve_look.h"
#include "ui/charts/curve_readout.h"
#include "ui/charts/pgfplots.h"

namespace cospadi::ui {

namespace {

constexpr double kTitledLines = 12;  // of height, from which on axes are titled

QFont smaller(QFont font) {
    font.setPointSizeF(font.pointSizeF() * 0.92);
    return font;
}

// Above and right of it half a tick's words reach out.
QMargins aroundPlot(const QFont& font) {
    return {4, static_cast<int>(std::lround(0.7 * QFontMetricsF(font).height())),
            charactersWide(font, 3), 4};
}

}  // namespace

CurveChart::CurveChart(QWidget* parent)
    : QChartView(parent),
      m_layer(new CurveLayer(chart())),
      m_layered(*m_layer),
      m_legend(new CurveLegend(chart(), smaller(font()))),
      m_axes(chart(), smaller(font())),
      m_hand(*this) {
    m_layer->setPlot(chart()->plotArea());
    connect(chart(), &QChart::plotAreaChanged, this, [this](const QRectF& plot) {
        m_layer->setPlot(plot);
        placeLegend();
    });
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setMinimumSize(charactersWide(font(), 33), linesHigh(font(), 5.75));
    QChart* view = chart();
    view->setAnimationOptions(QChart::NoAnimation);
    view->setBackgroundRoundness(0);
    view->setMargins(aroundPlot(font()));
    view->layout()->setContentsMargins(0, 0, 0, 0);
    view->legend()->hide();  // it has no series to name
    m_emptyText = new QLabel(this);
    m_emptyText->setAlignment(Qt::AlignCenter);
    m_emptyText->setWordWrap(true);
    m_emptyText->setObjectName(QStringLiteral("muted"));
    m_emptyText->setAttribute(Qt::WA_TransparentForMouseEvents);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    m_ownName = tr("Chart");
    setAccessibleName(m_ownName);
    setDragMode(QGraphicsView::NoDrag);
    applyColours();
}

void CurveChart::applyColours() {
    const ChartColours colours = ChartColours::of(m_shown.print);
    chart()->setBackgroundBrush(colours.paper);
    setBackgroundBrush(colours.paper);
    m_legend->setText(colours.text);
    m_axes.setColours(colours.axis, colours.grid, colours.words);
    m_emptyText->setStyleSheet(
        QStringLiteral("background: %1; padding: 24px;").arg(colours.paper.name()));
}

void CurveChart::setPrintLook(bool on) {
    m_shown.print = on;
    applyColours();
    redraw(true);
}

void CurveChart::setSmoothing(int window) {
    if (m_shown.smoothing != window) {
        m_shown.smoothing = window;
        redraw(true);
    }
}

void CurveChart::setAxes(const PlotAxes& axes) {
    setAxisTitles(axes.xTitle, axes.yTitle);
    setXTicks(axes.xTicks);
    setWholeX(axes.wholeX);
    setLogarithmicAxes(axes.logarithmic);
}

void CurveChart::setAxisTitles(const QString& x, const QString& y) {
    m_axes.setTitles(x, y);
    if (accessibleName() == m_ownName) {  // the page gave none
        m_ownName = tr("Chart: %1 by %2").arg(y, x);
        setAccessibleName(m_ownName);
    }
}

void CurveChart::setLogarithmicAxes(const LogarithmicAxes& axes) {
    if (m_shown.logarithmic != axes) {
        m_shown.logarithmic = axes;
        m_zoom.set(std::nullopt);  // it was of the other kind
        redraw(true);
    }
}

void CurveChart::setTitles(Titles titles) {
    m_titles = titles;
    showTitles();
}

void CurveChart::showTitles() {
    // Where there is hardly room for the curves, the card's heading must say what they are.
    m_axes.setTitlesVisible(
        m_titles == Titles::Stay ||
        (m_titles == Titles::Yield && height() >= linesHigh(font(), kTitledLines)));
}

void CurveChart::setLegendShown(bool on) {
    m_isLegendShown = on;
    nameCurves();
}

void CurveChart::setSharedExtent(const CurveExtent& extent) {
    m_shared = extent;
    updateAxes();
}

void CurveChart::setEmptyText(const QString& text) {
    m_emptyText->setText(text);
    m_emptyText->setVisible(m_curves.isEmpty());
}

void CurveChart::setCurves(const QList<Curve>& curves) {
    // Background first: Qt Charts draws in the order in which series were added.
    m_curves = curves;
    std::stable_partition(m_curves.begin(), m_curves.end(),
                          [](const Curve& curve) { return !curve.highlighted; });
    redraw();
}

int CurveChart::plotPixels() const {
    return std::max(64, static_cast<int>(chart()->plotArea().width()));
}

void CurveChart::nameCurves() {
    m_legend->setEntries(m_isLegendShown ? legendEntries(m_curves, m_shown.print)
                                         : QList<CurveLegendEntry>());
    m_legend->setChartSize(size());
    QMargins margins = aroundPlot(font());
    if (m_legend->isAbove()) {
        margins.setTop(std::max(margins.top(), m_legend->room()));
    } else {
        margins.setRight(margins.right() + m_legend->room());
    }
    if (chart()->margins() != margins) {
        chart()->setMargins(margins);
    }
    placeLegend();
}

void CurveChart::placeLegend() {
    const QRectF plot = chart()->plotArea();
    const QRectF legend = m_legend->boundingRect();
    m_legend->setPos(m_legend->isAbove()
                         ? QPointF(std::max(0.0, (width() - legend.width()) / 2), 4)
                         : QPointF(width() - legend.width() - aroundPlot(font()).left(),
                                   std::min(plot.top(), height() - legend.height() - 4)));
}

void CurveChart::redraw(bool everything) {
    m_layered.set(m_curves, m_shown, m_zoom.area(), plotPixels(), everything);
    nameCurves();
    m_emptyText->setVisible(m_curves.isEmpty());
    updateAxes();
}

CurveExtent CurveChart::extent() const { return m_layered.extent(); }

void CurveChart::updateAxes() {
    CurveExtent all = extent();
    all.add(m_shared);
    m_axes.span(all, m_shown.logarithmic, m_zoom.area(), plotPixels(), height());
    m_layer->setArea(m_axes.area());
}

void CurveChart::zoomTo(const std::optional<QRectF>& area) {
    m_zoom.set(area);
    showZoom();
}

void CurveChart::showZoom() {
    m_layered.zoom(m_zoom.area());
    updateAxes();
}

void CurveChart::zoomBy(double x, double y, const QPointF& around) {
    if (!m_curves.isEmpty()) {
        m_zoom.by(x, y, m_axes.valueAt(around, chart()->plotArea()), m_axes.full());
        showZoom();
    }
}

void CurveChart::moveBy(const QPointF& from, const QPointF& to) {
    const QRectF plot = chart()->plotArea();
    m_zoom.move(m_axes.valueAt(from, plot) - m_axes.valueAt(to, plot), m_axes.full());
    showZoom();
}

QStringList CurveChart::valuesAt(double x, double pixelsPerUnit) const {
    return cospadi::ui::valuesAt(m_curves, x, pixelsPerUnit);
}

void CurveChart::drawForeground(QPainter* painter, const QRectF& rect) {
    QChartView::drawForeground(painter, rect);
    const std::optional<QPointF> place = m_hand.readingPlace();
    if (!place) {
        return;
    }
    const QRectF plot = chart()->plotArea();
    const double at = m_axes.valueAt(*place, plot).x();
    const double x = m_shown.logarithmic.x ? std::pow(10, at) : at;
    const double pixels = m_axes.pixelsPerX(plot);
    const QStringList lines =
        valuesAt(x, m_shown.logarithmic.x ? pixels / (x * std::log(10)) : pixels);
    if (!lines.isEmpty()) {
        drawReadout(*painter, plot, *place, lines, font());
    }
}

void CurveChart::wheelEvent(QWheelEvent* event) {
    m_hand.turnWheel(*event);
    event->accept();
}

void CurveChart::mousePressEvent(QMouseEvent* event) {
    m_hand.press(*event);
    QChartView::mousePressEvent(event);
}

void CurveChart::mouseMoveEvent(QMouseEvent* event) {
    m_hand.move(*event);
    QChartView::mouseMoveEvent(event);
}

void CurveChart::mouseReleaseEvent(QMouseEvent* event) {
    m_hand.release();
    QChartView::mouseReleaseEvent(event);
}

void CurveChart::mouseDoubleClickEvent(QMouseEvent* /*event*/) { zoomTo(std::nullopt); }

void CurveChart::leaveEvent(QEvent* event) {
    m_hand.leave();
    QChartView::leaveEvent(event);
}

void CurveChart::keyPressEvent(QKeyEvent* event) {
    if (!m_hand.pressKey(*event)) {
        QChartView::keyPressEvent(event);
    }
}

void CurveChart::changeEvent(QEvent* event) {
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_emptyText != nullptr) {
        applyColours();
        redraw(true);
    }
}

void CurveChart::resizeEvent(QResizeEvent* event) {
    QChartView::resizeEvent(event);
    m_emptyText->setGeometry(rect());
    showTitles();
    redraw();
}

ExportSource CurveChart::exportSource(const QString& name) const {
    ExportSource source;
    source.name = name;
    source.screenSize = size();
    // A chart of its own, so that the file does not depend on the size of the window.
    const auto settings = [x = m_axes.xTitle(), y = m_axes.yTitle(), curves = m_curves,
                           ticks = m_axes.xTicks(), margin = m_axes.xMargin(),
                           logarithmic = m_shown.logarithmic, whole = m_axes.isWholeX(),
                           zero = m_axes.isZeroBased(), smoothing = m_shown.smoothing,
                           shared = m_shared, legend = m_isLegendShown,
                           titles = m_titles == Titles::Hidden ? Titles::Hidden : Titles::Stay,
                           zoomed = m_zoom.area()](CurveChart& copy) {
        copy.setAxisTitles(x, y);
        copy.setWholeX(whole);
        copy.setZeroBased(zero);
        copy.setXTicks(ticks, margin);
        copy.setLogarithmicAxes(logarithmic);
        copy.setSmoothing(smoothing);
        copy.setTitles(titles);
        copy.setLegendShown(legend);
        copy.setSharedExtent(shared);
        copy.setCurves(curves);
        copy.zoomTo(zoomed);
    };
    source.draw = [settings](QPainter& painter, const QSize& size, bool print) {
        CurveChart copy;
        copy.setMinimumSize(1, 1);
        copy.resize(size);
        copy.setPrintLook(print);
        settings(copy);
        copy.grab();  // lays it out without showing it
        copy.render(&painter, QRectF(QPointF(0, 0), size), copy.viewport()->rect());
    };
    source.csv = [text = csv()] { return text; };
    source.tikz = [curves = m_curves,
                   axis = PgfAxis{m_axes.xTitle(), m_axes.yTitle(), m_shown.logarithmic.x,
                                  m_shown.logarithmic.y, m_axes.xTicks()}](const QSize& size) {
        PgfAxis shown = axis;
        for (auto& [place, label] : shown.xTicks) {
            place = shown.logarithmicX ? std::pow(10, place) : place;
        }
        return pgfplots(curves, shown, size);
    };
    return source;
}

QString CurveChart::csv() const { return curvesCsv(m_curves, m_axes.xTitle(), m_axes.yTitle()); }

}  // namespace cospadi::ui
