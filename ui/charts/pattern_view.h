// The sparsity pattern of S as a map that zooms and pans: a row an atom, a column an output feature
// of the layer, from a pyramid of images (pattern_pyramid.h). Shades take the colours of the
// window. A click chooses an entry; what does not belong to a choice steps back (map_marks.h). Keys
// move a cursor from entry to entry (entry_cursor.h), which is pointed at as by the mouse. GUI
// thread only.
#pragma once

#include <QGraphicsView>
#include <QImage>
#include <QList>
#include <QPoint>
#include <optional>

#include "ui/charts/entry_cursor.h"
#include "ui/charts/map_marks.h"

namespace cospadi::ui {

class PyramidItem;

class PatternView : public QGraphicsView {
    Q_OBJECT

  public:
    explicit PatternView(QWidget* parent = nullptr);

    void setPyramid(const QList<QImage>& levels);
    void clear() { setPyramid({}); }
    bool isEmpty() const;
    const QImage& image() const;  // level 0
    void setMarks(const MapMarks& marks);
    const MapMarks& marks() const { return m_marks; }
    void fit();
    void zoom(double factor);
    bool isFitted() const { return m_fitted; }  // the whole map is seen
    QPointF centre() const;                     // the place of the map in the middle of the view
    void showSameAs(const PatternView& other);
    // The keyboard's: column and row. None: it has not been moved.
    const std::optional<QPoint>& cursorEntry() const { return m_cursor.entry(); }

  signals:
    // The entry under the pointer or the cursor (row of the map, column), or (−1, −1) outside.
    void pointedAt(int row, int column);
    void viewChanged();  // zoomed, or another part came into view
    // An entry was clicked, or Return was pressed on it; isColumn: with Shift, its column is meant.
    void chosen(int row, int column, bool isColumn);

  protected:
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent* event) override;
    void leaveEvent(QEvent* event) override;
    // + − 0; the cursor's keys move it, Return chooses its entry, Escape takes it away.
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    double fittingScale() const;
    void applyColours();
    bool moveCursor(const QKeyEvent& event);  // whether the key was one of its
    void showCursor();                        // where it is now, or no longer

    PyramidItem* m_item = nullptr;
    MapMarks m_marks;
    QPoint m_pressed;
    EntryCursor m_cursor;
    bool m_fitted = true;
};

}  // namespace cospadi::ui
