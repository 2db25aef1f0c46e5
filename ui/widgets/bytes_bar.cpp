#include "ui/widgets/bytes_bar.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "ui/base/font_units.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {
constexpr int kAroundWords = 4;  // pixels of the bar's height that its words leave
constexpr int kGap = 6;
constexpr double kSwatch = 0.6;  // of a line's height
constexpr int kBesideSwatch = 4;
}  // namespace

BytesBar::BytesBar(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

int BytesBar::barHeight() const { return fontMetrics().height() + kAroundWords; }

void BytesBar::setParts(const QList<Part>& parts, double denseBytes) {
    m_parts = parts;
    m_denseBytes = denseBytes;
    QStringList words;
    for (const Part& part : parts) {
        words << tr("%1: %2").arg(part.name, formatBytes(part.bytes));
    }
    words << tr("dense weights (bf16): %1").arg(formatBytes(denseBytes));
    setToolTip(words.join('\n'));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

QSize BytesBar::sizeHint() const {
    return {charactersWide(font(), 50), barHeight() + kGap + fontMetrics().height() + 2};
}

QSize BytesBar::minimumSizeHint() const {
    return {charactersWide(font(), 33), sizeHint().height()};
}

void BytesBar::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int height = barHeight();
    double total = 0;
    for (const Part& part : m_parts) {
        total += part.bytes;
    }
    const double scale = width() / std::max({m_denseBytes, total, 1.0});
    QPainterPath frame;
    frame.addRoundedRect(QRectF(0, 0, width(), height), 4, 4);
    painter.save();
    painter.setClipPath(frame);
    painter.fillRect(QRect(0, 0, width(), height), theme().stripe);
    painter.fillRect(QRectF(0, 0, width(), height), QBrush(theme().line, Qt::BDiagPattern));
    double left = 0;
    for (const Part& part : m_parts) {
        painter.fillRect(QRectF(left, 0, part.bytes * scale, height), part.colour);
        left += part.bytes * scale;
    }
    painter.restore();
    const double removed = m_denseBytes > 0 ? 1 - total / m_denseBytes : 0;
    const QString saved = tr("−%1").arg(formatPercent(removed));
    if (total > 0 && width() - left > fontMetrics().horizontalAdvance(saved) + 8) {
        painter.setPen(theme().text);
        painter.drawText(QRectF(left, 0, width() - left, height), Qt::AlignCenter, saved);
    }
    double x = 0;
    const int top = height + kGap;
    const int line = fontMetrics().height();
    const double side = linesHigh(font(), kSwatch);
    for (const Part& part : m_parts) {
        painter.fillRect(QRectF(x, top + (line - side) / 2, side, side), part.colour);
        const QString label = QStringLiteral("%1 %2").arg(part.name, formatBytes(part.bytes));
        painter.setPen(theme().muted);
        painter.drawText(QPointF(x + side + kBesideSwatch, top + fontMetrics().ascent()), label);
        x += side + kBesideSwatch + fontMetrics().horizontalAdvance(label) + 12;
    }
}

}  // namespace cospadi::ui
