// Runs to choose one from, in a box: by what they are called (ui/models/run_looks.h), with their id
// in the tooltip and their directory as what is chosen. GUI thread only.
#pragma once

#include <QString>
#include <vector>

#include "core/store/run_row.h"

class QComboBox;

namespace cospadi::ui {

// Of so many does one still look through a list. Of more runs it has the newest, and all that have
// a name of their own or a star.
inline constexpr std::size_t kMostListedRuns = 200;

// After what the box has. keep: the directory of a run that is listed in any case.
void listRuns(QComboBox* box, const std::vector<RunRow>& newestFirst, const QString& keep);

}  // namespace cospadi::ui
