// Where the parts of a heat map (heat_map.h) lie in a widget or picture. In its pixels. Pure.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <optional>
#include <utility>

#include "ui/charts/heat_map_scale.h"
#include "ui/models/heat_map_data.h"

class QFontMetricsF;

namespace cospadi::ui {

struct HeatMapLayout {
    static constexpr double kGap = 8;        // between the cells and what stands around them
    static constexpr double kBesideBar = 4;  // from the legend's colours to its words

    QRectF cells;
    QRectF bar;            // the legend's colours
    double legendEnd = 0;  // right edge of the legend, words included
    qsizetype rows = 0;
    qsizetype columns = 0;

    // metrics: of the words around the cells.
    static HeatMapLayout of(const HeatMapData& data, const HeatMapScale& scale, const QSizeF& size,
                            const QFontMetricsF& metrics);

    // Precondition of these: there are cells.
    double cellWidth() const { return cells.width() / static_cast<double>(columns); }
    double cellHeight() const { return cells.height() / static_cast<double>(rows); }
    QRectF cell(int row, int column) const {
        return {cells.left() + column * cellWidth(), cells.top() + row * cellHeight(), cellWidth(),
                cellHeight()};
    }

    // Row and column; nothing outside of the cells.
    std::optional<std::pair<int, int>> cellAt(const QPointF& position) const;
};

}  // namespace cospadi::ui
