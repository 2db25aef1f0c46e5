// Looks at the stored runs that were given a name: which runs, which columns, how they are grouped
// and what is drawn of them. Kept with the window's settings (runs/views), one JSON text for all.
// GUI thread only.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "core/report/ablation.h"
#include "core/report/chart_choice.h"
#include "ui/models/comparison_curves.h"

namespace cospadi::ui {

struct SavedView {
    QString filter;  // as typed
    QStringList columns;
    QString group;  // the column's key; empty: nothing
    Comparison comparison = Comparison::ErrorByLayer;
    AblationAxes axes;
    bool isLogX = false;
    bool isLogY = false;
    std::optional<ParallelChoice> parallel;  // nothing, in a view of an earlier version: as it is
    std::optional<SweepChoice> sweep;        // likewise
    bool operator==(const SavedView&) const = default;
};

// By these names settings keep a comparison, whatever the order of the choices on the page:
// "error-by-matrix".
QString comparisonName(Comparison comparison);
Comparison comparisonFromName(const QString& name);  // the first one, where there is none

QStringList savedViewNames();  // ascending
// The usual one where there is none of this name, or it cannot be read.
SavedView savedView(const QString& name);
void saveView(const QString& name, const SavedView& view);  // in the place of one of this name
void forgetView(const QString& name);

}  // namespace cospadi::ui
