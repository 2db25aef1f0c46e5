#include "ui/charts/heat_map.h"

#include <QHelpEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

constexpr double kLegendWidth = 78;
constexpr double kMapGap = 8;

// Light yellow over green to dark blue: monotone in lightness, so that it survives a grey print.
QColor colourOf(double share) {
    static const QList<QColor> stops{QColor("#fbf7d5"), QColor("#b8dfae"), QColor("#57b4a6"),
                                     QColor("#2c7fb0"), QColor("#253a7a")};
    const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
    const auto below = std::min<qsizetype>(static_cast<qsizetype>(place), stops.size() - 2);
    const double part = place - static_cast<double>(below);
    const QColor& a = stops[below];
    const QColor& b = stops[below + 1];
    const auto mix = [part](int x, int y) {
        return static_cast<int>(std::lround(x + (y - x) * part));
    };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();

    double shareOf(double value) const {
        return greatest > least ? (value - least) / (greatest - least) : 0.5;
    }
};

Range rangeOf(const HeatMapData& data) {
    Range range;
    for (const double value : data.values) {
        if (std::isfinite(value)) {
            range.least = std::min(range.least, value);
            range.greatest = std::max(range.greatest, value);
        }
    }
    return range;
}

// Where the cells lie in a widget or picture of this size.
QRectF cellsIn(const HeatMapData& data, const QSizeF& size, const QFontMetricsF& metrics) {
    double widest = 0;
    for (const QString& row : data.rows) {
        widest = std::max(widest, metrics.horizontalAdvance(row));
    }
    const double left = widest + metrics.height() + 2 * kMapGap;
    const double bottom = 2 * metrics.height() + 2 * kMapGap;
    return {left, kMapGap, std::max(10.0, size.width() - left - kLegendWidth - kMapGap),
            std::max(10.0, size.height() - bottom - kMapGap)};
}

QString number(double value) { return QLocale().toString(value, 'g', 3); }

void drawMarks(QPainter& painter, const HeatMapData& data, const QRectF& cells,
               const Range& range) {
    const double width = cells.width() / static_cast<double>(data.columns.size());
    const double height = cells.height() / static_cast<double>(data.rows.size());
    for (int row = 0; row < data.rows.size(); ++row) {
        for (int column = 0; column < data.columns.size(); ++column) {
            const qsizetype place = row * data.columns.size() + column;
            const QRectF cell(cells.left() + column * width, cells.top() + row * height, width,
                              height);
            const bool isDark = range.shareOf(data.at(row, column)) > 0.55;
            painter.setPen(isDark ? Qt::white : Qt::black);
            if (place < data.marks.size()) {
                painter.drawText(cell, Qt::AlignCenter, data.marks[place]);
            }
            if (place == data.chosen) {
                painter.setPen(QPen(isDark ? Qt::white : Qt::black, 2));
                painter.drawRect(cell.adjusted(1, 1, -1.5, -1.5));
            }
        }
    }
}

void drawMap(QPainter& painter, const HeatMapData& data, const QSizeF& size, const QColor& ink,
             const QColor& paper) {
    painter.fillRect(QRectF(QPointF(0, 0), size), paper);
    if (data.rows.isEmpty() || data.columns.isEmpty()) {
        return;
    }
    const QFontMetricsF metrics(painter.font());
    const QRectF cells = cellsIn(data, size, metrics);
    const Range range = rangeOf(data);
    const double width = cells.width() / static_cast<double>(data.columns.size());
    const double height = cells.height() / static_cast<double>(data.rows.size());
    for (int row = 0; row < data.rows.size(); ++row) {
        for (int column = 0; column < data.columns.size(); ++column) {
            const double value = data.at(row, column);
            if (std::isfinite(value)) {
                painter.fillRect(
                    QRectF(cells.left() + column * width, cells.top() + row * height, width, height)
                        .adjusted(0, 0, -0.5, -0.5),
                    colourOf(range.shareOf(value)));
            }
        }
    }
    drawMarks(painter, data, cells, range);
    painter.setPen(ink);
    // As many words as fit.
    const int everyRow = std::max(1, static_cast<int>(std::ceil(metrics.height() / height)));
    for (int row = 0; row < data.rows.size(); row += everyRow) {
        painter.drawText(QRectF(0, cells.top() + row * height, cells.left() - kMapGap, height),
                         Qt::AlignRight | Qt::AlignVCenter, data.rows[row]);
    }
    double widest = 0;
    for (const QString& column : data.columns) {
        widest = std::max(widest, metrics.horizontalAdvance(column) + 6);
    }
    const int everyColumn = std::max(1, static_cast<int>(std::ceil(widest / width)));
    for (int column = 0; column < data.columns.size(); column += everyColumn) {
        painter.drawText(QRectF(cells.left() + column * width - widest, cells.bottom() + 2,
                                width + 2 * widest, metrics.height()),
                         Qt::AlignHCenter | Qt::AlignTop, data.columns[column]);
    }
    painter.drawText(QRectF(cells.left(), cells.bottom() + metrics.height() + kMapGap,
                            cells.width(), metrics.height()),
                     Qt::AlignCenter, data.columnTitle);
    painter.save();
    painter.translate(0, cells.bottom());
    painter.rotate(-90);
    painter.drawText(QRectF(0, 0, cells.height(), metrics.height()), Qt::AlignCenter,
                     data.rowTitle);
    painter.restore();

    // Legend: the colours, with the ends in numbers.
    const QRectF bar(cells.right() + kMapGap, cells.top() + metrics.height(), 12,
                     std::max(10.0, cells.height() - 2 * metrics.height()));
    for (int i = 0; i < static_cast<int>(bar.height()); ++i) {
        painter.fillRect(QRectF(bar.left(), bar.bottom() - i - 1, bar.width(), 1.2),
                         colourOf(i / bar.height()));
    }
    if (range.least <= range.greatest) {
        painter.drawText(QPointF(bar.right() + 4, bar.top() + metrics.ascent() / 2),
                         number(range.greatest));
        painter.drawText(QPointF(bar.right() + 4, bar.bottom()), number(range.least));
    }
}

}  // namespace

