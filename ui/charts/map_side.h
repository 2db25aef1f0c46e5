// What stands along a side of a PatternView and moves with it: ticks that number its rows or
// columns from 0 on, or a bar for each of them (the marginals of the map). A click chooses the row
// or column there. Where several share a pixel, the bar is as long as the longest of them. GUI
// thread only.
#pragma once

#include <QWidget>
#include <vector>

namespace cospadi::ui {

class PatternView;

class MapSide : public QWidget {
    Q_OBJECT

  public:
    enum class Content { RowTicks, ColumnTicks, RowBars, ColumnBars };
    MapSide(PatternView* view, Content content, QWidget* parent = nullptr);

    // One for each row or column of the map, in its order; words: what they count.
    void setBars(std::vector<double> lengths, const QString& words);
    // The row or column at a place of this widget; −1: none.
    int placeAt(const QPointF& position) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  signals:
    void chosen(int place);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

  private:
    bool isOfRows() const;
    int count() const;                 // rows or columns of the map
    double inMap(double along) const;  // a place along this widget, in rows or columns
    double along(double inMap) const;  // and back
    void paintTicks(QPainter& painter) const;
    void paintBars(QPainter& painter) const;

    PatternView* m_view;
    Content m_content;
    std::vector<double> m_lengths;
    double m_longest = 0;
    QString m_words;
};

}  // namespace cospadi::ui
