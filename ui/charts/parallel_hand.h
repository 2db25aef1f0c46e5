// Parallel coordinates under the hand: mouse and keys become brushes, and axes in other places.
// Dragging along an axis brushes it, a click on it clears its brush; its name is dragged to another
// place.
//
// By keyboard: Left and Right choose an axis, with Shift they move it; Up and Down move the lower
// end of its brush, Shift+Up and Shift+Down the upper end; Delete clears it, Escape clears all.
// Page Up and Page Down go from line to line inside the brushes, by their values on the axis. What
// stands at the axis, or is known of the line, is told to screen readers (parallel_words.h).
//
// Keeps where hand and keyboard are; lines and brushes are the chart's. GUI thread only.
#pragma once

#include <QString>

class QKeyEvent;
class QMouseEvent;
class QPointF;

namespace cospadi::ui {

class ParallelCoordinates;

class ParallelHand {
  public:
    explicit ParallelHand(ParallelCoordinates& chart) : m_chart(chart) {}  // of which it is a part

    void keepWithin(int axes);  // there are so many now

    void press(const QMouseEvent& event);
    void move(const QMouseEvent& event);
    void release(const QMouseEvent& event);
    bool pressKey(const QKeyEvent& event);  // whether it is one of its keys

    int axis() const { return m_axis; }  // that the keyboard is at
    int line() const;                    // the same; −1: none
    bool isBrushing() const { return m_dragged >= 0; }

  private:
    void moveAxis(int to);  // the current one
    void moveBrush(int direction, bool upper);
    void stepLine(int direction);  // +1: to the next larger value on the current axis
    void tellAxis();

    ParallelCoordinates& m_chart;
    int m_axis = 0;
    QString m_line;      // its key; empty: none
    int m_dragged = -1;  // axis that is being brushed
    int m_carried = -1;  // by its name
    double m_dragStart = 0;
};

}  // namespace cospadi::ui
