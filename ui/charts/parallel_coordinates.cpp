#include "ui/charts/parallel_coordinates.h"

#include <QEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "ui/base/font_units.h"
#include "ui/base/theme.h"
#include "ui/charts/colour_scale.h"
#include "ui/charts/parallel_coordinates_draw.h"

namespace cospadi::ui {

namespace {

constexpr double kAxisReach = 14;  // pixels beside an axis that belong to it
constexpr double kNear = 6;        // pixels from a line that ask for its name
constexpr int kTellingMilliseconds = 40;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

ParallelCoordinates::ParallelCoordinates(QWidget* parent) : QWidget(parent) {
    setMinimumSize(charactersWide(font(), 33), linesHigh(font(), 5.75));
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Parallel coordinates"));
    m_telling.setSingleShot(true);
    m_telling.setInterval(kTellingMilliseconds);
    connect(&m_telling, &QTimer::timeout, this, &ParallelCoordinates::brushed);
}

void ParallelCoordinates::setData(const QList<ParallelAxis>& axes,
                                  const QList<ParallelLine>& lines) {
    m_axes = axes;
    m_lines = lines;
    m_ranges.clear();
    for (int axis = 0; axis < m_axes.size(); ++axis) {
        m_ranges.append(rangeOf(axis));
    }
    m_current = std::clamp(m_current, 0, std::max(0, static_cast<int>(m_axes.size()) - 1));
    m_brushes.removeIf([this](const QHash<QString, Range>::iterator brush) {
        return std::none_of(m_axes.begin(), m_axes.end(),
                            [&](const ParallelAxis& axis) { return axis.word() == brush.key(); });
    });
    setAccessibleDescription(tr("%1 over %n ax(is|es)", nullptr, static_cast<int>(m_axes.size()))
                                 .arg(tr("%n run(s)", nullptr, static_cast<int>(m_lines.size()))));
    dataChanged();
}

void ParallelCoordinates::setHighlighted(const QHash<QString, LineLook>& lines) {
    if (m_highlighted != lines) {
        m_highlighted = lines;
        brushChanged();
    }
}

void ParallelCoordinates::setEmptyText(const QString& text) {
    m_emptyText = text;
    update();
}

void ParallelCoordinates::setColourAxis(const QString& axis) {
    if (m_colourName != axis) {
        m_colourName = axis;
        dataChanged();
    }
}

int ParallelCoordinates::colourAxis() const {
    if (m_colourName.isEmpty() || m_lines.size() > kMostColoured) {
        return -1;
    }
    const auto found = std::find_if(m_axes.begin(), m_axes.end(), [this](const ParallelAxis& axis) {
        return axis.isCalled(m_colourName);
    });
    return found == m_axes.end() ? -1 : static_cast<int>(found - m_axes.begin());
}

QColor ParallelCoordinates::colourOf(const ParallelLine& line, int axis, bool print) const {
    const Range& range = m_ranges[axis];
    const double value = coordinateOf(line, axis);
    return std::isfinite(value) ? scaleLineColour((value - range.low) / (range.high - range.low),
                                                  theme().dark && !print)
                                : (print ? QColor("#a8a8a8") : theme().muted);
}

void ParallelCoordinates::dataChanged() {
    m_counted.clear();
    brushChanged();
}

void ParallelCoordinates::brushChanged() {
    m_picture = {};
    update();
}

double ParallelCoordinates::coordinate(int axis, double value) const {
    if (!m_axes[axis].logarithmic) {
        return value;
    }
    return value > 0 ? std::log10(value) : kNaN;
}

double ParallelCoordinates::coordinateOf(const ParallelLine& line, int axis) const {
    return coordinate(axis, line.values.value(axis, kNaN));
}

ParallelCoordinates::Range ParallelCoordinates::rangeOf(int axis) const {
    if (!m_axes[axis].categories.isEmpty()) {
        return {-0.5, static_cast<double>(m_axes[axis].categories.size()) - 0.5, false};
    }
    Range range;
    range.low = std::numeric_limits<double>::infinity();
    range.high = -range.low;
    for (const ParallelLine& line : m_lines) {
        const double value = coordinateOf(line, axis);
        if (std::isfinite(value)) {
            range.low = std::min(range.low, value);
            range.high = std::max(range.high, value);
        }
    }
    if (range.low > range.high) {
        return {};
    }
    // Air at both ends, so that the outermost lines do not run along the edge.
    const double air = range.high > range.low ? (range.high - range.low) * 0.04
                                              : std::max(std::abs(range.low) * 0.05, 0.05);
    return {range.low - air, range.high + air, range.low == range.high};
}

std::vector<bool> ParallelCoordinates::passingLines() const {
    std::vector<bool> passing(static_cast<std::size_t>(m_lines.size()), true);
    for (int axis = 0; axis < m_axes.size(); ++axis) {
        const auto brush = m_brushes.constFind(m_axes[axis].word());
        if (brush == m_brushes.constEnd()) {
            continue;
        }
        for (std::size_t i = 0; i < passing.size(); ++i) {
            const double value = coordinateOf(m_lines[static_cast<int>(i)], axis);
            passing[i] =
                passing[i] && value >= brush->low && value <= brush->high;  // gaps never pass
        }
    }
    return passing;
}

QSet<QString> ParallelCoordinates::passing() const {
    const std::vector<bool> inside = passingLines();
    QSet<QString> keys;
    keys.reserve(m_lines.size());
    for (int i = 0; i < m_lines.size(); ++i) {
        if (inside[static_cast<std::size_t>(i)]) {
            keys.insert(m_lines[i].key);
        }
    }
    return keys;
}

void ParallelCoordinates::setBrush(int axis, double low, double high) {
    changeBrush(axis, {coordinate(axis, low), coordinate(axis, high), false});
}

void ParallelCoordinates::changeBrush(int axis, Range brush) {
    const Range& whole = m_ranges[axis];
    const QString& name = m_axes[axis].word();
    if (!(brush.low <= brush.high) || (brush.low <= whole.low && brush.high >= whole.high)) {
        m_brushes.remove(name);
    } else {
        m_brushes[name] = {std::max(brush.low, whole.low), std::min(brush.high, whole.high), false};
    }
    brushChanged();
    if (m_dragged < 0) {
        m_telling.stop();
        emit brushed();
    } else if (!m_telling.isActive()) {
        m_telling.start();  // and again while the hand moves on
    }
}

void ParallelCoordinates::clearBrushes() {
    if (!m_brushes.isEmpty()) {
        m_brushes.clear();
        brushChanged();
        m_telling.stop();
        emit brushed();
    }
}

void ParallelCoordinates::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().panel);
    if (m_lines.isEmpty() || m_axes.isEmpty()) {
        painter.setPen(theme().muted);
        painter.drawText(rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                         m_emptyText);
        return;
    }
    Drawing drawing = Drawing::of(size(), font(), static_cast<int>(m_axes.size()), false);
    if (m_picture.isNull()) {
        drawPicture(drawing);
    }
    painter.drawPixmap(0, 0, m_picture);
    drawing.focused = hasFocus() ? m_current : -1;
    const int line = hasFocus() ? currentLine() : -1;
    if (line >= 0) {  // below what stands at the axes
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(drawing.ink, 3));
        drawLine(painter, drawing, m_lines[line]);
    }
    drawAxes(painter, drawing);
    if (line >= 0) {
        drawName(painter, drawing, m_lines[line]);
    }
}

