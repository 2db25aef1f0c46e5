// What a run's or job's state is called in the window. Files and filters have the state itself.
#pragma once

#include <QString>

namespace cospadi::ui {

// "running" → "running", in the window's language; a state that is not known stays as it is.
QString statusWords(const QString& status);

}  // namespace cospadi::ui
