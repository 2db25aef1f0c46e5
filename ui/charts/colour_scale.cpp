#include "ui/charts/colour_scale.h"

#include <QList>
#include <algorithm>
#include <cmath>

namespace cospadi::ui {

QColor scaleColour(double share) {
    static const QList<QColor> stops{QColor("#fbf7d5"), QColor("#b8dfae"), QColor("#57b4a6"),
                                     QColor("#2c7fb0"), QColor("#253a7a")};
    const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
    const auto below = std::min<qsizetype>(static_cast<qsizetype>(place), stops.size() - 2);
    const double part = place - static_cast<double>(below);
    const QColor& a = stops[below];
    const QColor& b = stops[below + 1];
    const auto mix = [part](int x, int y) {
        return static_cast<int>(std::lround(x + (y - x) * part));
    };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

QColor differenceColour(double share) {
    const QColor equal("#e6e6e6");
    const QColor end(share < 0 ? "#1b7837" : "#762a83");
    const double part = std::clamp(std::abs(share), 0.0, 1.0);
    const auto mix = [part](int x, int y) {
        return static_cast<int>(std::lround(x + (y - x) * part));
    };
    return {mix(equal.red(), end.red()), mix(equal.green(), end.green()),
            mix(equal.blue(), end.blue())};
}

QColor scaleLineColour(double share, bool onDark) {
    const double clamped = std::clamp(share, 0.0, 1.0);
    return scaleColour(onDark ? 0.75 * clamped : 0.35 + 0.65 * clamped);
}

}  // namespace cospadi::ui
