#include "ui/chart_roles.h"

#include <QAccessibleWidget>

#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/map_side.h"
#include "ui/charts/map_tiles.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/charts/pattern_view.h"
#include "ui/widgets/bytes_bar.h"

namespace cospadi::ui {

namespace {

template <typename... Widgets>
bool isAnyOf(const QObject* object) {
    return ((qobject_cast<const Widgets*>(object) != nullptr) || ...);
}

QAccessibleInterface* chartInterface(const QString& /*className*/, QObject* object) {
    if (isAnyOf<CurveChart, HeatMap, MapSide, MapTiles, ParallelCoordinates, BytesBar>(object)) {
        return new QAccessibleWidget(static_cast<QWidget*>(object), QAccessible::Chart);
    }
    return isAnyOf<PatternView>(object)
               ? new QAccessibleWidget(static_cast<QWidget*>(object), QAccessible::Graphic)
               : nullptr;
}

}  // namespace

void useChartRoles() { QAccessible::installFactory(chartInterface); }

}  // namespace cospadi::ui
