// What the curves of a chart are called, each beside a piece of its own line
// (curve_legend_entry.h): above the plot where all names fit into two lines, else one below the
// other beside it, in columns where they are many; where these would take more than half of the
// width, in more lines above, at most half of the height. Where that is too much, too, names are
// cut and the last line counts those that have no place. GUI thread only; belongs to the chart's
// scene.
#pragma once

#include <QColor>
#include <QFont>
#include <QGraphicsItem>
#include <QList>

#include "ui/charts/curve_legend_entry.h"

namespace cospadi::ui {

class CurveLegend : public QGraphicsItem {
  public:
    CurveLegend(QGraphicsItem* chart, const QFont& font);

    void setEntries(const QList<CurveLegendEntry>& entries);
    void setText(const QColor& colour);
    void setChartSize(const QSizeF& size);

    bool isAbove() const { return m_above; }
    qsizetype named() const { return m_places.size() - (m_more.isEmpty() ? 0 : 1); }  // entries
    const QFont& font() const { return m_font; }
    // Pixels that it takes of the chart's height (above) or width (beside); 0 while empty.
    int room() const;

    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    void arrange();
    void standAbove();  // in lines, as they come
    void standBeside(qsizetype rows, qsizetype columns, double width);

    QList<CurveLegendEntry> m_entries;
    QFont m_font;
    QColor m_text;
    QSizeF m_chart;
    bool m_above = true;
    QRectF m_bounds;
    QList<QPointF> m_places;  // of the entries; the last of `m_more`, where it is not empty
    double m_widest = 0;      // that an entry may be
    QString m_more;           // "and 9 more"
};

}  // namespace cospadi::ui
