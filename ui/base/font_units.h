// Sizes of what holds text, in units of its font: they grow with the letters.
#pragma once

class QFont;

namespace cospadi::ui {

// Pixels that so many average characters take beside each other.
int charactersWide(const QFont& font, double count);

}  // namespace cospadi::ui
