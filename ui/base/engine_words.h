// What the engine's descriptions call things that stand on the Plan page: titles of methods' own
// options and of rules of allocation, parts of a method's storage. The engine speaks English; of
// these the window has translations, and of their help in help_words.h.
#pragma once

#include <QString>

namespace cospadi::ui {

// A text that is not in the list of the .cpp stays as it is.
QString engineWords(const char* english);

// What a choice of an option of a method's own is called: its word but where another says more.
QString choiceWords(const char* option, const char* word);

}  // namespace cospadi::ui
