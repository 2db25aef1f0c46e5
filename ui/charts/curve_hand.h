// A chart under the hand: wheel, mouse and keys over its plot become calls of the chart's own
// verbs. The wheel zooms (Shift: x only, Ctrl: y only), a drag moves what is zoomed; + and − zoom
// around the middle, 0 shows all. Left and Right go from point to point of the coloured curves,
// whose values stand in the box as under the pointer and are told to screen readers; Escape takes
// them away.
//
// Keeps where the pointer is and where the keys read; what is zoomed is the chart's. GUI thread
// only.
#pragma once

#include <QPointF>
#include <optional>

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace cospadi::ui {

class CurveChart;

class CurveHand {
  public:
    explicit CurveHand(CurveChart& chart) : m_chart(chart) {}  // of which it is a part

    void turnWheel(const QWheelEvent& event);
    void press(const QMouseEvent& event);
    void move(const QMouseEvent& event);
    void release();
    void leave();
    bool pressKey(const QKeyEvent& event);  // whether it is one of its keys

    // In the viewport, where values are read off; none outside the plot and during a drag.
    std::optional<QPointF> readingPlace() const;

  private:
    void readNext(bool forward);

    CurveChart& m_chart;
    std::optional<double> m_read;      // x that the keyboard is at
    std::optional<QPointF> m_pointer;  // in the viewport, while over the plot
    std::optional<QPointF> m_dragged;  // where the drag has got to
};

}  // namespace cospadi::ui
