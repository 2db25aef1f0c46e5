#include "ui/charts/pyramid_item.h"

#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <algorithm>
#include <cmath>

namespace cospadi::ui {

PyramidItem::PyramidItem() {
    setFlag(QGraphicsItem::ItemUsesExtendedStyleOption);  // fills exposedRect
}

void PyramidItem::setLevels(const QList<QImage>& levels) {
    prepareGeometryChange();
    m_levels = levels;
    update();
}

void PyramidItem::setColours(const QList<QRgb>& shades) {
    for (QImage& level : m_levels) {
        if (level.format() == QImage::Format_Indexed8) {
            level.setColorTable(shades);
        }
    }
}

QRectF PyramidItem::boundingRect() const {
    return m_levels.isEmpty() ? QRectF() : QRectF(QPointF(0, 0), QSizeF(m_levels.first().size()));
}

void PyramidItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option,
                        QWidget* /*widget*/) {
    if (m_levels.isEmpty()) {
        return;
    }
    const double scale =
        QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    const int level = std::clamp(static_cast<int>(std::floor(-std::log2(std::max(scale, 1e-6)))), 0,
                                 static_cast<int>(m_levels.size()) - 1);
    const double factor = std::pow(2, level);
    const QImage& image = m_levels[level];
    const QRectF exposed = option->exposedRect & boundingRect();
    const QRect source =
        QRectF(exposed.topLeft() / factor, exposed.size() / factor).toAlignedRect() & image.rect();
    painter->setRenderHint(QPainter::SmoothPixmapTransform, scale < 1);
    painter->drawImage(QRectF(QPointF(source.topLeft()) * factor, QSizeF(source.size()) * factor),
                       image, source);
}

}  // namespace cospadi::ui
