// Small maps of shades beside each other, drawn at one scale, entries as large and shades as dark
// in all of them, each under what it differs in from the others. One is chosen by a click, or by
// keyboard: arrows, Home and End go from map to map, whose words are told as the accessible
// description; Enter chooses it. GUI thread only.
#pragma once

#include <QImage>
#include <QList>
#include <QPixmap>
#include <QSize>
#include <QString>
#include <QWidget>

#include "ui/charts/chart_export.h"
#include "ui/charts/map_legend.h"

namespace cospadi::ui {

struct MapTile {
    QString title;
    QImage map;       // Indexed8, shares 0 … 255 (pattern_pyramid.h); null: not there
    QSize entries;    // columns and rows of what it is a picture of
    QString problem;  // why there is no map; empty: it is on its way
};

class MapTiles : public QWidget {
    Q_OBJECT

  public:
    explicit MapTiles(QWidget* parent = nullptr);

    void setTiles(const QList<MapTile>& tiles);
    void setTile(int place, const MapTile& tile);
    const QList<MapTile>& tiles() const { return m_tiles; }

    // The share of entries from which on a shade is full, the greatest in any map; 0 without one.
    double fullShare() const { return m_fullShare; }
    QList<LegendEntry> legend(bool print) const;
    // Where the map stands under its title; empty where it does not.
    QRectF tileRect(int place) const;
    // "blk.3: 460 × 1536 entries, 50 % of them not 0"
    QString describe(int place) const;
    ExportSource exportSource(const QString& name) const;

  signals:
    void chosen(int place);
    void legendChanged();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void redraw();
    int placeAt(const QPointF& position) const;  // −1: none
    void goTo(int place);

    QList<MapTile> m_tiles;
    double m_fullShare = 0;
    int m_current = -1;  // that the keyboard is at
    QPixmap m_picture;   // of all; null: to be drawn again
};

}  // namespace cospadi::ui
