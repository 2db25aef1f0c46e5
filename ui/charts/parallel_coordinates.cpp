#include "ui/charts/parallel_coordinates.h"

#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>
#include <limits>

#include "ui/base/font_units.h"
#include "ui/base/theme.h"
#include "ui/charts/parallel_painter.h"

namespace cospadi::ui {

namespace {

constexpr qsizetype kCountedLines = 300;  // more are counted: they blend anyway
constexpr int kTellingMilliseconds = 40;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// run,inside and the axes, a row a line; by their keys.
QString linesCsv(const BrushedLines& lines) {
    QStringList head{QStringLiteral("run"), QStringLiteral("inside")};
    for (const ParallelAxis& axis : lines.axes()) {
        head << csvCell(axis.name);
    }
    QString text = head.join(',') + '\n';
    const std::vector<bool> inside = lines.passing();
    for (int i = 0; i < lines.lines().size(); ++i) {
        const ParallelLine& line = lines.lines()[i];
        QStringList cells{csvCell(line.key), inside[static_cast<std::size_t>(i)]
                                                 ? QStringLiteral("1")
                                                 : QStringLiteral("0")};
        for (int axis = 0; axis < lines.axisCount(); ++axis) {
            const double value = line.values.value(axis, kNaN);
            const QStringList& categories = lines.axes()[axis].categories;
            cells << (!std::isfinite(value)  ? QString()
                      : categories.isEmpty() ? QString::number(value, 'g', 17)
                                             : csvCell(categories.value(static_cast<int>(value))));
        }
        text += cells.join(',') + '\n';
    }
    return text;
}

}  // namespace

ParallelCoordinates::ParallelCoordinates(QWidget* parent) : QWidget(parent), m_hand(*this) {
    setMinimumSize(charactersWide(font(), 33), linesHigh(font(), 5.75));
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Parallel coordinates"));
    m_telling.setSingleShot(true);
    m_telling.setInterval(kTellingMilliseconds);
    connect(&m_telling, &QTimer::timeout, this, &ParallelCoordinates::brushed);
}

void ParallelCoordinates::setData(const QList<ParallelAxis>& axes,
                                  const QList<ParallelLine>& lines) {
    const bool wasBrushed = isBrushed();
    m_lines.set(axes, lines);
    m_hand.keepWithin(m_lines.axisCount());
    setAccessibleDescription(tr("%1 over %n ax(is|es)", nullptr, m_lines.axisCount())
                                 .arg(tr("%n run(s)", nullptr, lineCount())));
    dataChanged();
    if (wasBrushed) {  // an axis may have gone with its brush, a line be new
        emit brushed();
    }
}

void ParallelCoordinates::setHighlighted(const QHash<QString, LineLook>& lines) {
    if (m_look.highlighted != lines) {
        m_look.highlighted = lines;
        brushChanged();
    }
}

void ParallelCoordinates::setEmptyText(const QString& text) {
    m_emptyText = text;
    update();
}

void ParallelCoordinates::setColourAxis(const QString& axis) {
    if (m_look.scaleName != axis) {
        m_look.scaleName = axis;
        dataChanged();
    }
}

void ParallelCoordinates::dataChanged() {
    m_counted.forget();
    brushChanged();
}

void ParallelCoordinates::brushChanged() {
    m_picture = {};
    update();
}

void ParallelCoordinates::setBrush(int axis, double low, double high) {
    brush(axis, {m_lines.coordinate(axis, low), m_lines.coordinate(axis, high), false});
}

void ParallelCoordinates::brush(int axis, const AxisRange& range) {
    m_lines.setBrush(axis, range);
    brushChanged();
    if (!m_hand.isBrushing()) {
        m_telling.stop();
        emit brushed();
    } else if (!m_telling.isActive()) {
        m_telling.start();  // and again while the hand moves on
    }
}

void ParallelCoordinates::clearBrushes() {
    if (isBrushed()) {
        m_lines.clearBrushes();
        brushChanged();
        m_telling.stop();
        emit brushed();
    }
}

void ParallelCoordinates::tellWaiting() {
    if (m_telling.isActive()) {
        m_telling.stop();
        emit brushed();
    }
}

ParallelLayout ParallelCoordinates::axesLayout() const {
    return ParallelLayout::of(size(), font(), m_lines.axisCount());
}

void ParallelCoordinates::drawPicture(const ParallelPainter& drawing) {
    const double ratio = devicePixelRatioF();
    QImage image(size() * ratio, QImage::Format_RGB32);
    image.fill(theme().panel);
    if (lineCount() > kCountedLines && m_look.scaleAxis(m_lines) < 0) {
        m_counted.count(m_lines, axesLayout(), size(), ratio);
        m_counted.paintOver(image, drawing.fadedInk(), drawing.insideInk());
        image.setDevicePixelRatio(ratio);
        QPainter painter(&image);
        painter.setRenderHint(QPainter::Antialiasing);
        drawing.drawHighlighted(painter, m_counted.inside());
    } else {
        image.setDevicePixelRatio(ratio);
        QPainter painter(&image);
        drawing.drawLines(painter);
    }
    m_picture = QPixmap::fromImage(image);
}

void ParallelCoordinates::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().panel);
    if (lineCount() == 0 || axes().isEmpty()) {
        painter.setPen(theme().muted);
        painter.drawText(rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                         m_emptyText);
        return;
    }
    const ParallelPainter drawing(m_lines, m_look, axesLayout(), false);
    if (m_picture.isNull()) {
        drawPicture(drawing);
    }
    painter.drawPixmap(0, 0, m_picture);
    const int line = hasFocus() ? m_hand.line() : -1;
    if (line >= 0) {  // below what stands at the axes
        drawing.drawCurrent(painter, m_lines.lines()[line]);
    }
    drawing.drawAxes(painter, hasFocus() ? m_hand.axis() : -1);
    if (line >= 0) {
        drawing.drawName(painter, m_lines.lines()[line], m_hand.axis());
    }
}

