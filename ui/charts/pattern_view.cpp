#include "ui/charts/pattern_view.h"

#include <QGraphicsItem>
#include <QGraphicsScene>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"
#include "ui/charts/pattern_pyramid.h"

namespace cospadi::ui {

class PatternItem : public QGraphicsItem {
  public:
    QList<QImage> levels;

    void setLevels(const QList<QImage>& images) {
        prepareGeometryChange();
        levels = images;
        update();
    }

    QRectF boundingRect() const override {
        return levels.isEmpty() ? QRectF() : QRectF(QPointF(0, 0), QSizeF(levels.first().size()));
    }

    // Draws only the exposed part, from the level whose pixels are nearest to the screen's.
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*) override {
        if (levels.isEmpty()) {
            return;
        }
        const double scale =
            QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
        const int level =
            std::clamp(static_cast<int>(std::floor(-std::log2(std::max(scale, 1e-6)))), 0,
                       static_cast<int>(levels.size()) - 1);
        const double factor = std::pow(2, level);
        const QImage& image = levels[level];
        const QRectF exposed = option->exposedRect & boundingRect();
        const QRect source =
            QRectF(exposed.topLeft() / factor, exposed.size() / factor).toAlignedRect() &
            image.rect();
        painter->setRenderHint(QPainter::SmoothPixmapTransform, scale < 1);
        painter->drawImage(
            QRectF(QPointF(source.topLeft()) * factor, QSizeF(source.size()) * factor), image,
            source);
    }
};

PatternView::PatternView(QWidget* parent) : QGraphicsView(parent), m_item(new PatternItem) {
    auto* graphics = new QGraphicsScene(this);
    graphics->addItem(m_item);
    m_item->setFlag(QGraphicsItem::ItemUsesExtendedStyleOption);  // fills exposedRect
    setScene(graphics);
    setFrameShape(QFrame::NoFrame);
    setDragMode(QGraphicsView::ScrollHandDrag);
    setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
    setBackgroundBrush(theme().window);
    setMouseTracking(true);
    setMinimumSize(200, 160);
}

bool PatternView::isEmpty() const { return m_item->levels.isEmpty(); }

const QImage& PatternView::image() const {
    static const QImage none;
    return isEmpty() ? none : m_item->levels.first();
}

void PatternView::setPyramid(const QList<QImage>& levels) {
    const bool sameSize = !isEmpty() && !levels.isEmpty() && image().size() == levels[0].size();
    m_item->setLevels(levels);
    if (!sameSize) {
        m_marks = {};
        m_cursor.reset();
        setAccessibleDescription(isEmpty() ? QString()
                                           : tr("%1 rows by %2 columns; arrows go from entry to "
                                                "entry, Return chooses the row, with Shift the "
                                                "column")
                                                 .arg(image().height())
                                                 .arg(image().width()));
    }
    applyColours();
    scene()->setSceneRect(m_item->boundingRect());
    if (!sameSize || m_fitted) {
        fit();
    } else {
        emit viewChanged();
    }
}

void PatternView::applyColours() {
    setBackgroundBrush(theme().window);
    for (QImage& level : m_item->levels) {
        if (level.format() == QImage::Format_Indexed8) {
            level.setColorTable(shadeColours(theme().dark));
        }
    }
    viewport()->update();
}

void PatternView::setMarks(const MapMarks& marks) {
    m_marks = marks;
    viewport()->update();
}

void PatternView::drawForeground(QPainter* painter, const QRectF& rect) {
    const QRectF map = m_item->boundingRect();
    const QRectF room = rect & map;
    if (room.isEmpty()) {
        return;
    }
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
                painter->fillRect(lines & room, veil);
                begin = end;
            }
        }
    };
    cover(m_marks.rows, true);
    cover(m_marks.columns, false);
    QPen frame(theme().warning, 1.5);
    frame.setCosmetic(true);
    painter->setPen(frame);
    painter->setBrush(Qt::NoBrush);
    if (m_marks.row >= 0) {
        painter->drawRect(QRectF(0, m_marks.row, map.width(), 1));
    }
    if (m_marks.column >= 0) {
        painter->drawRect(QRectF(m_marks.column, 0, 1, map.height()));
    }
    if (m_cursor && hasFocus()) {
        drawCursor(painter);
    }
}

// Its entry, and never less than can be seen, with hairs along row and column.
void PatternView::drawCursor(QPainter* painter) const {
    constexpr double kLeast = 9;  // pixels
    const QRectF map = m_item->boundingRect();
    const QPointF middle(m_cursor->x() + 0.5, m_cursor->y() + 0.5);
    const double side = std::max(1.0, kLeast / transform().m11());
    QPen pen(theme().warning, 1, Qt::DotLine);
    pen.setCosmetic(true);
    painter->setPen(pen);
    painter->drawLine(QPointF(map.left(), middle.y()), QPointF(map.right(), middle.y()));
    painter->drawLine(QPointF(middle.x(), map.top()), QPointF(middle.x(), map.bottom()));
    pen.setStyle(Qt::SolidLine);
    pen.setWidthF(2);
    painter->setPen(pen);
    painter->drawRect(QRectF(middle - QPointF(side, side) / 2, QSizeF(side, side)));
}

double PatternView::fittingScale() const {
    const QRectF map = m_item->boundingRect();
    if (map.isEmpty()) {
        return 1;
    }
    return std::min((viewport()->width() - 16) / map.width(),
                    (viewport()->height() - 16) / map.height());
}

void PatternView::fit() {
    const double scale = fittingScale();
    setTransform(QTransform::fromScale(scale, scale));
    centerOn(m_item);
    m_fitted = true;
    emit viewChanged();
}

QPointF PatternView::centre() const { return mapToScene(viewport()->rect().center()); }

void PatternView::showSameAs(const PatternView& other) {
    if (other.isFitted()) {
        fit();
        return;
    }
    m_fitted = false;
    setTransform(other.transform());
    centerOn(other.centre());
}

void PatternView::zoom(double factor) {
    const double now = transform().m11();
    const double least = fittingScale();
    const double next = std::clamp(now * factor, least, std::max(32.0, least));
    m_fitted = next <= least * 1.001;
    scale(next / now, next / now);
    emit viewChanged();
}

void PatternView::scrollContentsBy(int dx, int dy) {
    QGraphicsView::scrollContentsBy(dx, dy);
    emit viewChanged();
}

void PatternView::changeEvent(QEvent* event) {
    QGraphicsView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_item != nullptr) {
        applyColours();
    }
}

void PatternView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    if (m_fitted) {
        fit();
    }
}

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
