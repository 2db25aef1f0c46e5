#include "ui/widgets/curve_chart.h"

#include <QCategoryAxis>
#include <QChart>
#include <QEvent>
#include <QGraphicsLayout>
#include <QLegendMarker>
#include <QLineSeries>
#include <QScatterSeries>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/base/theme.h"
#include "ui/widgets/axis_ticks.h"
#include "ui/widgets/decimator.h"

namespace cospadi::ui {

namespace {

void styleAxis(QCategoryAxis* axis, const QFont& font) {
    axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    axis->setLabelsFont(font);
    QFont titleFont = font;
    titleFont.setBold(false);
    axis->setTitleFont(titleFont);
    axis->setTruncateLabels(false);
}

// Black on white, whatever the window looks like.
const QColor kInk("#222222");
const QColor kPaperGrid("#dddddd");
const QColor kPaperBackground("#b8b8b8");
// Okabe and Ito, darkened where yellow would vanish on paper.
const QList<QColor> kPrintSeries{QColor("#0072b2"), QColor("#d55e00"), QColor("#009e73"),
                                 QColor("#b5609a"), QColor("#b27f00"), QColor("#3d9fd6"),
                                 QColor("#7a5c3a"), QColor("#000000")};
const QList<QList<double>> kDashes{{}, {6, 3}, {2, 2}, {8, 3, 2, 3}, {12, 4}, {4, 2, 1, 2, 1, 2}};

}  // namespace

CurveChart::CurveChart(QWidget* parent)
    : QChartView(parent), m_x(new QCategoryAxis), m_y(new QCategoryAxis) {
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setMinimumSize(200, 92);
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.92);
    QChart* view = chart();
    view->setAnimationOptions(QChart::NoAnimation);
    view->setBackgroundRoundness(0);
    view->setMargins(QMargins(4, 10, 18, 4));
    view->layout()->setContentsMargins(0, 0, 0, 0);
    view->legend()->setAlignment(Qt::AlignTop);
    view->legend()->setFont(small);
    view->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    view->addAxis(m_x, Qt::AlignBottom);
    view->addAxis(m_y, Qt::AlignLeft);
    styleAxis(m_x, small);
    styleAxis(m_y, small);
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
    const QColor paper = m_print ? QColor(Qt::white) : theme().panel;
    chart()->setBackgroundBrush(paper);
    setBackgroundBrush(paper);
    chart()->legend()->setLabelColor(m_print ? kInk : theme().text);
    for (QCategoryAxis* axis : {m_x, m_y}) {
        axis->setLinePenColor(m_print ? kInk : theme().line);
        axis->setGridLineColor(m_print ? kPaperGrid : theme().line);
        axis->setLabelsColor(m_print ? kInk : theme().muted);
        axis->setTitleBrush(m_print ? kInk : theme().muted);
    }
    m_emptyText->setStyleSheet(QStringLiteral("background: %1; padding: 24px;").arg(paper.name()));
}

void CurveChart::setPrintLook(bool on) {
    m_print = on;
    applyColours();
    redraw(true);
}

void CurveChart::setSmoothing(int window) {
    if (m_smoothing != window) {
        m_smoothing = window;
        redraw(true);
    }
}

void CurveChart::setAxisTitles(const QString& x, const QString& y) {
    m_x->setTitleText(x);
    m_y->setTitleText(y);
    if (accessibleName() == m_ownName) {  // the page gave none
        m_ownName = tr("Chart: %1 by %2").arg(y, x);
        setAccessibleName(m_ownName);
    }
}

void CurveChart::setLogarithmic(bool on) {
    if (m_logarithmic != on) {
        m_logarithmic = on;
        m_zoomed.reset();  // its y was of the other kind
        redraw(true);
    }
}

void CurveChart::setXTicks(const QList<QPair<double, QString>>& ticks) { m_xTicks = ticks; }

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

int CurveChart::drawnPoints() const {
    int points = 0;
    for (const QXYSeries* series : m_series) {
        points += static_cast<int>(series->count());
    }
    return points;
}

QXYSeries* CurveChart::makeSeries(const Curve& curve) {
    QXYSeries* series = nullptr;
    if (curve.style == Curve::Style::Points) {
        auto* scatter = new QScatterSeries;
        scatter->setMarkerSize(curve.name.isEmpty() ? 7 : 11);
        scatter->setBorderColor(theme().panel);
        series = scatter;
    } else {
        series = new QLineSeries;
    }
    chart()->addSeries(series);
    series->attachAxis(m_x);
    series->attachAxis(m_y);
    return series;
}