int ParallelCoordinates::nearestAxis(const QPointF& position) const {
    const Drawing drawing = Drawing::of(size(), font(), static_cast<int>(m_axes.size()), false);
    int nearest = 0;
    for (int axis = 1; axis < m_axes.size(); ++axis) {
        if (std::abs(position.x() - drawing.x(axis)) <
            std::abs(position.x() - drawing.x(nearest))) {
            nearest = axis;
        }
    }
    return nearest;
}

int ParallelCoordinates::axisAt(const QPointF& position) const {
    const Drawing drawing = Drawing::of(size(), font(), static_cast<int>(m_axes.size()), false);
    for (int axis = 0; axis < m_axes.size(); ++axis) {
        if (std::abs(position.x() - drawing.x(axis)) <= kAxisReach) {
            return axis;
        }
    }
    return -1;
}

QString ParallelCoordinates::nearestLine(const QPointF& position) const {
    const Drawing drawing = Drawing::of(size(), font(), static_cast<int>(m_axes.size()), false);
    const int left =
        m_axes.size() < 2
            ? -1
            : static_cast<int>((position.x() - drawing.x(0)) / (drawing.x(1) - drawing.x(0)));
    if (left < 0 || left + 1 >= m_axes.size()) {
        return {};
    }
    const double part = (position.x() - drawing.x(left)) / (drawing.x(left + 1) - drawing.x(left));
    double nearest = kNear;
    QString name;
    const std::vector<bool> inside = passingLines();
    for (int i = 0; i < m_lines.size(); ++i) {
        const ParallelLine& line = m_lines[i];
        const auto y = [&](int axis) {
            const Range& range = m_ranges[axis];
            return drawing.y((coordinateOf(line, axis) - range.low) / (range.high - range.low));
        };
        const double distance = std::abs(y(left) + part * (y(left + 1) - y(left)) - position.y());
        if (distance < nearest && inside[static_cast<std::size_t>(i)]) {  // false for gaps
            nearest = distance;
            name = line.name;
        }
    }
    return name;
}

