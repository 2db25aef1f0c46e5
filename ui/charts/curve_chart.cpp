#include "ui/charts/curve_chart.h"

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
#include "ui/charts/curve_layer.h"
#include "ui/charts/curve_values.h"

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
constexpr double kThin = 1;  // widths of lines, in pixels
constexpr double kBroad = 2;
constexpr double kPrinted = 1.5;
constexpr int kTitledHeight = 190;  // pixels from which on axes are titled
constexpr double kMarker = 11;      // pixels across: points of their own, named
constexpr double kSmallMarker = 7;
constexpr double kDot = 9;  // on a line
constexpr double kSmallDot = 6;
const QList<QList<double>> kDashes{{}, {6, 3}, {2, 2}, {8, 3, 2, 3}, {12, 4}, {4, 2, 1, 2, 1, 2}};
const QList<double> kCompanionDots{1, 3};

}  // namespace

CurveChart::CurveChart(QWidget* parent)
    : QChartView(parent),
      m_x(new QCategoryAxis),
      m_y(new QCategoryAxis),
      m_layer(new CurveLayer(chart())) {
    connect(chart(), &QChart::plotAreaChanged, this,
            [this](const QRectF& plot) { m_layer->setPlot(plot); });
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

void CurveChart::setXTicks(const QList<QPair<double, QString>>& ticks, double margin) {
    m_xTicks = ticks;
    m_xMargin = margin;
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

int CurveChart::drawnPoints() const {
    qsizetype points = 0;
    for (const DrawnCurve& curve : m_layer->curves()) {
        points += curve.points.size();
    }
    return static_cast<int>(points);
}

// The legend shows its marker: a line or a dot.
QXYSeries* CurveChart::makeSeries(const Curve& curve) {
    QXYSeries* series = nullptr;
    if (curve.style == Curve::Style::Points) {
        auto* scatter = new QScatterSeries;
        scatter->setMarkerSize(kMarker);
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

QPen CurveChart::penOf(qsizetype index) const {
    const Curve& curve = m_curves[index];
    const int place = m_print ? printPlace(index) : 0;
    QColor colour = curve.highlighted ? curve.colour : theme().background;
    if (m_print) {
        colour = curve.highlighted ? kPrintSeries[place % kPrintSeries.size()] : kPaperBackground;
    }
    QPen pen(colour, curve.highlighted ? (m_print ? kPrinted : kBroad) : kThin, curve.pen);
    if (m_print && curve.highlighted) {
        const QList<double>& dashes =
            leaderOf(index) != index ? kCompanionDots : kDashes[place % kDashes.size()];
        if (!dashes.isEmpty()) {
            pen.setDashPattern(dashes);
        } else {
            pen.setStyle(Qt::SolidLine);
        }
    }
    pen.setCosmetic(false);
    return pen;
}

CurveChart::Extent CurveChart::extentOf(const QList<QPointF>& points) const {
    Extent extent;
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

void CurveChart::shrinkTo(qsizetype entries) {
    while (m_entries.size() > entries) {
        chart()->removeSeries(m_entries.last().series);
        delete m_entries.last().series;
        m_entries.removeLast();
    }
    m_layer->curves().resize(entries);
}

void CurveChart::takePoints(Entry& entry, const Curve& curve) const {
    const int smoothing = curve.style == Curve::Style::Points ? 0 : m_smoothing;
    if (entry.curve.points == curve.points && entry.logarithmic == m_logarithmic &&
        entry.smoothing == smoothing) {
        return;
    }
    entry.extent = extentOf(curve.points);
    const QList<QPointF> values = smoothed(finite(curve.points), smoothing);
    entry.drawable.setPoints(m_logarithmic ? positive(values) : values);
    entry.logarithmic = m_logarithmic;
    entry.smoothing = smoothing;
}

bool CurveChart::isListed(const Curve& curve) const {
    return curve.highlighted && !curve.name.isEmpty() && (curve.inLegend || m_print);
}

// A curve that is not solid and has the colour of an earlier one accompanies that one; any other
// leads itself.
qsizetype CurveChart::leaderOf(qsizetype index) const {
    const Curve& curve = m_curves[index];
    for (qsizetype i = 0; i < index && curve.highlighted && curve.pen != Qt::SolidLine; ++i) {
        if (m_curves[i].highlighted && m_curves[i].colour == curve.colour) {
            return i;
        }
    }
    return index;
}

// Of its leader, among the coloured curves with a name that lead themselves.
int CurveChart::printPlace(qsizetype index) const {
    const qsizetype leader = leaderOf(index);
    int place = -1;
    for (qsizetype i = 0; i <= leader; ++i) {
        const bool counts = m_curves[i].highlighted && !m_curves[i].name.isEmpty();
        place += counts && leaderOf(i) == i ? 1 : 0;
    }
    return std::max(place, 0);
}

void CurveChart::style(qsizetype index) {
    const Entry& entry = m_entries[index];
    const Curve& curve = entry.curve;
    DrawnCurve& drawn = m_layer->curves()[index];
    const QPen pen = penOf(index);
    const bool lone = curve.style == Curve::Style::Points;
    if (lone) {
        drawn.line = Qt::NoPen;
        drawn.markerSize = curve.name.isEmpty() ? kSmallMarker : kMarker;
        drawn.markerLine = QPen(m_print ? QColor(Qt::white) : theme().panel, 1.2);
    } else {
        const bool dots =
            curve.style == Curve::Style::LineAndPoints || entry.drawable.points().size() == 1;
        drawn.line = pen;
        drawn.markerSize = !dots ? 0 : curve.highlighted ? kDot : kSmallDot;
        drawn.markerLine = Qt::NoPen;
    }
    drawn.markerFill = pen.color();
    entry.series->setName(curve.name);
    entry.series->setColor(pen.color());
    entry.series->setPen(pen);
    for (QLegendMarker* marker : chart()->legend()->markers(entry.series)) {
        marker->setVisible(isListed(curve));
    }
}

void CurveChart::drawEntry(qsizetype index) {
    const Entry& entry = m_entries[index];
    DrawnCurve& drawn = m_layer->curves()[index];
    const QList<QPointF> points =
        m_zoomed ? entry.drawable.inView(m_zoomed->left(), m_zoomed->right(), m_drawnPixels)
                 : entry.drawable.all(m_drawnPixels);
    // The logarithm keeps what is least and greatest: it is taken of what is drawn.
    drawn.points = m_logarithmic ? logarithmic(points) : points;
    if (drawn.line.style() != Qt::NoPen && !m_print) {
        // A dense line fills an area; broad ones take Qt five times as long.
        const bool dense = points.size() > m_drawnPixels;
        drawn.line.setWidthF(dense || !entry.curve.highlighted ? kThin : kBroad);
    }
}

void CurveChart::redraw(bool everything) {
    const int pixels = plotPixels();
    everything = everything || m_drawnPixels != pixels;
    m_drawnPixels = pixels;
    shrinkTo(std::min(m_entries.size(), m_curves.size()));
    int listed = 0;  // in the legend
    for (qsizetype i = 0; i < m_curves.size(); ++i) {
        const Curve& curve = m_curves[i];
        listed += isListed(curve) ? 1 : 0;
        const bool lone = curve.style == Curve::Style::Points;
        if (i < m_entries.size() && (m_entries[i].curve.style == Curve::Style::Points) != lone) {
            shrinkTo(i);  // another kind of series: it and all after it are made anew, in order
        }
        if (i == m_entries.size()) {
            Entry entry;
            entry.series = makeSeries(curve);
            m_entries.append(entry);
            m_layer->curves().append(DrawnCurve{});
        } else if (!everything && m_entries[i].curve == curve) {
            continue;
        }
        takePoints(m_entries[i], curve);
        m_entries[i].curve = curve;
        style(i);
        drawEntry(i);
    }
    chart()->legend()->setVisible(listed > 0);
    chart()->setMargins(QMargins(4, listed > 0 ? 0 : 10, 18, 4));
    m_emptyText->setVisible(m_curves.isEmpty());
    updateAxes();
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
    // Where there is hardly room for the curves, the card's heading must say what they are.
    const bool titled = !m_titlesYield || height() >= kTitledHeight;
    m_x->setTitleVisible(titled);
    m_y->setTitleVisible(titled);
    redraw();
}

}  // namespace cospadi::ui
