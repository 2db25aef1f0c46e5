// What the engine says of what can be chosen on the Plan page, in the language of the window: what
// a method does, how a rule of allocation shares, help of methods' own options and their choices,
// and the names of efforts. Titles are engine_words.h.
#pragma once

#include <QString>

namespace cospadi::ui {

// A text that is not in the list of the .cpp stays as it is.
QString helpWords(const char* english);

}  // namespace cospadi::ui
