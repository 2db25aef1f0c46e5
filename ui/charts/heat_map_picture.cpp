#include "ui/charts/heat_map_picture.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/charts/heat_map_layout.h"
#include "ui/charts/heat_map_scale.h"

namespace cospadi::ui {

namespace {

constexpr double kCellWithLine = 6;  // pixels
constexpr double kHatchStep = 6;     // pixels between lines, along the sides of a cell
constexpr int kHatchAlpha = 80;

// Blank would look like a small value. Lines of their own: brushes with a pattern are lost in SVG.
void hatchMissing(QPainter& painter, const QRectF& cell, const QColor& ink) {
    QColor light = ink;
    light.setAlpha(kHatchAlpha);
    painter.setPen(QPen(light, 1));
    const double width = cell.width();
    const double height = cell.height();
    // Of the cells' common corner, so that lines go on from one cell to the next.
    const double first = kHatchStep - std::fmod(cell.left() + cell.top(), kHatchStep);
    for (double at = first; at < width + height; at += kHatchStep) {  // x + y within the cell
        const double left = std::max(0.0, at - height);
        const double right = std::min(at, width);
        painter.drawLine(cell.topLeft() + QPointF(left, at - left),
                         cell.topLeft() + QPointF(right, at - right));
    }
}

void drawCells(QPainter& painter, const HeatMapData& data, const HeatMapLayout& layout,
               const HeatMapScale& scale, const QColor& ink) {
    const QRectF& cells = layout.cells;
    const double width = layout.cellWidth();
    const double height = layout.cellHeight();
    // Edges at whole pixels: lines between cells would else show between some and not others.
    const double line = std::min(width, height) >= kCellWithLine ? 1 : 0;
    const auto edge = [](double first, double step, int i) { return std::round(first + i * step); };
    for (int row = 0; row < data.rows.size(); ++row) {
        for (int column = 0; column < data.columns.size(); ++column) {
            const double value = data.at(row, column);
            const QPointF from(edge(cells.left(), width, column), edge(cells.top(), height, row));
            const QPointF to(edge(cells.left(), width, column + 1) - line,
                             edge(cells.top(), height, row + 1) - line);
            if (std::isfinite(value)) {
                painter.fillRect(QRectF(from, to), scale.colour(value));
            } else {
                hatchMissing(painter, QRectF(from, to), ink);
            }
        }
    }
}

void drawMarks(QPainter& painter, const HeatMapData& data, const HeatMapLayout& layout,
               const HeatMapScale& scale) {
    for (int row = 0; row < data.rows.size(); ++row) {
        for (int column = 0; column < data.columns.size(); ++column) {
            const qsizetype place = row * data.columns.size() + column;
            const QRectF cell = layout.cell(row, column);
            const bool isDark = scale.isDark(data.at(row, column));
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

// Upwards along the cells, with its left edge there.
void drawUpwards(QPainter& painter, const QRectF& cells, double left, const QString& words) {
    const QFontMetricsF metrics(painter.font());
    painter.save();
    painter.translate(left, cells.bottom());
    painter.rotate(-90);
    painter.drawText(QRectF(0, 0, cells.height(), metrics.height()), Qt::AlignCenter,
                     metrics.elidedText(words, Qt::ElideRight, cells.height()));
    painter.restore();
}

// As many as fit beside and below the cells, and the titles of both.
void drawSideWords(QPainter& painter, const HeatMapData& data, const HeatMapLayout& layout) {
    const QFontMetricsF metrics(painter.font());
    const QRectF& cells = layout.cells;
    const double width = layout.cellWidth();
    const double height = layout.cellHeight();
    const int everyRow = std::max(1, static_cast<int>(std::ceil(metrics.height() / height)));
    for (int row = 0; row < data.rows.size(); row += everyRow) {
        painter.drawText(
            QRectF(0, cells.top() + row * height, cells.left() - HeatMapLayout::kGap, height),
            Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip, data.rows[row]);
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
    painter.drawText(QRectF(cells.left(), cells.bottom() + metrics.height() + HeatMapLayout::kGap,
                            cells.width(), metrics.height()),
                     Qt::AlignCenter, data.columnTitle);
    drawUpwards(painter, cells, 0, data.rowTitle);
}

// The colours, with the ends in numbers and what they are of.
void drawColourBar(QPainter& painter, const HeatMapData& data, const HeatMapLayout& layout,
                   const HeatMapScale& scale) {
    const QFontMetricsF metrics(painter.font());
    const QRectF& bar = layout.bar;
    for (int i = 0; i < static_cast<int>(bar.height()); ++i) {
        painter.fillRect(QRectF(bar.left(), bar.bottom() - i - 1, bar.width(), 1.2),
                         scale.colourOfShare(i / bar.height()));
    }
    if (!scale.isEmpty()) {
        const double left = bar.right() + HeatMapLayout::kBesideBar;
        painter.drawText(QPointF(left, bar.top() + metrics.ascent() / 2),
                         HeatMapScale::endWords(scale.greatest()));
        painter.drawText(QPointF(left, bar.bottom()), HeatMapScale::endWords(scale.least()));
    }
    drawUpwards(painter, layout.cells, layout.legendEnd - metrics.height(), data.valueTitle);
}

}  // namespace

void drawHeatMap(QPainter& painter, const HeatMapData& data, const QSizeF& size, const QColor& ink,
                 const QColor& paper) {
    painter.fillRect(QRectF(QPointF(0, 0), size), paper);
    if (data.rows.isEmpty() || data.columns.isEmpty()) {
        return;
    }
    const HeatMapScale scale(data);
    const HeatMapLayout layout =
        HeatMapLayout::of(data, scale, size, QFontMetricsF(painter.font()));
    drawCells(painter, data, layout, scale, ink);
    drawMarks(painter, data, layout, scale);
    painter.setPen(ink);
    drawSideWords(painter, data, layout);
    drawColourBar(painter, data, layout, scale);
}

}  // namespace cospadi::ui
