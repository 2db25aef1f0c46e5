#include "ui/charts/axis_ticks.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ui/base/format.h"

namespace cospadi::ui {

namespace {

constexpr int kTickDigits = 6;
constexpr double kRounding = 1e-12;  // of a value

void label(QList<Tick>& ticks, const QList<double>& values) {
    const QStringList labels = tickLabels(values);
    for (qsizetype i = 0; i < ticks.size(); ++i) {
        ticks[i].label = labels[i];
    }
}

}  // namespace

QStringList tickLabels(const QList<double>& values) {
    const bool powers = std::any_of(values.begin(), values.end(), needsPower);
    QStringList labels;
    for (const double value : values) {
        labels << formatNumber(value, kTickDigits, powers);
    }
    return labels;
}

AxisTicks linearTicks(double least, double greatest, int count, bool whole) {
    if (!(std::isfinite(least) && std::isfinite(greatest)) || least > greatest) {
        least = 0;
        greatest = 1;
    }
    // Also where they differ by rounding alone: no tick fits between.
    if (greatest - least <= kRounding * std::max(std::abs(least), std::abs(greatest))) {
        const double margin = least == 0 || whole ? 1 : std::abs(least) * 0.1;
        least -= whole ? 0 : margin;
        greatest += margin;
    }
    const double rough = (greatest - least) / std::max(count, 1);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double lead = rough / power;
    double step = power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
    step = whole ? std::max(1.0, std::round(step)) : step;
    AxisTicks axis;
    axis.low = whole ? least : std::floor(least / step + 1e-9) * step;
    axis.high = whole ? greatest : std::ceil(greatest / step - 1e-9) * step;
    QList<double> values;
    for (double i = std::ceil(axis.low / step - 1e-9); i * step <= axis.high + step * 1e-9; ++i) {
        axis.ticks.append(Tick{i * step, QString()});
        values.append(i * step);
    }
    label(axis.ticks, values);
    return axis;
}

AxisTicks logarithmicTicks(double least, double greatest, int most) {
    if (!(least > 0 && std::isfinite(greatest)) || least > greatest) {
        least = 0.01;
        greatest = 1;
    }
    // Snapped to a grid of 1/10 decade, so that a live axis does not creep with every point.
    AxisTicks axis;
    axis.low = std::floor((std::log10(least) - 0.02) * 10) / 10;
    axis.high = std::ceil((std::log10(greatest) + 0.02) * 10) / 10;
    const double decades = axis.high - axis.low;
    const double room = decades / std::max(most, 1);
    const auto fits = [room](double nearest) { return nearest >= room; };  // in decades
    const std::vector<double> leads =
        decades > 4 || !fits(0.301)     ? std::vector<double>{1}
        : decades > 1.5 || !fits(0.146) ? std::vector<double>{1, 2, 5}
        : decades > 0.7 || !fits(0.045)
            ? std::vector<double>{1, 2, 3, 5, 7}
            : std::vector<double>{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9};
    const double step = std::max(1.0, std::ceil(room));  // decades
    QList<double> values;
    for (double exponent = std::floor(axis.low / step) * step; exponent <= axis.high;
         exponent += step) {
        for (const double lead : leads) {
            const double position = exponent + std::log10(lead);
            if (position >= axis.low - 1e-9 && position <= axis.high + 1e-9) {
                axis.ticks.append(Tick{position, QString()});
                values.append(lead * std::pow(10, exponent));
            }
        }
    }
    label(axis.ticks, values);
    return axis;
}

}  // namespace cospadi::ui
