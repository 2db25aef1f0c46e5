// The difference of two patterns as a map (difference_map.h), above it what it shows of the
// entries, what its colours mean and its export. Pictures are made on a pool thread; what was asked
// for last is what is shown, and the legend and the export are those of the picture that stands.
// GUI thread only.
#pragma once

#include <QString>
#include <QWidget>
#include <cstdint>
#include <memory>

#include "ui/base/latest_work.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/difference_map.h"
#include "ui/pages/pattern/pattern_places.h"

class QComboBox;

namespace cospadi::ui {

class FramedMap;
class MapLegend;

class DifferencePane : public QWidget {
    Q_OBJECT

  public:
    explicit DifferencePane(FramedMap* map, QWidget* parent = nullptr);

    // For the names of exported files and the sides of their maps, in words.
    void setMatrix(const QString& matrix, const QString& columns);
    // What there is to be drawn: draw() does. names: what tells both runs apart.
    void arrange(const PatternPlaces& places, const PairNames& names);
    void draw();
    ExportSource exportSource() const;

  signals:
    void exported(const QString& path);
    void failed(const QString& why);  // no picture could be made; HTML

  protected:
    void changeEvent(QEvent* event) override;

  private:
    FramedMap* m_map;
    QComboBox* m_look;
    MapLegend* m_legend;
    QString m_matrix;
    QString m_columns;
    PairNames m_names;
    PatternPlaces m_places;
    DifferenceLook m_shownLook = DifferenceLook::Masks;  // of the picture that stands
    std::shared_ptr<const PatternPair> m_shownPair;      // of that picture, never null
    LatestWork m_drawing;
};

}  // namespace cospadi::ui
