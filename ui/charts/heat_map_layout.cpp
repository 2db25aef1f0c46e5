#include "ui/charts/heat_map_layout.h"

#include <QFontMetricsF>
#include <algorithm>

namespace cospadi::ui {

namespace {

constexpr double kLegendBar = 12;  // width of its colours
constexpr double kLeastSide = 10;  // of the cells, however little room there is

double legendWidth(const HeatMapData& data, const HeatMapScale& scale,
                   const QFontMetricsF& metrics) {
    const double words =
        scale.isEmpty()
            ? 0
            : std::max(metrics.horizontalAdvance(HeatMapScale::endWords(scale.least())),
                       metrics.horizontalAdvance(HeatMapScale::endWords(scale.greatest())));
    const double title =
        data.valueTitle.isEmpty() ? 0 : HeatMapLayout::kBesideBar + metrics.height();
    return HeatMapLayout::kGap + kLegendBar + HeatMapLayout::kBesideBar + words + title;
}

}  // namespace

HeatMapLayout HeatMapLayout::of(const HeatMapData& data, const HeatMapScale& scale,
                                const QSizeF& size, const QFontMetricsF& metrics) {
    double widest = 0;
    for (const QString& row : data.rows) {
        widest = std::max(widest, metrics.horizontalAdvance(row));
    }
    const double left = widest + metrics.height() + 2 * kGap;
    const double bottom = 2 * metrics.height() + 2 * kGap;
    const double legend = legendWidth(data, scale, metrics);
    HeatMapLayout layout;
    layout.rows = data.rows.size();
    layout.columns = data.columns.size();
    layout.cells = {left, kGap, std::max(kLeastSide, size.width() - left - legend - kGap),
                    std::max(kLeastSide, size.height() - bottom - kGap)};
    layout.bar = {layout.cells.right() + kGap, layout.cells.top() + metrics.height(), kLegendBar,
                  std::max(kLeastSide, layout.cells.height() - 2 * metrics.height())};
    layout.legendEnd = layout.cells.right() + legend;
    return layout;
}

std::optional<std::pair<int, int>> HeatMapLayout::cellAt(const QPointF& position) const {
    if (rows == 0 || columns == 0 || !cells.contains(position)) {
        return std::nullopt;
    }
    const auto row =
        std::min(rows - 1, static_cast<qsizetype>((position.y() - cells.top()) / cells.height() *
                                                  static_cast<double>(rows)));
    const auto column =
        std::min(columns - 1, static_cast<qsizetype>((position.x() - cells.left()) / cells.width() *
                                                     static_cast<double>(columns)));
    return std::pair(static_cast<int>(row), static_cast<int>(column));
}

}  // namespace cospadi::ui
