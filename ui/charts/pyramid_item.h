// A pyramid of images (pattern_pyramid.h) in a scene, an entry of the map a unit: draws only the
// part that is exposed, from the level whose pixels are nearest to the screen's. GUI thread only.
#pragma once

#include <QGraphicsItem>
#include <QImage>
#include <QList>

namespace cospadi::ui {

class PyramidItem : public QGraphicsItem {
  public:
    PyramidItem();

    void setLevels(const QList<QImage>& levels);
    const QList<QImage>& levels() const { return m_levels; }
    void setColours(const QList<QRgb>& shades);  // of levels of shades; others stay

    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    QList<QImage> m_levels;
};

}  // namespace cospadi::ui
