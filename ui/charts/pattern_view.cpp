#include "ui/charts/pattern_view.h"

#include <QGraphicsItem>
#include <QGraphicsScene>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

// 0 (empty) … 255 (full): white to the accent colour, dark enough to be seen as single pixels.
QList<QRgb> densityColours() {
    QList<QRgb> colours;
    const QColor full("#123f73");
    for (int i = 0; i < 256; ++i) {
        const auto mix = [i](int ink) { return 255 + (ink - 255) * i / 255; };
        colours.append(qRgb(mix(full.red()), mix(full.green()), mix(full.blue())));
    }
    return colours;
}

QImage halved(const QImage& image) {
    const int width = (image.width() + 1) / 2;
    const int height = (image.height() + 1) / 2;
    QImage result(width, height, QImage::Format_Indexed8);
    result.setColorTable(image.colorTable());
    for (int y = 0; y < height; ++y) {
        const uchar* upper = image.constScanLine(2 * y);
        const uchar* lower = image.constScanLine(std::min(2 * y + 1, image.height() - 1));
        uchar* out = result.scanLine(y);
        for (int x = 0; x < width; ++x) {
            const int right = std::min(2 * x + 1, image.width() - 1);
            out[x] = static_cast<uchar>(
                (upper[2 * x] + upper[right] + lower[2 * x] + lower[right] + 2) / 4);
        }
    }
    return result;
}

// The same in colours: means of red, green and blue.
QImage halvedColours(const QImage& image) {
    const QList<QRgb> table = image.colorTable();
    const auto colour = [&](const uchar* line, int x) {
        return table.isEmpty() ? reinterpret_cast<const QRgb*>(line)[x] : table[line[x]];
    };
    QImage result((image.width() + 1) / 2, (image.height() + 1) / 2, QImage::Format_RGB32);
    for (int y = 0; y < result.height(); ++y) {
        const uchar* upper = image.constScanLine(2 * y);
        const uchar* lower = image.constScanLine(std::min(2 * y + 1, image.height() - 1));
        auto* out = reinterpret_cast<QRgb*>(result.scanLine(y));
        for (int x = 0; x < result.width(); ++x) {
            const int right = std::min(2 * x + 1, image.width() - 1);
            const QRgb four[] = {colour(upper, 2 * x), colour(upper, right), colour(lower, 2 * x),
                                 colour(lower, right)};
            int red = 2;
            int green = 2;
            int blue = 2;
            for (const QRgb one : four) {
                red += qRed(one);
                green += qGreen(one);
                blue += qBlue(one);
            }
            out[x] = qRgb(red / 4, green / 4, blue / 4);
        }
    }
    return result;
}

QList<QImage> withSmallerOnes(const QImage& image, QImage (*smaller)(const QImage&)) {
    QList<QImage> levels{image};
    while (std::max(levels.last().width(), levels.last().height()) > 256) {
        levels.append(smaller(levels.last()));
    }
    return levels;
}

}  // namespace

QList<QImage> patternPyramid(const std::vector<std::uint8_t>& entries, std::int64_t k,
                             std::int64_t d2, const std::vector<std::int64_t>& rowOrder,
                             const std::vector<std::int64_t>& columnOrder) {
    const std::int64_t rows = rowOrder.empty() ? k : static_cast<std::int64_t>(rowOrder.size());
    QImage image(static_cast<int>(d2), static_cast<int>(rows), QImage::Format_Indexed8);
    if (image.isNull()) {
        return {};
    }
    image.setColorTable(densityColours());
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t atom = rowOrder.empty() ? row : rowOrder[static_cast<std::size_t>(row)];
        uchar* line = image.scanLine(static_cast<int>(row));
        if (atom < 0) {
            std::fill_n(line, d2, uchar{0});
            continue;
        }
        for (std::int64_t j = 0; j < d2; ++j) {
            const std::int64_t column =
                columnOrder.empty() ? j : columnOrder[static_cast<std::size_t>(j)];
            line[j] = entries[static_cast<std::size_t>(column * k + atom)] != 0 ? 255 : 0;
        }
    }
    return withSmallerOnes(image, halved);
}

QList<QImage> densityPyramid(const std::vector<std::uint8_t>& densities, std::int64_t rows,
                             std::int64_t columns) {
    QImage image(static_cast<int>(columns), static_cast<int>(rows), QImage::Format_Indexed8);
    if (image.isNull()) {
        return {};
    }
    image.setColorTable(densityColours());
    for (std::int64_t row = 0; row < rows; ++row) {
        std::copy_n(densities.begin() + row * columns, columns,
                    image.scanLine(static_cast<int>(row)));
    }
    return withSmallerOnes(image, halved);
}

QList<QImage> colourPyramid(const QImage& image) {
    return image.isNull() ? QList<QImage>{} : withSmallerOnes(image, halvedColours);
}

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
    scene()->setSceneRect(m_item->boundingRect());
    if (!sameSize || m_fitted) {
        fit();
    }
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

void PatternView::wheelEvent(QWheelEvent* event) {
    zoom(std::pow(1.0015, event->angleDelta().y()));
    event->accept();
}

void PatternView::mouseMoveEvent(QMouseEvent* event) {
    QGraphicsView::mouseMoveEvent(event);
    const QPointF at = mapToScene(event->pos());
    if (m_item->boundingRect().contains(at) && at.x() >= 0 && at.y() >= 0) {
        emit pointedAt(static_cast<int>(at.y()), static_cast<int>(at.x()));
    } else {
        emit pointedAt(-1, -1);
    }
}

void PatternView::changeEvent(QEvent* event) {
    QGraphicsView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        setBackgroundBrush(theme().window);
    }
}

void PatternView::leaveEvent(QEvent* event) {
    QGraphicsView::leaveEvent(event);
    emit pointedAt(-1, -1);
}

void PatternView::keyPressEvent(QKeyEvent* event) {
    constexpr double kZoomStep = 1.25;
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal) {
        zoom(kZoomStep);
    } else if (event->key() == Qt::Key_Minus) {
        zoom(1 / kZoomStep);
    } else if (event->key() == Qt::Key_0) {
        fit();
    } else {
        QGraphicsView::keyPressEvent(event);
    }
}

void PatternView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    if (m_fitted) {
        fit();
    }
}

ExportSource mapExportSource(const PatternView& view, const QString& name, const QString& rows,
                             const QString& columns, const QList<LegendEntry>& legend) {
    constexpr int kMargin = 26;  // pixels of 1/96 inch, for the words
    ExportSource source;
    source.name = name;
    source.screenSize = view.size();
    source.draw = [image = view.image(), font = exportFont(view.font()), rows, columns, legend](
                      QPainter& painter, const QSize& size, bool) {
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
