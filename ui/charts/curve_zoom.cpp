#include "ui/charts/curve_zoom.h"

#include <algorithm>

namespace cospadi::ui {

void CurveZoom::by(double x, double y, const QPointF& around, const QRectF& full) {
    const QRectF now = m_area.value_or(full);
    QRectF area(QPointF(around.x() - (around.x() - now.left()) * x,
                        around.y() - (around.y() - now.top()) * y),
                QSizeF(now.width() * x, now.height() * y));
    if (area.width() < full.width() * 1e-5 || area.height() < full.height() * 1e-5) {
        return;
    }
    area &= full;
    const bool isAll = area.width() > full.width() * 0.999 && area.height() > full.height() * 0.999;
    m_area = isAll ? std::nullopt : std::optional(area);
}

void CurveZoom::move(const QPointF& by, const QRectF& full) {
    if (m_area) {
        m_area->translate(by);
        m_area->moveLeft(std::clamp(m_area->left(), full.left(), full.right() - m_area->width()));
        m_area->moveTop(std::clamp(m_area->top(), full.top(), full.bottom() - m_area->height()));
    }
}

}  // namespace cospadi::ui
