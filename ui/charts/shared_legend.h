// What several charts beside each other have in common: which curve is which, in lines that fill
// the width (curve_legend_entry.h), on the screen and in files.
#pragma once

#include <QFont>
#include <QList>
#include <QWidget>

#include "ui/models/curve.h"

class QPainter;

namespace cospadi::ui {

// In pixels; 0 where no curve has a place in a legend.
int sharedLegendHeight(const QList<Curve>& curves, int width, const QFont& font, bool print);
// At (0, 0); names that are wider than that are cut in their middle.
void drawSharedLegend(QPainter& painter, const QList<Curve>& curves, int width, const QFont& font,
                      bool print);

class SharedLegend : public QWidget {
    Q_OBJECT

  public:
    explicit SharedLegend(QWidget* parent = nullptr);
    void setCurves(const QList<Curve>& curves);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void fitHeight();
    QList<Curve> m_curves;
};

}  // namespace cospadi::ui
