// What a run is called and how it looks, wherever it is seen in the window. A name of its own is
// its tag `name:WORDS`, which goes with the run and can be set from the command line; a colour of
// its own is kept in the window's settings (runs/colours). Other runs take the look that fewest
// have as they are first drawn, and keep it, too (runs/looks; of very many the newest). Colours and
// looks are read once and written as they change. GUI thread only.
#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/store/run_row.h"
#include "ui/models/curve.h"

namespace cospadi::ui {

inline constexpr const char* kNameTag = "name:";

QString ownName(const RunRow& run);  // empty: none
// What runs are called, by core/report/run_names.h: their own name, else, of runs beside each
// other, what they differ in; of many to choose from, as much of that as tells each apart; of one
// by itself, its method, CR and ρ with the end of its id. Whoever shows one has the id in its
// tooltip.
QStringList namesBeside(const std::vector<RunRow>& runs);
QStringList namesInList(const std::vector<RunRow>& runs);
QString nameOf(const RunRow& run);

// It has ended before its end; a run at work has to end first, wherever that is.
bool canBeResumed(const RunRow& run);

std::optional<QColor> ownColour(const QString& run);
bool haveOwnColour(const QStringList& runs);  // any of them
void setOwnColour(const QStringList& runs, const std::optional<QColor>& colour);

// The run that others are measured by, kept in the window's settings (runs/baseline); empty: none.
QString pinnedRun();
void setPinnedRun(const QString& run);
// "+3.2 %", what a value is more or less than the baseline's; empty where that says nothing.
QString relativeTo(double baseline, double value);

// Places among the looks of series_look.h, a run each, all different while there are that many.
// Where two met, the later one takes another, and keeps that.
QList<int> looksOf(const QStringList& runs);
// Its own colour, else that look.
void setRunLook(Curve& curve, const QString& run, int look);

}  // namespace cospadi::ui
