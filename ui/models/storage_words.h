// What a rule of storage is called where one is chosen.
#pragma once

#include <QString>

#include "core/dictionary/budget.h"

namespace cospadi::ui {

// "shorter values (eq 11)", in the window's language.
QString storageWords(Accounting accounting);

}  // namespace cospadi::ui
