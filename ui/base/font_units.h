// Sizes of what holds text, in units of its font: they grow with the letters.
#pragma once

class QFont;
class QWidget;

namespace cospadi::ui {

// Pixels that so many average characters take beside each other.
int charactersWide(const QFont& font, double count);
// Pixels that so many lines take below each other.
int linesHigh(const QFont& font, double count);

// So many average characters and lines of its own font, as far as the screen has room for them.
void resizeToWords(QWidget& window, double characters, double lines);

}  // namespace cospadi::ui
