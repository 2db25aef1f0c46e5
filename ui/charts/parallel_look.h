// Which lines of parallel coordinates stand out, and whether their colours tell a value. A value of
// its own.
#pragma once

#include <QHash>
#include <QString>

#include "ui/charts/brushed_lines.h"

namespace cospadi::ui {

struct ParallelLook {
    static constexpr qsizetype kMostInColour = 100;
    static constexpr int kMostColoured = 3000;

    QHash<QString, LineLook> highlighted;  // by the lines' keys
    QString scaleName;                     // of the axis that colours tell; empty: none does

    // Are there lines in colour? Of more than kMostInColour none stands out.
    bool standsOut() const { return !highlighted.isEmpty() && highlighted.size() <= kMostInColour; }
    // The axis of this name or key. −1: no colours, as where there is none, or more than
    // kMostColoured lines, which are counted instead of painted.
    int scaleAxis(const BrushedLines& lines) const;
};

}  // namespace cospadi::ui