QPen CurveChart::penOf(const Curve& curve, int index) const {
    QColor colour = curve.highlighted ? curve.colour : theme().background;
    if (m_print) {
        colour = curve.highlighted ? kPrintSeries[index % kPrintSeries.size()] : kPaperBackground;
    }
    QPen pen(colour, curve.highlighted ? (m_print ? 1.5 : 2.0) : 1.0, curve.pen);
    if (m_print && curve.highlighted) {
        const QList<double>& dashes = kDashes[index % kDashes.size()];
        if (!dashes.isEmpty()) {
            pen.setDashPattern(dashes);
        } else {
            pen.setStyle(Qt::SolidLine);
        }
    }
    pen.setCosmetic(false);
    return pen;
}

QList<QPointF> CurveChart::pointsToDraw(const Curve& curve, int pixels) const {
    const bool lone = curve.style == Curve::Style::Points;
    const int smoothing = lone ? 0 : m_smoothing;
    // What lies outside the view is left out first: panning then costs what is seen.
    QList<QPointF> points =
        m_zoomed ? within(curve.points, m_zoomed->left(), m_zoomed->right(), smoothing)
                 : curve.points;
    points =
        smoothed(m_logarithmic && smoothing <= 1 ? positive(points) : finite(points), smoothing);
    if (m_zoomed && smoothing > 1) {
        points = within(points, m_zoomed->left(), m_zoomed->right());
    }
    if (!m_logarithmic) {
        return decimated(points, pixels);
    }
    // The logarithm keeps what is least and greatest: it is taken of what is drawn.
    return logarithmic(decimated(smoothing > 1 ? positive(points) : points, pixels));
}

CurveChart::Extent CurveChart::extentOf(const QList<QPointF>& points) const {
    Extent extent;
    extent.logarithmic = m_logarithmic;
    for (const QPointF& point : points) {
        if (!std::isfinite(point.x()) || !std::isfinite(point.y()) ||
            (m_logarithmic && point.y() <= 0)) {
            continue;
        }
        extent.left = std::min(extent.left, point.x());
        extent.right = std::max(extent.right, point.x());
        extent.least = std::min(extent.least, point.y());
        extent.greatest = std::max(extent.greatest, point.y());
    }
    return extent;
}

void CurveChart::redraw(bool everything) {
    const int pixels = plotPixels();
    everything = everything || m_drawnPixels != pixels;
    m_drawnPixels = pixels;
    while (m_series.size() > m_curves.size()) {
        chart()->removeSeries(m_series.last());
        delete m_series.takeLast();
        m_drawn.removeLast();
        m_extents.removeLast();
    }
    int coloured = -1;  // place of the curve among those highlighted
    for (int i = 0; i < m_curves.size(); ++i) {
        const Curve& curve = m_curves[i];
        coloured += curve.highlighted && !curve.name.isEmpty() ? 1 : 0;
        const bool scatter = curve.style == Curve::Style::Points;
        if (i < m_series.size() && (m_drawn[i].style == Curve::Style::Points) != scatter) {
            // The kind of series differs: this one and all after it are made anew, in order.
            while (m_series.size() > i) {
                chart()->removeSeries(m_series.last());
                delete m_series.takeLast();
                m_drawn.removeLast();
                m_extents.removeLast();
            }
        }
        const bool isNew = i >= m_series.size();
        if (isNew) {
            m_series.append(makeSeries(curve));
            m_drawn.append(Curve{});
            m_extents.append(Extent{});
        } else if (!everything && m_drawn[i] == curve) {
            continue;
        }
        QXYSeries* series = m_series[i];
        const QPen pen = penOf(curve, std::max(coloured, 0));
        series->setName(curve.name);
        series->setPen(scatter ? QPen(m_print ? QColor(Qt::white) : theme().panel, 1.2) : pen);
        series->setBrush(pen.color());
        series->setColor(pen.color());
        if (!scatter) {
            series->setPen(pen);  // setColor() has made a solid one
        }
        const QList<QPointF> points = pointsToDraw(curve, pixels);
        series->replace(points);
        if (!(m_drawn[i].points == curve.points) || m_extents[i].logarithmic != m_logarithmic) {
            m_extents[i] = extentOf(curve.points);
        }
        if (!scatter && !m_print && points.size() > pixels) {
            QPen thin = pen;  // a dense line fills an area; broad ones take Qt five times as long
            thin.setWidthF(1);
            series->setPen(thin);
        }
        if (!scatter) {
            const bool dots = curve.style == Curve::Style::LineAndPoints || series->count() == 1;
            series->setMarkerSize(curve.highlighted ? 4.5 : 3);
            series->setPointsVisible(dots);
        }
        for (QLegendMarker* marker : chart()->legend()->markers(series)) {
            marker->setVisible(curve.highlighted && !curve.name.isEmpty());
        }
        m_drawn[i] = curve;
    }
    int named = 0;
    for (const Curve& curve : m_curves) {
        named += curve.highlighted && !curve.name.isEmpty() ? 1 : 0;
    }
    chart()->legend()->setVisible(named > 0);
    chart()->setMargins(QMargins(4, named > 0 ? 0 : 10, 18, 4));
    m_emptyText->setVisible(m_curves.isEmpty());
    updateAxes();
}

