#include "ui/charts/map_marks.h"

#include <QPainter>

#include "ui/base/theme.h"

namespace cospadi::ui {

void drawMapMarks(QPainter& painter, const MapMarks& marks, const QRectF& map,
                  const QRectF& exposed) {
    QColor veil = theme().panel;
    veil.setAlpha(205);
    // Lines of entries beside each other are covered as one; those of the choice itself never.
    const auto cover = [&](const std::vector<bool>& belong, bool isRows) {
        const int count = static_cast<int>(belong.size());
        for (int begin = 0; begin < count; ++begin) {
            int end = begin;
            while (end < count && !belong[static_cast<std::size_t>(end)]) {
                ++end;
            }
            if (end > begin) {
                const QRectF lines = isRows ? QRectF(0, begin, map.width(), end - begin)
                                            : QRectF(begin, 0, end - begin, map.height());
                painter.fillRect(lines & exposed, veil);
                begin = end;
            }
        }
    };
    cover(marks.rows, true);
    cover(marks.columns, false);
    QPen frame(theme().warning, 1.5);
    frame.setCosmetic(true);
    painter.setPen(frame);
    painter.setBrush(Qt::NoBrush);
    if (marks.row >= 0) {
        painter.drawRect(QRectF(0, marks.row, map.width(), 1));
    }
    if (marks.column >= 0) {
        painter.drawRect(QRectF(marks.column, 0, 1, map.height()));
    }
}

}  // namespace cospadi::ui
