#include "ui/widgets/curve_chart.h"

#include <QCategoryAxis>
#include <QChart>
#include <QCursor>
#include <QGraphicsLayout>
#include <QLegendMarker>
#include <QLineSeries>
#include <QLocale>
#include <QScatterSeries>
#include <QToolTip>
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
    axis->setLinePenColor(theme().line);
    axis->setGridLineColor(QColor(theme().line).lighter(105));
    axis->setLabelsColor(theme().muted);
    axis->setTitleBrush(theme().muted);
    axis->setLabelsFont(font);
    QFont titleFont = font;
    titleFont.setBold(false);
    axis->setTitleFont(titleFont);
    axis->setTruncateLabels(false);
}

}  // namespace

CurveChart::CurveChart(QWidget* parent)
    : QChartView(parent), m_x(new QCategoryAxis), m_y(new QCategoryAxis) {
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setMinimumSize(200, 120);
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.92);
    QChart* view = chart();
    view->setAnimationOptions(QChart::NoAnimation);
    view->setBackgroundBrush(theme().panel);
    view->setBackgroundRoundness(0);
    view->setMargins(QMargins(4, 10, 18, 4));
    view->layout()->setContentsMargins(0, 0, 0, 0);
    view->legend()->setAlignment(Qt::AlignTop);
    view->legend()->setLabelColor(theme().text);
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
    m_emptyText->setStyleSheet(QStringLiteral("background: white; padding: 24px;"));
}

void CurveChart::setAxisTitles(const QString& x, const QString& y) {
    m_x->setTitleText(x);
    m_y->setTitleText(y);
}

void CurveChart::setLogarithmic(bool on) {
    if (m_logarithmic != on) {
        m_logarithmic = on;
        redraw();
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

void CurveChart::redraw() {
    const int pixels = plotPixels();
    const bool everything = m_drawnLogarithmic != m_logarithmic || m_drawnPixels != pixels;
    m_drawnLogarithmic = m_logarithmic;
    m_drawnPixels = pixels;
    while (m_series.size() > m_curves.size()) {
        chart()->removeSeries(m_series.last());
        delete m_series.takeLast();
        m_drawn.removeLast();
    }
    for (int i = 0; i < m_curves.size(); ++i) {
        const Curve& curve = m_curves[i];
        const bool scatter = curve.style == Curve::Style::Points;
        if (i < m_series.size() && (m_drawn[i].style == Curve::Style::Points) != scatter) {
            // The kind of series differs: this one and all after it are made anew, in order.
            while (m_series.size() > i) {
                chart()->removeSeries(m_series.last());
                delete m_series.takeLast();
                m_drawn.removeLast();
            }
        }
        const bool isNew = i >= m_series.size();
        if (isNew) {
            m_series.append(makeSeries(curve));
            m_drawn.append(Curve{});
            connect(m_series[i], &QXYSeries::hovered, this,
                    [this, i](const QPointF& at, bool inside) { describePoint(at, inside, i); });
        } else if (!everything && m_drawn[i] == curve) {
            continue;
        }
        QXYSeries* series = m_series[i];
        const QColor colour = curve.highlighted ? curve.colour : theme().background;
        series->setName(curve.name);
        series->setPen(scatter ? QPen(theme().panel, 1.2)
                               : QPen(colour, curve.highlighted ? 2.0 : 1.0));
        series->setBrush(colour);
        series->setColor(colour);
        series->replace(
            decimated(m_logarithmic ? logarithmic(curve.points) : finite(curve.points), pixels));
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
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double left = kInfinity;
    double right = -kInfinity;
    double least = kInfinity;
    double greatest = -kInfinity;
    for (const Curve& curve : m_curves) {
        for (const QPointF& point : curve.points) {
            if (!std::isfinite(point.x()) || !std::isfinite(point.y()) ||
                (m_logarithmic && point.y() <= 0)) {
                continue;
            }
            left = std::min(left, point.x());
            right = std::max(right, point.x());
            least = std::min(least, point.y());
            greatest = std::max(greatest, point.y());
        }
    }
    const auto pairs = [](const QList<Tick>& ticks) {
        QList<QPair<double, QString>> result;
        for (const Tick& tick : ticks) {
            result.append({tick.position, tick.label});
        }
        return result;
    };
    const AxisTicks x = linearTicks(left, right, std::max(3, plotPixels() / 90), m_wholeX);
    if (m_xTicks.isEmpty()) {
        setTicks(m_x, x.low, x.high, pairs(x.ticks));
    } else {
        setTicks(m_x, left <= right ? left - 0.5 : 0, left <= right ? right + 0.5 : 1, m_xTicks);
    }
    const int yCount = std::max(3, height() / 60);
    const AxisTicks y = m_logarithmic
                            ? logarithmicTicks(least, greatest)
                            : linearTicks(m_zeroBased && least > 0 ? 0 : least, greatest, yCount);
    setTicks(m_y, y.low, y.high, pairs(y.ticks));
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

void CurveChart::describePoint(const QPointF& at, bool inside, int curve) {
    if (!inside || curve >= m_curves.size() || m_curves[curve].points.isEmpty()) {
        QToolTip::hideText();
        return;
    }
    const Curve& shown = m_curves[curve];
    const auto nearest = std::min_element(
        shown.points.begin(), shown.points.end(), [&](const QPointF& a, const QPointF& b) {
            return std::abs(a.x() - at.x()) < std::abs(b.x() - at.x());
        });
    const auto which = nearest - shown.points.begin();
    QString text = shown.name;
    if (which < shown.pointNames.size() && shown.pointNames[which] != shown.name) {
        text += (text.isEmpty() ? QString() : QStringLiteral("\n")) + shown.pointNames[which];
    }
    text += QStringLiteral("\n%1: %2\n%3: %4")
                .arg(m_x->titleText(), QLocale().toString(nearest->x(), 'g', 6), m_y->titleText(),
                     QLocale().toString(nearest->y(), 'g', 4));
    QToolTip::showText(QCursor::pos(), text.trimmed(), this);
}

void CurveChart::resizeEvent(QResizeEvent* event) {
    QChartView::resizeEvent(event);
    m_emptyText->setGeometry(rect());
    redraw();
}

}  // namespace cospadi::ui