HeatMap::HeatMap(QWidget* parent) : QWidget(parent) {
    setMinimumSize(200, 92);
    setMouseTracking(true);
}

void HeatMap::setData(const HeatMapData& data) {
    m_data = data;
    setAccessibleDescription(tr("%1 by %2 cells").arg(data.rows.size()).arg(data.columns.size()));
    update();
}

void HeatMap::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    drawMap(painter, m_data, size(), theme().muted, theme().panel);
}

std::optional<std::pair<int, int>> HeatMap::cellAt(const QPointF& position) const {
    const QRectF cells = cellsIn(m_data, size(), QFontMetricsF(font()));
    if (m_data.rows.isEmpty() || m_data.columns.isEmpty() || !cells.contains(position)) {
        return std::nullopt;
    }
    const auto row = std::min(m_data.rows.size() - 1,
                              static_cast<qsizetype>((position.y() - cells.top()) / cells.height() *
                                                     static_cast<double>(m_data.rows.size())));
    const auto column =
        std::min(m_data.columns.size() - 1,
                 static_cast<qsizetype>((position.x() - cells.left()) / cells.width() *
                                        static_cast<double>(m_data.columns.size())));
    return std::pair(static_cast<int>(row), static_cast<int>(column));
}

QString HeatMap::describe(const QPointF& position) const {
    const auto cell = cellAt(position);
    if (!cell) {
        return {};
    }
    const auto [row, column] = *cell;
    const double value = m_data.at(row, column);
    return std::isfinite(value) ? QStringLiteral("%1 %2, %3: %4")
                                      .arg(m_data.columnTitle, m_data.columns[column],
                                           m_data.rows[row], QLocale().toString(value, 'g', 4))
                                : QString();
}

void HeatMap::mousePressEvent(QMouseEvent* event) {
    const auto cell = event->button() == Qt::LeftButton ? cellAt(event->position()) : std::nullopt;
    if (cell && std::isfinite(m_data.at(cell->first, cell->second))) {
        emit chosen(cell->first, cell->second);
    }
    QWidget::mousePressEvent(event);
}

bool HeatMap::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), describe(help->pos()), this);
        return true;
    }
    return QWidget::event(event);
}

ExportSource HeatMap::exportSource(const QString& name) const {
    ExportSource source;
    source.name = name;
    source.screenSize = size();
    source.draw = [data = m_data, font = exportFont(font())](QPainter& painter, const QSize& size,
                                                             bool print) {
        painter.setFont(font);
        drawMap(painter, data, size, print ? QColor(Qt::black) : theme().muted,
                print ? QColor(Qt::white) : theme().panel);
    };
    source.csv = [data = m_data] {
        QString text =
            QStringLiteral("%1,%2,%3\n")
                .arg(csvCell(data.rowTitle), csvCell(data.columnTitle), csvCell(data.valueTitle));
        for (int row = 0; row < data.rows.size(); ++row) {
            for (int column = 0; column < data.columns.size(); ++column) {
                if (std::isfinite(data.at(row, column))) {
                    text += QStringLiteral("%1,%2,%3\n")
                                .arg(csvCell(data.rows[row]), csvCell(data.columns[column]))
                                .arg(data.at(row, column), 0, 'g', 17);
                }
            }
        }
        return text;
    };
    return source;
}

}  // namespace cospadi::ui
