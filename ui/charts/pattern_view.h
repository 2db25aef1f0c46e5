// The sparsity pattern of S as a map that zooms and pans: a row an atom, a column an output feature
// of the layer, from a pyramid of images (pattern_pyramid.h). Shades take the colours of the
// window. A click chooses an entry; what does not belong to a choice steps back. Arrows move a
// cursor from entry to entry, which is pointed at as by the mouse. GUI thread only.
#pragma once

#include <QGraphicsView>
#include <QImage>
#include <QList>
#include <QPoint>
#include <optional>
#include <vector>

#include "ui/charts/chart_export.h"
#include "ui/charts/map_legend.h"

namespace cospadi::ui {

// Rows or columns of a map that are in view while the others step back, by their places in it.
struct MapMarks {
    int row = -1;  // framed; −1: none, as the next
    int column = -1;
    std::vector<bool> rows;     // that belong to the column; empty: all do, as with the next
    std::vector<bool> columns;  // that belong to the row
};

class PatternItem;

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
    const std::optional<QPoint>& cursorEntry() const { return m_cursor; }

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
    // + − 0; arrows, Home, End and pages move the cursor, Return chooses, Escape takes it away.
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    double fittingScale() const;
    void applyColours();
    bool moveCursor(const QKeyEvent& event);  // whether the key was one of its
    void setCursorEntry(const std::optional<QPoint>& entry);
    void drawCursor(QPainter* painter) const;

    PatternItem* m_item = nullptr;
    MapMarks m_marks;
    QPoint m_pressed;
    std::optional<QPoint> m_cursor;
    bool m_fitted = true;
};

// The map in `view` with words along its sides and what its colours mean below it, on white; its
// CSV lists (row, column, density) where it is not empty. inColours: the same map for white paper,
// where it is not one of shades.
ExportSource mapExportSource(const PatternView& view, const QString& name, const QString& rows,
                             const QString& columns, const QList<LegendEntry>& legend = {},
                             const QImage& inColours = {});

}  // namespace cospadi::ui
