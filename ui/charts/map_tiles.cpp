#include "ui/charts/map_tiles.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/base/names_for_readers.h"
#include "ui/base/theme.h"
#include "ui/charts/pattern_pyramid.h"

namespace cospadi::ui {

namespace {

constexpr double kTileGap = 8;

// How many stand in a row, and how large an entry is, in pixels.
struct TileGrid {
    int columns = 1;
    QSizeF cell;
    double scale = 0;
    double line = 0;  // height of a title
};

TileGrid gridOf(const QList<MapTile>& tiles, const QSizeF& size, const QFontMetricsF& metrics) {
    QSize largest(1, 1);
    for (const MapTile& tile : tiles) {
        largest = largest.expandedTo(tile.entries);
    }
    TileGrid best;
    for (int columns = 1; columns <= static_cast<int>(tiles.size()); ++columns) {
        const double rows = std::ceil(static_cast<double>(tiles.size()) / columns);
        TileGrid grid;
        grid.columns = columns;
        grid.cell = QSizeF(size.width() / columns, size.height() / rows);
        grid.line = metrics.height() + 2;
        grid.scale =
            std::max(0.0, std::min((grid.cell.width() - kTileGap) / largest.width(),
                                   (grid.cell.height() - grid.line - kTileGap) / largest.height()));
        if (columns == 1 || grid.scale > best.scale) {
            best = grid;
        }
    }
    return best;
}

QRectF cellIn(const TileGrid& grid, int place) {
    return {QPointF(place % grid.columns * grid.cell.width(),
                    place / grid.columns * grid.cell.height()),
            grid.cell};
}

QRectF mapIn(const TileGrid& grid, int place, const QSize& entries) {
    const QRectF cell = cellIn(grid, place);
    const QSizeF size = QSizeF(entries) * grid.scale;
    return {QPointF(cell.center().x() - size.width() / 2, cell.top() + grid.line), size};
}

// Shade full from the share `full` on.
QList<QRgb> coloursUpTo(double full, bool dark) {
    const QList<QRgb> shades = shadeColours(dark);
    QList<QRgb> colours;
    for (int i = 0; i < 256; ++i) {
        colours.append(
            shades[full > 0 ? std::min(255, static_cast<int>(std::lround(i / full))) : i]);
    }
    return colours;
}

struct TileInk {
    QColor paper, text, line, problem;
    bool dark;
};

void drawTiles(QPainter& painter, const QList<MapTile>& tiles, double full, const QSizeF& size,
               const TileInk& ink) {
    const QFontMetricsF metrics(painter.font());
    const TileGrid grid = gridOf(tiles, size, metrics);
    const QList<QRgb> colours = coloursUpTo(full, ink.dark);
    for (int i = 0; i < static_cast<int>(tiles.size()); ++i) {
        const MapTile& tile = tiles[i];
        const QRectF cell = cellIn(grid, i);
        const QRectF title(cell.left() + 2, cell.top(), cell.width() - 4, grid.line);
        painter.setPen(ink.text);
        painter.drawText(title, Qt::AlignCenter,
                         metrics.elidedText(tile.title, Qt::ElideMiddle, title.width()));
        const QRectF place = mapIn(grid, i, tile.entries);
        if (!tile.map.isNull()) {
            QImage map = tile.map;
            map.setColorTable(colours);
            painter.setRenderHint(QPainter::SmoothPixmapTransform, place.width() < map.width());
            painter.drawImage(place, map.convertToFormat(QImage::Format_RGB32));
            painter.setPen(ink.line);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(place);
        } else {
            painter.setPen(tile.problem.isEmpty() ? ink.text : ink.problem);
            painter.drawText(cell.adjusted(4, grid.line, -4, -kTileGap),
                             Qt::AlignCenter | Qt::TextWordWrap,
                             tile.problem.isEmpty() ? QStringLiteral("…") : tile.problem);
        }
    }
}

double shareOf(const QImage& map) {
    double sum = 0;
    for (int y = 0; y < map.height(); ++y) {
        const uchar* line = map.constScanLine(y);
        for (int x = 0; x < map.width(); ++x) {
            sum += line[x];
        }
    }
    return sum / 255.0 / (static_cast<double>(map.width()) * map.height());
}

double greatestShare(const QList<MapTile>& tiles) {
    uchar greatest = 0;
    for (const MapTile& tile : tiles) {
        for (int y = 0; y < tile.map.height(); ++y) {
            const uchar* line = tile.map.constScanLine(y);
            greatest = std::max(greatest, *std::max_element(line, line + tile.map.width()));
        }
    }
    return greatest / 255.0;
}

QString percent(double share) {
    return QStringLiteral("%1 %").arg(QLocale().toString(100 * share, 'f', 0));
}

}  // namespace

MapTiles::MapTiles(QWidget* parent) : QWidget(parent) {
    setMinimumSize(200, 120);
    setFocusPolicy(Qt::StrongFocus);
}

void MapTiles::setTiles(const QList<MapTile>& tiles) {
    m_tiles = tiles;
    m_current = m_current < static_cast<int>(tiles.size()) ? m_current : -1;
    setAccessibleDescription(tr("%n small map(s); arrow keys move between them", nullptr,
                                static_cast<int>(tiles.size())));
    redraw();
}

void MapTiles::setTile(int place, const MapTile& tile) {
    m_tiles[place] = tile;
    redraw();
}

void MapTiles::redraw() {
    m_picture = {};
    m_fullShare = greatestShare(m_tiles);
    emit legendChanged();
    update();
}

QList<LegendEntry> MapTiles::legend(bool print) const {
    if (m_fullShare <= 0) {
        return {};
    }
    const QList<QRgb> shades = shadeColours(!print && theme().dark);
    return {{{QColor(shades.first()), QColor(shades.last())},
             tr("share of entries that are not 0: 0 … %1").arg(percent(m_fullShare))}};
}

QRectF MapTiles::tileRect(int place) const {
    return place < 0 || place >= m_tiles.size()
               ? QRectF()
               : mapIn(gridOf(m_tiles, size(), QFontMetricsF(font())), place,
                       m_tiles[place].entries);
}

QString MapTiles::describe(int place) const {
    const MapTile& tile = m_tiles[place];
    if (tile.map.isNull()) {
        return QStringLiteral("%1: %2").arg(tile.title,
                                            tile.problem.isEmpty() ? tr("loading") : tile.problem);
    }
    return tr("%1: %2 atoms × %3 columns, %4 of the entries are not 0")
        .arg(tile.title)
        .arg(tile.entries.height())
        .arg(tile.entries.width())
        .arg(percent(shareOf(tile.map)));
}

void MapTiles::paintEvent(QPaintEvent* /*event*/) {
    const QSize pixels = size() * devicePixelRatioF();
    if (m_picture.size() != pixels) {
        m_picture = QPixmap(pixels);
        m_picture.setDevicePixelRatio(devicePixelRatioF());
        m_picture.fill(theme().panel);
        QPainter picture(&m_picture);
        picture.setFont(font());
        drawTiles(picture, m_tiles, m_fullShare, size(),
                  {theme().panel, theme().text, theme().line, theme().error, theme().dark});
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, m_picture);
    if (m_current >= 0 && hasFocus()) {
        painter.setPen(QPen(theme().warning, 2));
        painter.drawRect(cellIn(gridOf(m_tiles, size(), QFontMetricsF(font())), m_current)
                             .adjusted(1, 1, -1, -1));
    }
}

int MapTiles::placeAt(const QPointF& position) const {
    const TileGrid grid = gridOf(m_tiles, size(), QFontMetricsF(font()));
    for (int i = 0; i < static_cast<int>(m_tiles.size()); ++i) {
        if (cellIn(grid, i).contains(position)) {
            return i;
        }
    }
    return -1;
}

void MapTiles::mousePressEvent(QMouseEvent* event) {
    const int place = event->button() == Qt::LeftButton ? placeAt(event->position()) : -1;
    if (place >= 0) {
        emit chosen(place);
    }
    QWidget::mousePressEvent(event);
}

void MapTiles::goTo(int place) {
    m_current = std::clamp(place, 0, static_cast<int>(m_tiles.size()) - 1);
    tellReaders(this, describe(m_current));
    const QRectF cell = cellIn(gridOf(m_tiles, size(), QFontMetricsF(font())), m_current);
    QToolTip::showText(mapToGlobal(cell.bottomLeft().toPoint()), describe(m_current), this);
    update();
}

void MapTiles::keyPressEvent(QKeyEvent* event) {
    if (m_tiles.isEmpty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const int columns = gridOf(m_tiles, size(), QFontMetricsF(font())).columns;
    const int last = static_cast<int>(m_tiles.size()) - 1;
    switch (event->key()) {
        case Qt::Key_Right:
            return goTo(m_current + 1);
        case Qt::Key_Left:
            return goTo(m_current - 1);
        case Qt::Key_Down:
            return goTo(m_current < 0                 ? 0
                        : m_current + columns <= last ? m_current + columns
                                                      : m_current);
        case Qt::Key_Up:
            return goTo(m_current - columns >= 0 ? m_current - columns : m_current);
        case Qt::Key_Home:
            return goTo(0);
        case Qt::Key_End:
            return goTo(last);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (m_current >= 0) {
                emit chosen(m_current);
                return;
            }
            [[fallthrough]];
        default:
            QWidget::keyPressEvent(event);
    }
}

void MapTiles::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void MapTiles::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

void MapTiles::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        redraw();
    }
}

