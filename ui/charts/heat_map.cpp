#include "ui/charts/heat_map.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/base/font_units.h"
#include "ui/base/format.h"
#include "ui/base/names_for_readers.h"
#include "ui/base/theme.h"
#include "ui/charts/heat_map_csv.h"
#include "ui/charts/heat_map_layout.h"
#include "ui/charts/heat_map_picture.h"
#include "ui/charts/heat_map_scale.h"

namespace cospadi::ui {

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
                                 : tr("%1 by %2 cells; arrow keys move between cells")
                                       .arg(m_data.rows.size())
                                       .arg(m_data.columns.size()));
}

HeatMapLayout HeatMap::cellLayout() const {
    return HeatMapLayout::of(m_data, HeatMapScale(m_data), size(), QFontMetricsF(font()));
}

void HeatMap::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    drawHeatMap(painter, m_data, size(), theme().muted, theme().panel);
    if (m_data.rows.isEmpty() || m_data.columns.isEmpty()) {
        painter.setPen(theme().muted);
        painter.drawText(rect().adjusted(24, 8, -24, -8), Qt::AlignCenter | Qt::TextWordWrap,
                         m_emptyText);
        return;
    }
    if (m_current && hasFocus()) {
        painter.setPen(QPen(theme().warning, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(cellLayout().cell(m_current->first, m_current->second));
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
    const QPointF at = cellLayout().cell(m_current->first, m_current->second).bottomRight();
    QToolTip::showText(mapToGlobal(at.toPoint()), words, this);
    update();
}

void HeatMap::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

QString HeatMap::describe(const QPointF& position) const {
    const auto cell = cellLayout().cellAt(position);
    if (!cell) {
        return {};
    }
    const auto [row, column] = *cell;
    return std::isfinite(m_data.at(row, column)) ? cellWords(row, column) : QString();
}

void HeatMap::mousePressEvent(QMouseEvent* event) {
    const auto cell =
        event->button() == Qt::LeftButton ? cellLayout().cellAt(event->position()) : std::nullopt;
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
        drawHeatMap(painter, data, size, print ? QColor(Qt::black) : theme().muted,
                    print ? QColor(Qt::white) : theme().panel);
    };
    source.csv = [data = m_data] { return heatMapCsv(data); };
    return source;
}

}  // namespace cospadi::ui
