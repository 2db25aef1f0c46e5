#include "ui/charts/difference_map.h"

#include <algorithm>
#include <cmath>

#include "ui/base/format.h"
#include "ui/base/translated.h"
#include "ui/charts/pattern_pyramid.h"

namespace cospadi::ui {

namespace {

struct Inks {
    QColor ground;
    QColor onlyFirst;
    QColor onlySecond;
    QColor both;
    // Under values the entries of one run step back.
    QColor faintFirst;
    QColor faintSecond;
    QColor less;
    QColor equal;
    QColor more;
};

const Inks& inksOn(bool dark) {
    static const Inks paper{QColor("#ffffff"), QColor("#0072b2"), QColor("#e69f00"),
                            QColor("#3c3c3c"), QColor("#a6cee8"), QColor("#fbdfa1"),
                            QColor("#1b7837"), QColor("#bdbdbd"), QColor("#762a83")};
    static const Inks night{QColor("#23282f"), QColor("#56b4e9"), QColor("#e69f00"),
                            QColor("#e3e8ee"), QColor("#2f4f66"), QColor("#5f4a1c"),
                            QColor("#5fd38a"), QColor("#6b7580"), QColor("#d08be0")};
    return dark ? night : paper;
}

constexpr int kSteps = 126;  // on either side of equal
constexpr int kFirstBoth = PatternDifference::Both;
constexpr int kEqualIndex = kFirstBoth + kSteps;

// Place in the colour table: 0, 1, 2 as PatternDifference::Where, then the entries in both from the
// most negative difference to the most positive.
uchar indexOf(const PatternDifference& difference, std::size_t at) {
    const std::uint8_t where = difference.where[at];
    if (where != PatternDifference::Both) {
        return where;
    }
    const double share =
        difference.scale > 0 ? difference.valueDifference[at] / difference.scale : 0;
    return static_cast<uchar>(kEqualIndex + std::lround(kSteps * std::clamp(share, -1.0, 1.0)));
}

QRgb mixed(const QColor& from, const QColor& to, double share) {
    const auto part = [share](int a, int b) {
        return static_cast<int>(std::lround(a + (b - a) * share));
    };
    return qRgb(part(from.red(), to.red()), part(from.green(), to.green()),
                part(from.blue(), to.blue()));
}

QList<QRgb> coloursOf(DifferenceLook look, bool dark) {
    const bool values = look == DifferenceLook::Values;
    const Inks& inks = inksOn(dark);
    QList<QRgb> colours{inks.ground.rgb(), (values ? inks.faintFirst : inks.onlyFirst).rgb(),
                        (values ? inks.faintSecond : inks.onlySecond).rgb()};
    for (int step = -kSteps; step <= kSteps; ++step) {
        const double size = std::abs(step) / static_cast<double>(kSteps);
        colours.append(!values ? inks.both.rgb()
                               : mixed(inks.equal, step < 0 ? inks.less : inks.more, size));
    }
    return colours;
}

QString onlyIn(const QString& place, const QString& run) {
    return run.isEmpty() ? place : QStringLiteral("%1 (%2)").arg(place, run);
}

}  // namespace

QList<QImage> differencePyramid(const PatternDifference& difference, DifferenceLook look,
                                const std::vector<std::int64_t>& rowOrder,
                                const std::vector<std::int64_t>& columnOrder, bool dark) {
    QImage image(static_cast<int>(difference.columns), static_cast<int>(difference.rows),
                 QImage::Format_Indexed8);
    if (image.isNull()) {
        return {};
    }
    image.setColorTable(coloursOf(look, dark));
    for (std::int64_t y = 0; y < difference.rows; ++y) {
        const std::int64_t row = placed(rowOrder, y);
        uchar* line = image.scanLine(static_cast<int>(y));
        for (std::int64_t x = 0; x < difference.columns; ++x) {
            const std::int64_t column = placed(columnOrder, x);
            line[x] = indexOf(difference, static_cast<std::size_t>(column * difference.rows + row));
        }
    }
    return colourPyramid(image);
}

QList<LegendEntry> differenceLegend(const PatternDifference& difference, DifferenceLook look,
                                    const PairNames& names, bool dark) {
    const Inks& inks = inksOn(dark);
    const QString first = onlyIn(Words::tr("only in the first run"), names.first);
    const QString second = onlyIn(Words::tr("only in the second run"), names.second);
    if (look == DifferenceLook::Masks) {
        return {{{inks.onlyFirst}, first},
                {{inks.onlySecond}, second},
                {{inks.both}, Words::tr("in both")}};
    }
    QList<LegendEntry> entries{{{inks.faintFirst}, first}, {{inks.faintSecond}, second}};
    if (difference.scale > 0) {
        const QString end = formatNumber(difference.scale, 2);
        entries.append({{inks.less, inks.equal, inks.more},
                        Words::tr("in both: value first − second, −%1 … %1 and beyond").arg(end)});
    } else {
        entries.append({{inks.equal}, Words::tr("in both, with equal values")});
    }
    return entries;
}

QString differenceCsv(const PatternDifference& difference) {
    static const char* const kNames[] = {"neither", "first", "second", "both"};
    const auto atom = [](std::int64_t number) {
        return number >= 0 ? QString::number(number) : QString();
    };
    QString text = QStringLiteral("first_atom,second_atom,column,in,difference\n");
    for (std::int64_t column = 0; column < difference.columns; ++column) {
        for (std::int64_t row = 0; row < difference.rows; ++row) {
            const auto at = static_cast<std::size_t>(column * difference.rows + row);
            const std::uint8_t where = difference.where[at];
            if (where == PatternDifference::Neither) {
                continue;
            }
            const double apart = static_cast<double>(difference.valueDifference[at]);
            text += QStringLiteral("%1,%2,%3,%4,%5\n")
                        .arg(atom(difference.firstAtom[static_cast<std::size_t>(row)]),
                             atom(difference.secondAtom[static_cast<std::size_t>(row)]))
                        .arg(column)
                        .arg(QLatin1String(kNames[where]), where == PatternDifference::Both
                                                               ? QString::number(apart, 'g', 4)
                                                               : QString());
        }
    }
    return text;
}

}  // namespace cospadi::ui
