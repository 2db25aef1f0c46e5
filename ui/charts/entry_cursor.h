// The keyboard's cursor on a map: the entry it stands on, where keys take it, and how it is drawn.
// Arrows go from entry to entry, Page Up and Page Down as many rows as are in view, Home and End
// to the ends of the row, with Ctrl to those of the map. The first of its keys only shows it.
#pragma once

#include <QPoint>
#include <QRectF>
#include <QSize>
#include <optional>

class QKeyEvent;
class QPainter;

namespace cospadi::ui {

class EntryCursor {
  public:
    // Column and row. None: it has not been moved, or was taken away.
    const std::optional<QPoint>& entry() const { return m_entry; }
    void takeAway() { m_entry.reset(); }

    // middle: the entry in the middle of what is seen; page: rows that are in view. False: none of
    // its keys, or the map is empty.
    bool move(const QKeyEvent& event, const QSize& map, const QPoint& middle, int page);

    // Where it stands on an entry: that one, and never less than can be seen, with hairs along row
    // and column. In units of an entry, of which each has so many pixels.
    void draw(QPainter& painter, const QRectF& map, double pixels) const;

  private:
    std::optional<QPoint> m_entry;
};

}  // namespace cospadi::ui
