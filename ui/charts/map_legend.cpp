#include "ui/charts/map_legend.h"

#include <QFont>
#include <QFontMetricsF>
#include <QLinearGradient>
#include <QPainter>
#include <QSizePolicy>
#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

constexpr double kSwatch = 0.7;   // of a line's height
constexpr double kRun = 9;        // characters, of colours that run into each other
constexpr double kSwatchGap = 5;  // to its words
constexpr double kSpace = 16;
constexpr double kWanted = 420;  // a width at which most legends take one line

double swatchOf(const QFontMetricsF& metrics) { return std::round(kSwatch * metrics.height()); }

double boxOf(const LegendEntry& entry, const QFontMetricsF& metrics) {
    return entry.colours.size() > 1 ? std::round(kRun * metrics.averageCharWidth())
                                    : swatchOf(metrics);
}

QBrush brushOf(const LegendEntry& entry, const QRectF& box) {
    if (entry.colours.size() == 1) {
        return entry.colours.first();
    }
    QLinearGradient run(box.topLeft(), box.topRight());
    for (qsizetype i = 0; i < entry.colours.size(); ++i) {
        run.setColorAt(static_cast<double>(i) / static_cast<double>(entry.colours.size() - 1),
                       entry.colours[i]);
    }
    return run;
}

// Where the entries stand: the top left of each, and the height of all.
struct Places {
    QList<QPointF> corners;
    double line = 0;  // height of one
    double height = 0;
};

Places placesOf(const QFontMetricsF& metrics, const QRectF& room,
                const QList<LegendEntry>& entries) {
    Places places;
    places.line = std::ceil(metrics.height() + 2);
    QPointF at = room.topLeft();
    for (const LegendEntry& entry : entries) {
        const double width =
            boxOf(entry, metrics) + kSwatchGap + metrics.horizontalAdvance(entry.words);
        if (at.x() > room.left() && at.x() + width > room.right()) {
            at = QPointF(room.left(), at.y() + places.line);
        }
        places.corners.append(at);
        at.rx() += width + kSpace;
    }
    places.height = entries.isEmpty() ? 0 : at.y() + places.line - room.top();
    return places;
}

}  // namespace

double legendHeight(const QFont& font, double width, const QList<LegendEntry>& entries) {
    return placesOf(QFontMetricsF(font), QRectF(0, 0, width, 0), entries).height;
}

void drawLegend(QPainter& painter, const QRectF& room, const QList<LegendEntry>& entries,
                const QColor& text, const QColor& line) {
    const QFontMetricsF metrics(painter.font());
    const Places places = placesOf(metrics, room, entries);
    for (qsizetype i = 0; i < entries.size(); ++i) {
        const QPointF at = places.corners[i];
        const double side = swatchOf(metrics);
        const QRectF swatch(at.x() + 0.5, at.y() + (places.line - side) / 2,
                            boxOf(entries[i], metrics), side);
        painter.setPen(line);
        painter.setBrush(brushOf(entries[i], swatch));
        painter.drawRect(swatch);
        painter.setPen(text);
        const double left = swatch.right() + kSwatchGap;
        const double width = std::min(metrics.horizontalAdvance(entries[i].words) + 2,
                                      std::max(0.0, room.right() - left));
        painter.drawText(QRectF(left, at.y(), width, places.line), Qt::AlignVCenter | Qt::AlignLeft,
                         metrics.elidedText(entries[i].words, Qt::ElideRight, width));
    }
}

MapLegend::MapLegend(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void MapLegend::setEntries(const QList<LegendEntry>& entries) {
    m_entries = entries;
    QStringList words;
    for (const LegendEntry& entry : entries) {
        words << entry.words;
    }
    setAccessibleName(tr("Colours: %1").arg(words.join(QStringLiteral(", "))));
    setToolTip(words.join(QLatin1Char('\n')));  // where one is cut
    updateGeometry();
    update();
}

int MapLegend::heightForWidth(int width) const {
    return static_cast<int>(std::ceil(legendHeight(font(), width, m_entries)));
}

QSize MapLegend::sizeHint() const {
    return {static_cast<int>(kWanted), heightForWidth(static_cast<int>(kWanted))};
}

void MapLegend::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const double spare = height() - legendHeight(font(), width(), m_entries);
    drawLegend(painter, QRectF(rect()).adjusted(0, std::max(0.0, spare / 2), 0, 0), m_entries,
               theme().text, theme().muted);
}

}  // namespace cospadi::ui