void ParallelCoordinates::mousePressEvent(QMouseEvent* event) { m_hand.press(*event); }
void ParallelCoordinates::mouseMoveEvent(QMouseEvent* event) { m_hand.move(*event); }
void ParallelCoordinates::mouseReleaseEvent(QMouseEvent* event) { m_hand.release(*event); }

void ParallelCoordinates::keyPressEvent(QKeyEvent* event) {
    if (!m_hand.pressKey(*event)) {
        QWidget::keyPressEvent(event);
    }
}

bool ParallelCoordinates::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && !m_lines.lines().isEmpty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const ParallelLayout layout = axesLayout();
        const int axis = layout.axisAt(help->pos());
        QString words = nearestLine(m_lines, layout, help->pos());
        if (axis >= 0) {  // its name may be cut short where it is drawn
            words = axes()[axis].name + QLatin1Char('\n') +
                    tr("Drag along the axis: only runs inside stay. Click: all again. Drag its "
                       "name to move it");
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

// What stands there now, whatever happens later.
ExportSource ParallelCoordinates::exportSource(const QString& name) const {
    ExportSource source;
    source.name = name;
    source.screenSize = size();
    source.draw = [lines = m_lines, look = m_look, font = exportFont(font())](
                      QPainter& painter, const QSize& size, bool print) {
        painter.setFont(font);
        painter.fillRect(QRect(QPoint(0, 0), size), print ? QColor(Qt::white) : theme().panel);
        const ParallelPainter drawing(lines, look,
                                      ParallelLayout::of(size, font, lines.axisCount()), print);
        drawing.drawLines(painter);
        drawing.drawAxes(painter);
    };
    source.csv = [lines = m_lines] { return linesCsv(lines); };
    return source;
}

}  // namespace cospadi::ui
