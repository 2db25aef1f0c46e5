// Parallel coordinates: an upright axis for every quantity, a line for every run across all of
// them. Dragging along an axis brushes it: only lines inside every brush stay, the others fade, and
// whoever listens may filter by them. Lines that are chosen elsewhere stand out in colour.
//
// By keyboard: Left and Right choose an axis, with Shift they move it; Up and Down move the lower
// end of its brush, Shift+Up and Shift+Down the upper end; Delete clears it, Escape clears all.
// Page Up and Page Down go from line to line inside the brushes, by their values on the axis. What
// stands at the axis, or is known of the line, is told as the accessible description. A click on an
// axis clears its brush; its name is dragged to another place.
//
// Lines may be coloured by their values on one of the axes, which then carries the scale.
//
// More than a few hundred lines are counted instead of painted (line_density.h); a brush that moves
// then costs what the lines cost that enter or leave it. Whoever listens hears of a moving brush at
// most 25 times a second. GUI thread only.
#pragma once

#include <QColor>
#include <QHash>
#include <QList>
#include <QPair>
#include <QPixmap>
#include <QSet>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "ui/charts/axis_ticks.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/line_density.h"
#include "ui/models/parallel_lines.h"

namespace cospadi::ui {

class ParallelCoordinates : public QWidget {
    Q_OBJECT

  public:
    explicit ParallelCoordinates(QWidget* parent = nullptr);

    // Brushes of axes that are there under the same name stay.
    void setData(const QList<ParallelAxis>& axes, const QList<ParallelLine>& lines);
    // Of more than kMostInColour none stands out.
    void setHighlighted(const QHash<QString, LineLook>& lines);
    static constexpr qsizetype kMostInColour = 100;
    void setEmptyText(const QString& text);
    // By the values on the axis of this name or key; one that is not there: no colours. Not of more
    // than kMostColoured lines, which are counted instead of painted.
    void setColourAxis(const QString& axis);
    static constexpr int kMostColoured = 3000;

    // Both ends in the axis' own values; low > high clears it.
    void setBrush(int axis, double low, double high);
    void clearBrushes();
    bool isBrushed() const { return !m_brushes.isEmpty(); }
    QSet<QString> passing() const;  // keys of the lines inside every brush
    const QList<ParallelAxis>& axes() const { return m_axes; }
    int lineCount() const { return static_cast<int>(m_lines.size()); }

    ExportSource exportSource(const QString& name) const;

  signals:
    void brushed();  // and passing() has changed
    // An axis shall stand in the place of another one; whoever gives the data arranges them.
    void axisMoved(int from, int to);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Range {
        double low = 0;  // in axis coordinates: the value, or its log10
        double high = 1;
        bool single = false;  // one value in the middle is all there is
    };
    struct Drawing;  // how one picture is laid out: parallel_coordinates_draw.cpp

    Range rangeOf(int axis) const;
    double coordinate(int axis, double value) const;
    double coordinateOf(const ParallelLine& line, int axis) const;  // NaN where it has a gap
    std::vector<bool> passingLines() const;                         // one a line
    int axisAt(const QPointF& position) const;
    int nearestAxis(const QPointF& position) const;
    QString nearestLine(const QPointF& position) const;
    void changeBrush(int axis, Range brush);
    void moveBrush(int direction, bool upper);
    void moveAxis(int to);  // the current one
    void describe();        // the current axis
    // What the value at this place of the axis is called.
    QString wordsOf(const ParallelAxis& axis, double at) const;
    void stepLine(int direction);  // +1: to the next larger value on the current axis
    void describeLine(int line);
    int currentLine() const;  // −1: none
    void drawName(QPainter& painter, const Drawing& drawing, const ParallelLine& line) const;
    int colourAxis() const;  // −1: no colours
    QColor colourOf(const ParallelLine& line, int axis, bool print) const;
    void drawPicture(const Drawing& drawing);
    void drawLines(QPainter& painter, const Drawing& drawing) const;
    void drawHighlighted(QPainter& painter, const Drawing& drawing,
                         const std::vector<bool>& inside) const;
    void drawLine(QPainter& painter, const Drawing& drawing, const ParallelLine& line) const;
    void count(const Drawing& drawing);
    template <typename Stroke>
    void eachStroke(const Drawing& drawing, const ParallelLine& line, const Stroke& stroke) const;
    bool standsOut() const;  // are there lines in colour?
    void drawAxes(QPainter& painter, const Drawing& drawing) const;
    void drawTicks(QPainter& painter, const Drawing& drawing, int axis) const;
    QList<Tick> ticksOf(const Drawing& drawing, int axis) const;
    void dataChanged();   // other lines, or in other places
    void brushChanged();  // the same lines, others of them inside

    QList<ParallelAxis> m_axes;
    QList<ParallelLine> m_lines;
    QList<Range> m_ranges;
    QHash<QString, LineLook> m_highlighted;
    QHash<QString, Range> m_brushes;  // by the axis' word(), in axis coordinates
    QString m_emptyText;
    QString m_colourName;
    QPixmap m_picture;     // the lines as they stand, drawn once
    LineDensity m_inside;  // of very many lines, in pixels of the screen
    LineDensity m_outside;
    std::vector<bool> m_counted;  // which of the lines are counted inside; empty: none yet
    QTimer m_telling;
    int m_current = 0;  // axis the keyboard is at
    QString m_line;     // key of the line it is at; empty: none
    int m_dragged = -1;
    int m_carried = -1;  // by its name
    double m_dragStart = 0;
};

}  // namespace cospadi::ui
