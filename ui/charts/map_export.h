// A map as a file (chart_export.h), with words along its sides and what its colours mean below it.
#pragma once

#include <QImage>
#include <QList>
#include <QString>

#include "ui/charts/chart_export.h"
#include "ui/charts/map_legend.h"

namespace cospadi::ui {

class PatternView;

// The map in `view`, as it stands there now, on white; its CSV lists (row, column, density) where
// it is not empty. inColours: the same map for white paper, where it is not one of shades.
ExportSource mapExportSource(const PatternView& view, const QString& name, const QString& rows,
                             const QString& columns, const QList<LegendEntry>& legend = {},
                             const QImage& inColours = {});

}  // namespace cospadi::ui
