#include "ui/charts/map_side.h"

#include <QHelpEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/base/font_units.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/charts/axis_ticks.h"
#include "ui/charts/pattern_view.h"

namespace cospadi::ui {

namespace {

constexpr double kBarLines = 1.5;  // that the longest takes
constexpr int kTick = 4;
constexpr int kBarDigits = 6;

}  // namespace

MapSide::MapSide(PatternView* view, Content content, QWidget* parent)
    : QWidget(parent), m_view(view), m_content(content) {
    connect(view, &PatternView::viewChanged, this, qOverload<>(&QWidget::update));
}

bool MapSide::isOfRows() const {
    return m_content == Content::RowTicks || m_content == Content::RowBars;
}

int MapSide::count() const {
    return isOfRows() ? m_view->image().height() : m_view->image().width();
}

QSize MapSide::sizeHint() const {
    const QFontMetrics metrics(font());
    switch (m_content) {
        case Content::RowTicks:
            return {metrics.horizontalAdvance(QLocale().toString(88888)) + kTick + 4, 0};
        case Content::ColumnTicks:
            return {0, metrics.height() + kTick + 1};
        case Content::RowBars:
            return {linesHigh(font(), kBarLines), 0};
        case Content::ColumnBars:
            return {0, linesHigh(font(), kBarLines)};
    }
    return {};
}

void MapSide::setBars(std::vector<double> lengths, const QString& words) {
    m_lengths = std::move(lengths);
    m_longest = m_lengths.empty() ? 0 : *std::max_element(m_lengths.begin(), m_lengths.end());
    m_words = words;
    setAccessibleName(words);
    setAccessibleDescription(
        m_lengths.empty()
            ? QString()
            : tr("from %1 to %2")
                  .arg(formatNumber(*std::min_element(m_lengths.begin(), m_lengths.end()),
                                    kBarDigits),
                       formatNumber(m_longest, kBarDigits)));
    update();
}

double MapSide::inMap(double along) const {
    const QPointF origin = m_view->viewport()->mapFromGlobal(mapToGlobal(QPoint(0, 0)));
    const QPointF place =
        m_view->viewportTransform().inverted().map(origin + QPointF(along, along));
    return isOfRows() ? place.y() : place.x();
}

double MapSide::along(double inMap) const {
    const QPointF origin = mapFromGlobal(m_view->viewport()->mapToGlobal(QPoint(0, 0)));
    const QPointF place = m_view->viewportTransform().map(QPointF(inMap, inMap)) + origin;
    return isOfRows() ? place.y() : place.x();
}

int MapSide::placeAt(const QPointF& position) const {
    const double place = inMap(isOfRows() ? position.y() : position.x());
    return place >= 0 && place < count() ? static_cast<int>(place) : -1;
}

void MapSide::paintEvent(QPaintEvent* /*event*/) {
    if (m_view->isEmpty()) {
        return;
    }
    QPainter painter(this);
    if (m_content == Content::RowTicks || m_content == Content::ColumnTicks) {
        paintTicks(painter);
    } else {
        paintBars(painter);
    }
}

void MapSide::paintTicks(QPainter& painter) const {
    const double length = isOfRows() ? height() : width();
    const double first = std::clamp(inMap(0), 0.0, static_cast<double>(count() - 1));
    const double last = std::clamp(inMap(length), 0.0, static_cast<double>(count() - 1));
    const QFontMetricsF metrics(font());
    const double room = isOfRows() ? 2.4 * metrics.height()
                                   : 2 * metrics.horizontalAdvance(QLocale().toString(count()));
    const int most = std::max(2, static_cast<int>((along(last) - along(first)) / room));
    painter.setPen(theme().muted);
    for (const Tick& tick : linearTicks(first, std::max(last, first + 1), most, true).ticks) {
        if (tick.position < first || tick.position > last) {
            continue;
        }
        const double at = along(tick.position + 0.5);
        if (isOfRows()) {
            painter.drawLine(QPointF(width() - kTick, at), QPointF(width() - 1, at));
            painter.drawText(
                QRectF(0, at - metrics.height() / 2, width() - kTick - 2, metrics.height()),
                Qt::AlignRight | Qt::AlignVCenter, tick.label);
        } else {
            const double wide = metrics.horizontalAdvance(tick.label);
            painter.drawLine(QPointF(at, 0), QPointF(at, kTick));
            painter.drawText(QRectF(std::clamp(at - wide / 2, 0.0, std::max(0.0, length - wide)),
                                    kTick, wide + 2, metrics.height()),
                             Qt::AlignLeft | Qt::AlignTop, tick.label);
        }
    }
}

void MapSide::paintBars(QPainter& painter) const {
    if (m_longest <= 0 || static_cast<int>(m_lengths.size()) != count()) {
        return;
    }
    const int pixels = isOfRows() ? height() : width();
    for (int pixel = 0; pixel < pixels; ++pixel) {
        const double begin = inMap(pixel);
        const double end = inMap(pixel + 1);
        if (end <= 0 || begin >= count()) {
            continue;
        }
        const auto from = static_cast<std::size_t>(std::max(0.0, begin));
        const auto to =
            std::max(from + 1, static_cast<std::size_t>(std::min<double>(std::ceil(end), count())));
        const double value =
            *std::max_element(m_lengths.begin() + static_cast<std::ptrdiff_t>(from),
                              m_lengths.begin() + static_cast<std::ptrdiff_t>(to));
        const double bar = value / m_longest * (linesHigh(font(), kBarLines) - 2);
        painter.fillRect(
            isOfRows() ? QRectF(1, pixel, bar, 1) : QRectF(pixel, height() - 1 - bar, 1, bar),
            theme().values);
    }
}

void MapSide::mousePressEvent(QMouseEvent* event) { event->accept(); }

void MapSide::mouseReleaseEvent(QMouseEvent* event) {
    const int place = placeAt(event->position());
    if (event->button() == Qt::LeftButton && place >= 0) {
        emit chosen(place);
    }
}

bool MapSide::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int place = m_view->isEmpty() ? -1 : placeAt(help->pos());
        if (place >= 0 && place < static_cast<int>(m_lengths.size())) {
            QToolTip::showText(
                help->globalPos(),
                QStringLiteral("%1: %2").arg(
                    m_words, formatNumber(m_lengths[static_cast<std::size_t>(place)], kBarDigits)),
                this);
            return true;
        }
    }
    return QWidget::event(event);
}

}  // namespace cospadi::ui
