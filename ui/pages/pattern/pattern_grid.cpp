#include "ui/pages/pattern/pattern_grid.h"

#include <QVBoxLayout>
#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/patterns/pattern_order.h"
#include "core/report/one_setting.h"
#include "core/report/run_dimensions.h"
#include "ui/charts/map_legend.h"
#include "ui/charts/pattern_pyramid.h"
#include "ui/models/setting_words.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/empty_state.h"

namespace cospadi::ui {

namespace {

// "blk.10.ffn_up": what comes behind the block, and before.
QString kindOf(const QString& matrix) { return matrix.section('.', 2); }
QString blockOf(const QString& matrix) { return matrix.section('.', 0, 1); }

MapTile readTile(const std::filesystem::path& file, const MapOrder& order) {
    const SparsityPattern pattern = readSparsityPattern(file);
    const QList<QImage> levels = patternPyramid(
        pattern.entries, pattern.k, pattern.d2,
        order.atomsByUse ? rowsByUsage(pattern.atomUsage) : std::vector<std::int64_t>{},
        order.columnsByCluster ? clusterColumns(pattern).order : std::vector<std::int64_t>{});
    if (levels.isEmpty()) {
        throw Error("the pattern has no entries", file.string(), "choose another matrix");
    }
    MapTile tile;
    tile.map = levels.last();
    tile.entries = levels.first().size();
    return tile;
}

struct FoundSettings {
    bool isKnown = false;  // the run, among those that are stored
    std::vector<OneSetting> settings;
};

// Of runs that have this matrix finished.
FoundSettings findSettings(std::vector<RunRow> stored, const QString& directory,
                           const QString& matrix) {
    std::erase_if(stored, [&](const RunRow& run) {
        return !isSparse(run) || run.matrices == 0 ||
               !std::filesystem::exists(matrixFile(QString::fromStdString(run.directory), matrix));
    });
    const auto own = std::find_if(stored.begin(), stored.end(), [&](const RunRow& run) {
        return run.directory == directory.toStdString();
    });
    return own == stored.end() ? FoundSettings{}
                               : FoundSettings{true, runsApartInOne(*own, stored, windowWording)};
}

}  // namespace

PatternGrid::PatternGrid(QWidget* parent)
    : QWidget(parent), m_tiles(new MapTiles), m_legend(new MapLegend) {
    m_tiles->setObjectName(QStringLiteral("patternTiles"));
    m_tiles->setAccessibleName(tr("Small maps of the pattern"));
    m_message = new EmptyState(m_tiles);
    m_message->hide();
    auto* overlay = new QVBoxLayout(m_tiles);
    overlay->addWidget(m_message);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_tiles, 1);
    column->addWidget(m_legend);
    connect(m_tiles, &MapTiles::legendChanged, this,
            [this] { m_legend->setEntries(m_tiles->legend(false)); });
    connect(m_tiles, &MapTiles::chosen, this, [this](int place) {
        const Place wanted = m_places[place];
        emit chosen(wanted.directory, wanted.matrix);
    });
}

QString PatternGrid::keyOf(const Place& place) const {
    return QStringLiteral("%1\n%2\n%3%4")
        .arg(place.directory, place.matrix)
        .arg(m_order.atomsByUse)
        .arg(m_order.columnsByCluster);
}

void PatternGrid::stop() {
    m_finding.forget();
    m_loading.forget();
}

void PatternGrid::showDepth(const QString& directory, const QStringList& finished,
                            const QString& matrix, const MapOrder& order) {
    stop();
    m_order = order;
    QList<Place> places;
    for (const QString& name : finished) {
        if (kindOf(name) == kindOf(matrix)) {
            places.append({blockOf(name), directory, name});
        }
    }
    if (places.size() < 2) {
        showNothing(tr("A single block has no depth"),
                    tr("Of %1 only %2 is finished in this run. A run of several blocks shows here "
                       "how the pattern changes through the model.")
                        .arg(kindOf(matrix), blockOf(matrix)));
        return;
    }
    show(places, QStringLiteral("patterns-%1").arg(kindOf(matrix)));
}

