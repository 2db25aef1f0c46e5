// Charts of one kind beside each other: the same axes in all of them, so that they can be compared
// at a glance, one legend above, and the axes' titles once. Exported as one picture.
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

#include "ui/charts/chart_export.h"
#include "ui/charts/curve_chart.h"

class QGridLayout;
class QLabel;

namespace cospadi::ui {

class SharedLegend;

struct Multiple {
    QString title;
    // In every chart the same ones, in the same order; without points where it has none.
    QList<Curve> curves;
};

class SmallMultiples : public QWidget {
    Q_OBJECT

  public:
    explicit SmallMultiples(QWidget* parent = nullptr);

    void setMultiples(const QList<Multiple>& multiples, const PlotAxes& axes);
    const QList<CurveChart*>& charts() const { return m_charts; }  // those on show, in order

    ExportSource exportSource(const QString& name) const;
    QString csv() const;  // plot, then as of a chart

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void place();

    QList<Multiple> m_multiples;
    PlotAxes m_axes;
    SharedLegend* m_legend;
    QLabel* m_yTitle;
    QLabel* m_xTitle;
    QGridLayout* m_grid;
    QList<QWidget*> m_cells;
    QList<CurveChart*> m_charts;
    int m_columns = 0;
};

}  // namespace cospadi::ui
