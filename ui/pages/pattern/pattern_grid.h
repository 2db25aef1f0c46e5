// Small maps of one matrix in several places: of its kind in all blocks of a run, or of itself in
// runs that differ in a single setting. Files are read on a pool thread, one after another, each
// map as it comes; only the latest question goes on. One that is chosen is for the page to open.
// GUI thread only.
#pragma once

#include <QHash>
#include <QList>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/store/run_row.h"
#include "ui/base/latest_work.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/map_tiles.h"

namespace cospadi::ui {

class EmptyState;
class MapLegend;

// In what order rows and columns stand in each map.
struct MapOrder {
    bool atomsByUse = true;
    bool columnsByCluster = false;
    bool operator==(const MapOrder&) const = default;
};

class PatternGrid : public QWidget {
    Q_OBJECT

  public:
    explicit PatternGrid(QWidget* parent = nullptr);

    // finished: the matrices of the run, in forward order.
    void showDepth(const QString& directory, const QStringList& finished, const QString& matrix,
                   const MapOrder& order);
    // stored: newest first. setting: empty: the one with most values. Ends in settingsFound().
    void showSetting(const std::vector<RunRow>& stored, const QString& directory,
                     const QString& matrix, const QString& setting, const MapOrder& order);
    void stop();  // nothing is read any more, what stands stays

    MapTiles* tiles() const { return m_tiles; }
    bool isBusy() const { return m_finding.isBusy() || m_loading.isBusy(); }
    ExportSource exportSource() const;

  signals:
    void chosen(const QString& directory, const QString& matrix);
    // In which runs differ from the one on show, with how many maps; chosen: the one on show.
    void settingsFound(const QStringList& names, const QList<int>& maps, const QString& chosen);

  private:
    struct Place {
        QString title;
        QString directory;
        QString matrix;
    };

    void show(const QList<Place>& places, const QString& name);
    void showNothing(const QString& what, const QString& words);
    void loadNext();
    void keep(const QString& key, int place, const MapTile& tile);
    QString keyOf(const Place& place) const;

    MapTiles* m_tiles;
    MapLegend* m_legend;
    EmptyState* m_message;
    QList<Place> m_places;
    MapOrder m_order;
    QString m_name;                  // of exported files
    QHash<QString, MapTile> m_read;  // those on show, by keyOf()
    LatestWork m_finding;            // of runs
    LatestWork m_loading;            // of a map
};

}  // namespace cospadi::ui