void PatternGrid::showSetting(const std::vector<RunRow>& stored, const QString& directory,
                              const QString& matrix, const QString& setting,
                              const MapOrder& order) {
    stop();
    m_order = order;
    m_finding.ask(
        [stored, directory, matrix] { return findSettings(stored, directory, matrix); },
        [this, matrix, setting](const FoundSettings& found) {
            QStringList names;
            QList<int> maps;
            for (const OneSetting& one : found.settings) {
                names << QString::fromStdString(one.name);
                maps << static_cast<int>(one.values.size());
            }
            const auto place =
                std::max<qsizetype>(0, names.indexOf(setting));  // else that of most values
            emit settingsFound(names, maps, names.value(place));
            if (names.isEmpty()) {
                showNothing(found.isKnown ? tr("No other run differs in just one setting")
                                          : tr("This run is not stored yet"),
                            found.isKnown
                                ? tr("Runs that differ in just one setting and have finished %1 "
                                     "are shown here side by side. A list under Sweep on the Plan "
                                     "page creates them, for example ρ 1.5 2 3.")
                                      .arg(matrix)
                                : tr("It can be compared with others when it has ended."));
                return;
            }
            QList<Place> places;
            for (const RunOfValue& run : found.settings[static_cast<std::size_t>(place)].values) {
                places.append({QString::fromStdString(run.words),
                               QString::fromStdString(run.directory), matrix});
            }
            show(places, QStringLiteral("patterns-%1-%2").arg(matrix, names[place]));
        },
        [this](const Error& error) {
            showNothing(QString::fromStdString(error.problem()).toHtmlEscaped(),
                        QString::fromStdString(error.hint()).toHtmlEscaped());
        });
}

void PatternGrid::showNothing(const QString& what, const QString& words) {
    m_places.clear();
    m_read.clear();
    m_tiles->setTiles({});
    m_message->setWords(what, words);
    m_message->show();
}

void PatternGrid::show(const QList<Place>& places, const QString& name) {
    m_message->hide();
    m_places = places;
    m_name = name;
    QSize usual(2, 1);  // a guess at those that are not read yet
    for (const MapTile& tile : std::as_const(m_read)) {
        usual = tile.entries;
    }
    QHash<QString, MapTile> known;
    QList<MapTile> tiles;
    for (const Place& place : places) {
        MapTile tile;
        tile.entries = usual;
        if (const auto found = m_read.constFind(keyOf(place)); found != m_read.constEnd()) {
            tile = *found;
            known.insert(keyOf(place), tile);
        }
        tile.title = place.title;
        tiles.append(tile);
    }
    m_read = known;
    m_tiles->setTiles(tiles);
    loadNext();
}

void PatternGrid::loadNext() {
    for (int i = 0; i < static_cast<int>(m_places.size()); ++i) {
        const Place& place = m_places[i];
        const QString key = keyOf(place);
        if (m_read.contains(key)) {
            continue;
        }
        m_loading.ask([file = matrixFile(place.directory, place.matrix),
                       order = m_order] { return readTile(file, order); },
                      [this, key, i](const MapTile& tile) { keep(key, i, tile); },
                      [this, key, i](const Error& error) {
                          MapTile tile;
                          tile.entries = m_tiles->tiles()[i].entries;
                          tile.problem = QString::fromStdString(error.problem());
                          keep(key, i, tile);
                      });
        return;
    }
}

void PatternGrid::keep(const QString& key, int place, const MapTile& tile) {
    m_read.insert(key, tile);
    MapTile shown = tile;
    shown.title = m_places[place].title;
    m_tiles->setTile(place, shown);
    loadNext();
}

ExportSource PatternGrid::exportSource() const { return m_tiles->exportSource(m_name); }

}  // namespace cospadi::ui
