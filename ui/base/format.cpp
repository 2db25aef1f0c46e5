#include "ui/base/format.h"

#include <QLocale>
#include <cmath>

namespace cospadi::ui {

const QString kMissing = QStringLiteral("–");

QString formatBytes(double bytes) {
    if (!std::isfinite(bytes) || bytes < 0) {
        return kMissing;
    }
    const char* units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 4) {
        bytes /= 1000;
        ++unit;
    }
    const int decimals = unit == 0 || bytes >= 100 ? 0 : bytes >= 10 ? 1 : 2;
    return QStringLiteral("%1 %2").arg(QLocale().toString(bytes, 'f', decimals),
                                       QLatin1String(units[unit]));
}

QString formatDuration(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) {
        return kMissing;
    }
    if (seconds < 59.95) {
        return QStringLiteral("%1 s").arg(QLocale().toString(seconds, 'f', seconds < 10 ? 1 : 0));
    }
    const auto whole = static_cast<qint64>(std::llround(seconds));
    if (whole < 3600) {
        return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60, 2, 10, QChar('0'));
    }
    return QStringLiteral("%1 h %2 min").arg(whole / 3600).arg(whole / 60 % 60, 2, 10, QChar('0'));
}

QString formatError(double error) {
    if (!std::isfinite(error)) {
        return kMissing;
    }
    return QLocale().toString(error, 'f', error < 0.001 ? 6 : 4);
}

QString formatPercent(double fraction) {
    if (!std::isfinite(fraction)) {
        return kMissing;
    }
    return QStringLiteral("%1 %").arg(QLocale().toString(100 * fraction, 'f', 1));
}

QString formatMillions(double count) {
    return QStringLiteral("%1 M").arg(QLocale().toString(count / 1e6, 'f', count < 1e7 ? 1 : 0));
}

}  // namespace cospadi::ui
