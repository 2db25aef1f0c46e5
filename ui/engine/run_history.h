// What earlier starts of a run have left in its events.jsonl (docs/formats.md): a trace, and the
// log as it was told line by line.
#pragma once

#include <QString>

#include "ui/engine/run_trace.h"

namespace cospadi::ui {

struct RunHistory {
    RunTrace trace;
    QStringList log;
};

// Of all its starts, as far as they are written; empty where there is no such file. Half a line is
// passed over; throws Error where no line is an event, or the run is not there. For another thread
// than the window's: the file may have tens of megabytes.
RunHistory readRunHistory(const QString& directory);

}  // namespace cospadi::ui
