// Errors by block and kind: of one run its map; of two both maps, in one range of colours, and
// their difference beside them.
#pragma once

#include <QList>
#include <QString>
#include <QWidget>
#include <vector>

#include "ui/charts/chart_export.h"
#include "ui/sources/run_catalog.h"

class QLabel;

namespace cospadi::ui {

class HeatMap;

class ErrorMaps : public QWidget {
    Q_OBJECT

  public:
    explicit ErrorMaps(QWidget* parent = nullptr);

    // The first of these, one at least, or the first two; returns which these are, in words.
    QString setRuns(const std::vector<RunCurves>& runs);
    HeatMap* first() const { return m_first; }
    HeatMap* second() const { return m_second; }
    HeatMap* difference() const { return m_difference; }
    ExportSource exportSource() const;  // of the maps on show, beside each other

  private:
    HeatMap* m_first;
    HeatMap* m_second;
    HeatMap* m_difference;
    QList<QLabel*> m_titles;  // of the three
};

}  // namespace cospadi::ui
