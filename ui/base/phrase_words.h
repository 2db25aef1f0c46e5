// Phrases of the engine (core/base/phrase.h) in the language of the window.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/base/phrase.h"

namespace cospadi::ui {

// A text that is not in the list of the .cpp stays as it is.
QString phraseWords(const Phrase& phrase);
QStringList phraseWords(const std::vector<Phrase>& phrases);

}  // namespace cospadi::ui
