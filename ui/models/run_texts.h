// What a list of runs says of each in words that take a while to make: read with the runs, off the
// GUI thread.
#pragma once

#include <QString>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi::ui {

struct RunTexts {
    QString id;
    QString method;  // methodLabel(): sorting asks for it over and over
    QString search;  // what a search looks through, in small letters
};

RunTexts textsOf(const RunRow& run);
std::vector<RunTexts> textsOf(const std::vector<RunRow>& runs);

}  // namespace cospadi::ui
