// Numbers as people read them, in the user's locale.
#pragma once

#include <QString>

namespace cospadi::ui {

// What stands for a value that is not there, everywhere: an en dash.
extern const QString kMissing;

QString formatBytes(double bytes);       // 91.2 MB (SI, as the paper's storage tables)
QString formatDuration(double seconds);  // 3.4 s, 2 min 05 s, 1 h 12 min
QString formatError(double error);       // 0.0965; an en dash where it is not a number
QString formatPercent(double fraction);  // 20.0 %
QString formatMillions(double count);    // "135 M", "2.6 M"
QString formatCount(qint64 count);       // 49,152

// As the ticks of axes are written, so many of whose digits count: 100,000 in the user's locale
// or, below 10⁻⁴ and from a million on, 1.5 · 10⁸. An en dash where it is not a number.
QString formatNumber(double value, int digits = 4);
// With so many decimals, whatever its size: columns whose digits stand above each other.
QString formatFixed(double value, int decimals);
// Numbers beside each other are all written in one way: with powers of ten where one of them needs
// it.
bool needsPower(double value);
QString formatNumber(double value, int digits, bool withPower);

}  // namespace cospadi::ui
