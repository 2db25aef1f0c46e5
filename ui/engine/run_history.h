// What earlier starts of a run have left in its events.jsonl (docs/formats.md), as a trace.
#pragma once

#include <QString>

#include "ui/engine/run_trace.h"

namespace cospadi::ui {

// Of all its starts, as far as they are written; empty where there is no such file. Half a line is
// passed over. For another thread than the window's: the file may have tens of megabytes.
RunTrace readRunHistory(const QString& directory);

}  // namespace cospadi::ui
