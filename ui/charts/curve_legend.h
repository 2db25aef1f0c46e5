// What the curves of a chart are called, each beside a piece of its own line
// (curve_legend_entry.h): above the plot where all names fit into two lines, else one below the
// other beside it, where names that would take more than half of the width are cut. GUI thread
// only; belongs to the chart's scene.
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
    // Of this width; what does not fit above stands beside.
    void setChartWidth(double width);

    bool isAbove() const { return m_above; }
    const QFont& font() const { return m_font; }
    // Pixels that it takes of the chart's height (above) or width (beside); 0 while empty.
    int room() const;

    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    void arrange();

    QList<CurveLegendEntry> m_entries;
    QFont m_font;
    QColor m_text;
    double m_chartWidth = 0;
    bool m_above = true;
    QRectF m_bounds;
    QList<QPointF> m_places;  // of the entries
};

}  // namespace cospadi::ui
