// The sparsity pattern of S as a map that zooms and pans: a row an atom, a column an output feature
// of the layer, dark where S(i, j) ≠ 0.
//
// A pyramid of Indexed8 images: level 0 is the pattern, each further level the mean of 2 × 2
// pixels, so that a large pattern shows its true density at any zoom. Building it is pure and may
// run on any thread; the view belongs to the GUI thread.
#pragma once

#include <QGraphicsView>
#include <QImage>
#include <QList>
#include <QStringList>
#include <cstdint>
#include <vector>

#include "ui/charts/chart_export.h"
#include "ui/charts/map_legend.h"

namespace cospadi::ui {

// entries: (k × d2), column-major, 0 or 1: entries[j * k + i]. rowOrder: which atom stands in row
// r (−1: none, the row stays empty), which column in column c; empty: as they are. Level 0 first;
// the last level is at most 256 pixels wide and high.
QList<QImage> patternPyramid(const std::vector<std::uint8_t>& entries, std::int64_t k,
                             std::int64_t d2, const std::vector<std::int64_t>& rowOrder,
                             const std::vector<std::int64_t>& columnOrder = {});

// Of densities 0 … 255, row after row.
QList<QImage> densityPyramid(const std::vector<std::uint8_t>& densities, std::int64_t rows,
                             std::int64_t columns);

// Of a picture in few colours, RGB: the further levels mix them.
QList<QImage> colourPyramid(const QImage& image);

class PatternItem;

class PatternView : public QGraphicsView {
    Q_OBJECT

  public:
    explicit PatternView(QWidget* parent = nullptr);

    void setPyramid(const QList<QImage>& levels);
    void clear() { setPyramid({}); }
    bool isEmpty() const;
    const QImage& image() const;  // level 0
    void fit();
    void zoom(double factor);
    bool isFitted() const { return m_fitted; }  // the whole map is seen
    QPointF centre() const;                     // the place of the map in the middle of the view
    void showSameAs(const PatternView& other);

  signals:
    // The entry under the pointer (row of the map, column), or (−1, −1) outside.
    void pointedAt(int row, int column);
    void viewChanged();  // zoomed, or another part came into view

  protected:
    void wheelEvent(QWheelEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;  // + − 0, arrows

  private:
    double fittingScale() const;

    PatternItem* m_item;
    bool m_fitted = true;
};

// The map in `view` with words along its sides and what its colours mean below it; its CSV lists
// (row, column, density) where it is not empty.
ExportSource mapExportSource(const PatternView& view, const QString& name, const QString& rows,
                             const QString& columns, const QList<LegendEntry>& legend = {});

}  // namespace cospadi::ui