void CurveChart::updateAxes() {
    Extent all;
    for (const Extent& extent : m_extents) {
        all.left = std::min(all.left, extent.left);
        all.right = std::max(all.right, extent.right);
        all.least = std::min(all.least, extent.least);
        all.greatest = std::max(all.greatest, extent.greatest);
    }
    const double left = all.left;
    const double right = all.right;
    const double least = all.least;
    const double greatest = all.greatest;
    const auto pairs = [](const QList<Tick>& ticks) {
        QList<QPair<double, QString>> result;
        for (const Tick& tick : ticks) {
            result.append({tick.position, tick.label});
        }
        return result;
    };
    const int xCount = std::max(3, plotPixels() / 90);
    const int yCount = std::max(3, height() / 60);
    const AxisTicks x = linearTicks(left, right, xCount, m_wholeX);
    const AxisTicks y = m_logarithmic
                            ? logarithmicTicks(least, greatest)
                            : linearTicks(m_zeroBased && least > 0 ? 0 : least, greatest, yCount);
    const double margin = m_xTicks.isEmpty() ? 0 : 0.5;  // named places, not numbers
    const double low = m_xTicks.isEmpty() ? x.low : left <= right ? left - margin : 0;
    const double high = m_xTicks.isEmpty() ? x.high : left <= right ? right + margin : 1;
    m_full = QRectF(QPointF(low, y.low), QPointF(high, y.high));
    if (!m_zoomed) {
        setTicks(m_x, low, high, m_xTicks.isEmpty() ? pairs(x.ticks) : m_xTicks);
        setTicks(m_y, y.low, y.high, pairs(y.ticks));
        return;
    }
    const QRectF area = *m_zoomed;
    setTicks(m_x, area.left(), area.right(),
             m_xTicks.isEmpty()
                 ? pairs(linearTicks(area.left(), area.right(), xCount, m_wholeX).ticks)
                 : m_xTicks);
    const bool wide = m_logarithmic && area.height() > 0.15;  // else 1-2-5 steps leave no tick
    QList<QPair<double, QString>> yTicks = pairs(
        wide ? logarithmicTicks(std::pow(10, area.top()), std::pow(10, area.bottom())).ticks
             : linearTicks(m_logarithmic ? std::pow(10, area.top()) : area.top(),
                           m_logarithmic ? std::pow(10, area.bottom()) : area.bottom(), yCount)
                   .ticks);
    for (auto& [position, label] : yTicks) {
        position = m_logarithmic && !wide ? std::log10(position) : position;
    }
    setTicks(m_y, area.top(), area.bottom(), yTicks);
}

void CurveChart::setTicks(QCategoryAxis* axis, double low, double high,
                          const QList<QPair<double, QString>>& ticks) {
    QStringList labels;
    QList<double> ends;
    for (const auto& [position, label] : ticks) {
        labels << label;
        ends << position;
    }
    bool same = axis->min() == low && axis->max() == high && axis->categoriesLabels() == labels;
    for (int i = 0; same && i < labels.size(); ++i) {
        same = axis->endValue(labels[i]) == ends[i];
    }
    if (same) {
        return;
    }
    for (const QString& label : axis->categoriesLabels()) {
        axis->remove(label);
    }
    axis->setStartValue(low - 1);  // a category may not begin where it ends
    axis->setRange(low, high);
    for (int i = 0; i < labels.size(); ++i) {
        if (ends[i] >= low - 1e-9 && ends[i] <= high + 1e-9) {
            axis->append(labels[i], ends[i]);
        }
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
    redraw();
}

}  // namespace cospadi::ui
