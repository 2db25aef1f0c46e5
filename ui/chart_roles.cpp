#include "ui/chart_roles.h"

#include <QAccessibleWidget>

#include "ui/base/names_for_readers.h"
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

// What was told of it last stands before its name (ui/base/names_for_readers.h).
class ChartForReaders : public QAccessibleWidget {
  public:
    using QAccessibleWidget::QAccessibleWidget;

    QString text(QAccessible::Text kind) const override {
        const QString own = QAccessibleWidget::text(kind);
        const QString told = kind == QAccessible::Name ? toldWords(*object()) : QString();
        return told.isEmpty() ? own : told + QStringLiteral(" · ") + own;
    }
};

QAccessibleInterface* chartInterface(const QString& /*className*/, QObject* object) {
    if (isAnyOf<CurveChart, HeatMap, MapSide, MapTiles, ParallelCoordinates, BytesBar>(object)) {
        return new ChartForReaders(static_cast<QWidget*>(object), QAccessible::Chart);
    }
    return isAnyOf<PatternView>(object)
               ? new ChartForReaders(static_cast<QWidget*>(object), QAccessible::Graphic)
               : nullptr;
}

}  // namespace

void useChartRoles() { QAccessible::installFactory(chartInterface); }

}  // namespace cospadi::ui
