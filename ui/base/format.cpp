#include "ui/base/format.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

#include "core/report/report_table.h"

namespace cospadi::ui {

const QString kMissing = QString::fromUtf8(kNoNumber);

namespace {

constexpr double kLeastPlain = 1e-4;
constexpr double kMostPlain = 1e6;

QString superscript(int exponent) {
    static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString text = exponent < 0 ? QStringLiteral("⁻") : QString();
    for (const QChar digit : QString::number(std::abs(exponent))) {
        text += digits[digit.digitValue()];
    }
    return text;
}

QString plainNumber(double value, int digits) {
    const int before =
        value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
    QString text = QLocale().toString(value, 'f', std::clamp(digits - before, 0, 12));
    const QString point = QLocale().decimalPoint();
    if (text.contains(point)) {
        while (text.endsWith(QLocale().zeroDigit())) {
            text.chop(1);
        }
        if (text.endsWith(point)) {
            text.chop(point.size());
        }
    }
    return text;
}

QString numberWithPower(double value, int digits) {
    const QString rounded = QString::number(value, 'e', digits - 1);  // 9.9996 · 10⁶ is 10⁷
    const auto mark = rounded.indexOf(QLatin1Char('e'));
    const double lead = rounded.left(mark).toDouble();
    const QString power = QStringLiteral("10") + superscript(rounded.mid(mark + 1).toInt());
    return lead == 1 ? power
                     : QLocale().toString(lead, 'g', digits) + QStringLiteral(" · ") + power;
}

QString withMinus(QString text) {
    return text.replace(QLocale().negativeSign(), QStringLiteral("−"));
}

}  // namespace

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

QString formatCount(qint64 count) { return QLocale().toString(count); }

bool needsPower(double value) {
    return value != 0 && (std::abs(value) >= kMostPlain || std::abs(value) < kLeastPlain);
}

QString formatFixed(double value, int decimals) {
    return std::isfinite(value) ? withMinus(QLocale().toString(value, 'f', decimals)) : kMissing;
}

QString formatNumber(double value, int digits, bool withPower) {
    if (!std::isfinite(value)) {
        return kMissing;
    }
    return withMinus(withPower && value != 0 ? numberWithPower(value, digits)
                                             : plainNumber(value, digits));
}

QString formatNumber(double value, int digits) {
    return formatNumber(value, digits, needsPower(value));
}

}  // namespace cospadi::ui
