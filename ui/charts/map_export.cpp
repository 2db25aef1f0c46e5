#include "ui/charts/map_export.h"

#include <QPainter>
#include <algorithm>

#include "ui/charts/pattern_pyramid.h"
#include "ui/charts/pattern_view.h"

namespace cospadi::ui {

ExportSource mapExportSource(const PatternView& view, const QString& name, const QString& rows,
                             const QString& columns, const QList<LegendEntry>& legend,
                             const QImage& inColours) {
    constexpr int kMargin = 26;  // pixels of 1/96 inch, for the words
    ExportSource source;
    source.name = name;
    source.screenSize = view.size();
    source.draw = [image = inColours.isNull() ? onPaper(view.image()) : inColours,
                   font = exportFont(view.font()), rows, columns,
                   legend](QPainter& painter, const QSize& size, bool) {
        painter.fillRect(QRect(QPoint(0, 0), size), Qt::white);
        if (image.isNull()) {
            return;
        }
        painter.setFont(font);
        QRectF room(kMargin, kMargin, size.width() - kMargin - 4, size.height() - kMargin - 4);
        if (!legend.isEmpty()) {
            room.setHeight(room.height() - legendHeight(font, room.width(), legend) - 6);
        }
        const double scale = std::min(room.width() / image.width(), room.height() / image.height());
        const QRectF map(room.topLeft(), QSizeF(image.size()) * scale);
        painter.setRenderHint(QPainter::SmoothPixmapTransform, scale < 1);
        painter.drawImage(map, image.convertToFormat(QImage::Format_RGB32));
        painter.setPen(Qt::black);
        painter.drawRect(map);
        constexpr int kCentred = Qt::AlignCenter | Qt::TextDontClip;  // longer than a narrow map
        painter.drawText(QRectF(map.left(), 0, map.width(), kMargin - 2), kCentred, columns);
        drawLegend(painter, QRectF(map.left(), map.bottom() + 6, room.width(), 0), legend,
                   Qt::black, Qt::gray);
        painter.setPen(Qt::black);
        painter.translate(0, map.bottom());
        painter.rotate(-90);
        painter.drawText(QRectF(0, 0, map.height(), kMargin - 2), kCentred, rows);
    };
    source.csv = [image = view.image()] {
        QString text = QStringLiteral("row,column,density\n");
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                if (const int density = image.pixelIndex(x, y); density > 0) {
                    text += QStringLiteral("%1,%2,%3\n").arg(y).arg(x).arg(density / 255.0);
                }
            }
        }
        return text;
    };
    return source;
}

}  // namespace cospadi::ui