bool MapTiles::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int place = placeAt(help->pos());
        QToolTip::showText(help->globalPos(), place >= 0 ? describe(place) : QString(), this);
        return true;
    }
    return QWidget::event(event);
}

ExportSource MapTiles::exportSource(const QString& name) const {
    ExportSource source;
    source.name = name;
    source.screenSize = size();
    source.draw = [tiles = m_tiles, full = m_fullShare, legend = legend(true),
                   font = exportFont(font())](QPainter& painter, const QSize& size, bool) {
        painter.fillRect(QRect(QPoint(0, 0), size), Qt::white);
        painter.setFont(font);
        const double below = legendHeight(font, size.width(), legend) + 6;
        drawTiles(painter, tiles, full, QSizeF(size.width(), size.height() - below),
                  {Qt::white, Qt::black, Qt::gray, Qt::black, false});
        drawLegend(painter, QRectF(4, size.height() - below + 3, size.width() - 8, below), legend,
                   Qt::black, Qt::gray);
    };
    source.csv = [tiles = m_tiles] {
        QString text = QStringLiteral("map,row,column,share\n");
        for (const MapTile& tile : tiles) {
            for (int y = 0; y < tile.map.height(); ++y) {
                for (int x = 0; x < tile.map.width(); ++x) {
                    text += QStringLiteral("%1,%2,%3,%4\n")
                                .arg(csvCell(tile.title))
                                .arg(y)
                                .arg(x)
                                .arg(tile.map.pixelIndex(x, y) / 255.0, 0, 'g', 6);
                }
            }
        }
        return text;
    };
    return source;
}

}  // namespace cospadi::ui
