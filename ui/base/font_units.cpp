#include "ui/base/font_units.h"

#include <QFontMetricsF>
#include <cmath>

namespace cospadi::ui {

int charactersWide(const QFont& font, double count) {
    return static_cast<int>(std::lround(count * QFontMetricsF(font).averageCharWidth()));
}

}  // namespace cospadi::ui
