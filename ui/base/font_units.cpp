#include "ui/base/font_units.h"

#include <QFontMetricsF>
#include <QScreen>
#include <QWidget>
#include <cmath>

namespace cospadi::ui {

namespace {
constexpr QSize kFrameOfADialog(8, 40);  // that a window manager puts around it
}  // namespace

int charactersWide(const QFont& font, double count) {
    return static_cast<int>(std::lround(count * QFontMetricsF(font).averageCharWidth()));
}

int linesHigh(const QFont& font, double count) {
    return static_cast<int>(std::lround(count * QFontMetricsF(font).height()));
}

void resizeToWords(QWidget& window, double characters, double lines) {
    const QSize wanted(charactersWide(window.font(), characters), linesHigh(window.font(), lines));
    window.resize(wanted.boundedTo(window.screen()->availableSize() - kFrameOfADialog));
}

}  // namespace cospadi::ui
