#include "ui/charts/heat_map.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/base/font_units.h"
#include "ui/base/format.h"
#include "ui/base/names_for_readers.h"
#include "ui/base/theme.h"
#include "ui/charts/colour_scale.h"

namespace cospadi::ui {

namespace {

constexpr double kCellWithLine = 6;  // pixels
constexpr int kLegendDigits = 3;
constexpr double kLegendBar = 12;
constexpr double kBesideBar = 4;
constexpr double kMapGap = 8;
constexpr double kHatchStep = 6;  // pixels between lines, along the sides of a cell
constexpr int kHatchAlpha = 80;

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();

    double shareOf(double value) const {
        return greatest > least ? (value - least) / (greatest - least) : 0.5;
    }
};

QColor cellColour(const HeatMapData& data, double share) {
    return data.isDifference ? differenceColour(2 * share - 1) : scaleColour(share);
}

// Is black hard to read on it?
bool isDarkCell(const HeatMapData& data, double share) {
    return qGray(cellColour(data, share).rgb()) < 128;
}

Range rangeOf(const HeatMapData& data) {
    Range range;
    for (const double value : data.values) {
        if (std::isfinite(value)) {
            range.least = std::min(range.least, value);
            range.greatest = std::max(range.greatest, value);
        }
    }
    if (std::isfinite(data.least) && std::isfinite(data.greatest)) {
        range.least = std::min(range.least, data.least);
        range.greatest = std::max(range.greatest, data.greatest);
    }
    if (data.isDifference && range.least <= range.greatest) {  // 0 stands in the middle
        range.greatest = std::max(std::abs(range.least), std::abs(range.greatest));
        range.least = -range.greatest;
    }
    return range;
}

QString endOfLegend(double value) { return formatNumber(value, kLegendDigits); }

double legendWidth(const HeatMapData& data, const QFontMetricsF& metrics) {
    const Range range = rangeOf(data);
    const double words = range.least > range.greatest
                             ? 0
                             : std::max(metrics.horizontalAdvance(endOfLegend(range.least)),
                                        metrics.horizontalAdvance(endOfLegend(range.greatest)));
    const double title = data.valueTitle.isEmpty() ? 0 : kBesideBar + metrics.height();
    return kMapGap + kLegendBar + kBesideBar + words + title;
}

// Where the cells lie in a widget or picture of this size.
QRectF cellsIn(const HeatMapData& data, const QSizeF& size, const QFontMetricsF& metrics) {
    double widest = 0;
    for (const QString& row : data.rows) {
        widest = std::max(widest, metrics.horizontalAdvance(row));
    }
    const double left = widest + metrics.height() + 2 * kMapGap;
    const double bottom = 2 * metrics.height() + 2 * kMapGap;
    return {left, kMapGap,
            std::max(10.0, size.width() - left - legendWidth(data, metrics) - kMapGap),
            std::max(10.0, size.height() - bottom - kMapGap)};
}

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

void drawMarks(QPainter& painter, const HeatMapData& data, const QRectF& cells,
               const Range& range) {
    const double width = cells.width() / static_cast<double>(data.columns.size());
    const double height = cells.height() / static_cast<double>(data.rows.size());
    for (int row = 0; row < data.rows.size(); ++row) {
        for (int column = 0; column < data.columns.size(); ++column) {
            const qsizetype place = row * data.columns.size() + column;
            const QRectF cell(cells.left() + column * width, cells.top() + row * height, width,
                              height);
            const bool isDark = isDarkCell(data, range.shareOf(data.at(row, column)));
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
                painter.fillRect(QRectF(from, to), cellColour(data, range.shareOf(value)));
            } else {
                hatchMissing(painter, QRectF(from, to), ink);
            }
        }
    }
    drawMarks(painter, data, cells, range);
    painter.setPen(ink);
    // As many words as fit.
    const int everyRow = std::max(1, static_cast<int>(std::ceil(metrics.height() / height)));
    for (int row = 0; row < data.rows.size(); row += everyRow) {
        painter.drawText(QRectF(0, cells.top() + row * height, cells.left() - kMapGap, height),
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
    painter.drawText(QRectF(cells.left(), cells.bottom() + metrics.height() + kMapGap,
                            cells.width(), metrics.height()),
                     Qt::AlignCenter, data.columnTitle);
    drawUpwards(painter, cells, 0, data.rowTitle);

    // Legend: the colours, with the ends in numbers and what they are of.
    const QRectF bar(cells.right() + kMapGap, cells.top() + metrics.height(), kLegendBar,
                     std::max(10.0, cells.height() - 2 * metrics.height()));
    for (int i = 0; i < static_cast<int>(bar.height()); ++i) {
        painter.fillRect(QRectF(bar.left(), bar.bottom() - i - 1, bar.width(), 1.2),
                         cellColour(data, i / bar.height()));
    }
    if (range.least <= range.greatest) {
        painter.drawText(QPointF(bar.right() + kBesideBar, bar.top() + metrics.ascent() / 2),
                         endOfLegend(range.greatest));
        painter.drawText(QPointF(bar.right() + kBesideBar, bar.bottom()), endOfLegend(range.least));
    }
    drawUpwards(painter, cells, cells.right() + legendWidth(data, metrics) - metrics.height(),
                data.valueTitle);
}

}  // namespace

HeatMap::HeatMap(QWidget* parent) : QWidget(parent) {
    setMinimumSize(charactersWide(font(), 33), linesHigh(font(), 5.75));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void HeatMap::setData(const HeatMapData& data) {
    m_data = data;
    m_current.reset();
    describeAll();
    update();
}

void HeatMap::setEmptyText(const QString& text) {
    m_emptyText = text;
    describeAll();
    update();
}

void HeatMap::describeAll() {
    const bool isEmpty = m_data.rows.isEmpty() || m_data.columns.isEmpty();
    setAccessibleDescription(isEmpty && !m_emptyText.isEmpty()
                                 ? m_emptyText
                                 : tr("%1 by %2 cells; arrows go from cell to cell")
                                       .arg(m_data.rows.size())
                                       .arg(m_data.columns.size()));
}

void HeatMap::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    drawMap(painter, m_data, size(), theme().muted, theme().panel);
    if (m_data.rows.isEmpty() || m_data.columns.isEmpty()) {
        painter.setPen(theme().muted);
        painter.drawText(rect().adjusted(24, 8, -24, -8), Qt::AlignCenter | Qt::TextWordWrap,
                         m_emptyText);
        return;
    }
    if (m_current && hasFocus()) {
        const QRectF cells = cellsIn(m_data, size(), QFontMetricsF(font()));
        const double width = cells.width() / static_cast<double>(m_data.columns.size());
        const double height = cells.height() / static_cast<double>(m_data.rows.size());
        painter.setPen(QPen(theme().warning, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(cells.left() + m_current->second * width,
                                cells.top() + m_current->first * height, width, height));
    }
}

QString HeatMap::cellWords(int row, int column) const {
    const double value = m_data.at(row, column);
    const QString place = QStringLiteral("%1 %2, %3")
                              .arg(m_data.columnTitle, m_data.columns[column], m_data.rows[row]);
    const QString title =
        m_data.valueTitle.isEmpty() ? QString() : m_data.valueTitle + QLatin1Char(' ');
    return QStringLiteral("%1: %2%3").arg(place, title, formatNumber(value));
}

// Screen readers are told what the tip shows.
void HeatMap::keyPressEvent(QKeyEvent* event) {
    const int rows = static_cast<int>(m_data.rows.size());
    const int columns = static_cast<int>(m_data.columns.size());
    const int down = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
    const int right = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (rows == 0 || columns == 0 || (down == 0 && right == 0 && !(isEnter && m_current))) {
        QWidget::keyPressEvent(event);
        return;
    }
    if (isEnter) {
        if (std::isfinite(m_data.at(m_current->first, m_current->second))) {
            emit chosen(m_current->first, m_current->second);
        }
        return;
    }
    m_current = m_current ? std::pair(std::clamp(m_current->first + down, 0, rows - 1),
                                      std::clamp(m_current->second + right, 0, columns - 1))
                          : std::pair(0, 0);
    const QString words = cellWords(m_current->first, m_current->second);
    tellReaders(this, words);
    const QRectF cells = cellsIn(m_data, size(), QFontMetricsF(font()));
    const QPointF at(cells.left() + (m_current->second + 1) * cells.width() / columns,
                     cells.top() + (m_current->first + 1) * cells.height() / rows);
    QToolTip::showText(mapToGlobal(at.toPoint()), words, this);
    update();
}

void HeatMap::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
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
    return std::isfinite(m_data.at(row, column)) ? cellWords(row, column) : QString();
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