bool ParallelCoordinates::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && !m_lines.isEmpty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString line = nearestLine(help->pos());
        const int axis = axisAt(help->pos());
        QString words = line;
        if (axis >= 0) {  // its name may be cut short where it is drawn
            words = m_axes[axis].name + QLatin1Char('\n') +
                    tr("Drag along the axis: only runs inside stay. Click: all again. Drag its "
                       "name: another place");
        }
        QToolTip::showText(help->globalPos(), words, this);
        return true;
    }
    return QWidget::event(event);
}

void ParallelCoordinates::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    dataChanged();
}

void ParallelCoordinates::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        dataChanged();
    }
}

void ParallelCoordinates::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void ParallelCoordinates::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

// A copy that is never shown draws for the files: what stands there now, whatever happens later.
ExportSource ParallelCoordinates::exportSource(const QString& name) const {
    const auto copy = std::make_shared<ParallelCoordinates>();
    copy->setFont(exportFont(font()));
    copy->setData(m_axes, m_lines);
    copy->m_highlighted = m_highlighted;
    copy->m_brushes = m_brushes;
    copy->m_colourName = m_colourName;
    ExportSource source;
    source.name = name;
    source.screenSize = size();
    source.draw = [copy](QPainter& painter, const QSize& size, bool print) {
        painter.setFont(copy->font());
        painter.fillRect(QRect(QPoint(0, 0), size), print ? QColor(Qt::white) : theme().panel);
        const Drawing drawing =
            Drawing::of(size, copy->font(), static_cast<int>(copy->m_axes.size()), print);
        copy->drawLines(painter, drawing);
        copy->drawAxes(painter, drawing);
    };
    source.csv = [copy] {
        QStringList head{QStringLiteral("run"), QStringLiteral("inside")};
        for (const ParallelAxis& axis : copy->m_axes) {
            head << csvCell(axis.name);
        }
        QString text = head.join(',') + '\n';
        const std::vector<bool> inside = copy->passingLines();
        for (int i = 0; i < copy->m_lines.size(); ++i) {
            const ParallelLine& line = copy->m_lines[i];
            QStringList cells{csvCell(line.key), inside[static_cast<std::size_t>(i)]
                                                     ? QStringLiteral("1")
                                                     : QStringLiteral("0")};
            for (int axis = 0; axis < copy->m_axes.size(); ++axis) {
                const double value = line.values.value(axis, kNaN);
                const QStringList& categories = copy->m_axes[axis].categories;
                cells << (!std::isfinite(value) ? QString()
                          : categories.isEmpty()
                              ? QString::number(value, 'g', 17)
                              : csvCell(categories.value(static_cast<int>(value))));
            }
            text += cells.join(',') + '\n';
        }
        return text;
    };
    return source;
}

}  // namespace cospadi::ui
