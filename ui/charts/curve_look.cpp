#include "ui/charts/curve_look.h"

#include <algorithm>

#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

// Black on white, whatever the window looks like.
const QColor kInk("#222222");
const QColor kPaperGrid("#dddddd");
const QColor kPaperBackground("#b8b8b8");
constexpr int kSpreadAlpha = 46;  // of 255: bands lie over each other
constexpr double kThin = 1;       // widths of lines, in pixels
constexpr double kBroad = 2;
constexpr double kPrinted = 1.5;
constexpr double kSmallMarker = 7;
constexpr double kDot = 9;  // on a line
constexpr double kSmallDot = 6;
const QList<QList<double>> kDashes{{}, {6, 3}, {2, 2}, {8, 3, 2, 3}, {12, 4}, {4, 2, 1, 2, 1, 2}};
const QList<double> kCompanionDots{1, 3};

// A curve that is not solid and has the colour of an earlier one accompanies that one; any other
// leads itself.
qsizetype leaderOf(const QList<Curve>& curves, qsizetype index) {
    const Curve& curve = curves[index];
    for (qsizetype i = 0; i < index && curve.highlighted && curve.pen != Qt::SolidLine; ++i) {
        if (curves[i].highlighted && curves[i].colour == curve.colour) {
            return i;
        }
    }
    return index;
}

// Of its colour, among those of the coloured curves, which marks share with their curve.
int colourPlaceOf(const QList<Curve>& curves, qsizetype index) {
    QList<QRgb> colours;
    for (qsizetype i = 0; i <= index; ++i) {
        const QRgb colour = curves[i].colour.rgba();
        if ((curves[i].highlighted || i == index) && !colours.contains(colour)) {
            colours.append(colour);
        }
    }
    return static_cast<int>(colours.indexOf(curves[index].colour.rgba()));
}

// Of its leader, among the coloured curves with a name that lead themselves.
int placeOf(const QList<Curve>& curves, qsizetype index) {
    const qsizetype leader = leaderOf(curves, index);
    int place = -1;
    for (qsizetype i = 0; i <= leader; ++i) {
        const bool counts = curves[i].highlighted && !curves[i].name.isEmpty();
        place += counts && leaderOf(curves, i) == i ? 1 : 0;
    }
    return std::max(place, 0);
}

}  // namespace

ChartColours ChartColours::of(bool print) {
    return print ? ChartColours{QColor(Qt::white), kInk, kInk, kPaperGrid, kInk}
                 : ChartColours{theme().panel, theme().text, theme().line, theme().line,
                                theme().muted};
}

const QList<QColor>& printSeries() {
    static const QList<QColor> colours{QColor("#0072b2"), QColor("#d55e00"), QColor("#009e73"),
                                       QColor("#b5609a"), QColor("#b27f00"), QColor("#3d9fd6"),
                                       QColor("#7a5c3a"), QColor("#000000")};
    return colours;
}

bool isListed(const Curve& curve, bool print) {
    return curve.highlighted && !curve.name.isEmpty() && (curve.inLegend || print);
}

MarkerShape markerShape(const QList<Curve>& curves, qsizetype index, bool print) {
    const qsizetype colours = printSeries().size();
    if (curves[index].style == Curve::Style::Line || index < colours) {
        return MarkerShape::Circle;
    }
    const int place = print ? placeOf(curves, index) : colourPlaceOf(curves, index);
    return static_cast<MarkerShape>(place / colours % kMarkerShapes);
}

QPen curvePen(const QList<Curve>& curves, qsizetype index, bool print) {
    const Curve& curve = curves[index];
    const int place = print ? placeOf(curves, index) : 0;
    QColor colour = curve.highlighted ? curve.colour : theme().background;
    if (print) {
        colour = curve.highlighted ? printSeries()[place % printSeries().size()] : kPaperBackground;
    }
    QPen pen(colour, curve.highlighted ? (print ? kPrinted : kBroad) : kThin, curve.pen);
    if (print && curve.highlighted) {
        const QList<double>& dashes =
            leaderOf(curves, index) != index ? kCompanionDots : kDashes[place % kDashes.size()];
        if (!dashes.isEmpty()) {
            pen.setDashPattern(dashes);
        } else {
            pen.setStyle(Qt::SolidLine);
        }
    }
    pen.setCosmetic(false);
    return pen;
}

void setLook(DrawnCurve& drawn, const Curve& curve, const QPen& pen, bool single, bool print) {
    if (curve.style == Curve::Style::Points) {
        drawn.line = Qt::NoPen;
        drawn.markerSize = curve.name.isEmpty() ? kSmallMarker : kMarker;
        drawn.markerLine = QPen(print ? QColor(Qt::white) : theme().panel, 1.2);
    } else {
        const bool dots = curve.style == Curve::Style::LineAndPoints || single;
        drawn.line = pen;
        drawn.markerSize = !dots ? 0 : curve.highlighted ? kDot : kSmallDot;
        drawn.markerLine = Qt::NoPen;
    }
    drawn.markerFill = pen.color();
    drawn.spreadFill = pen.color();
    drawn.spreadFill.setAlpha(kSpreadAlpha);
}

double lineWidthOf(const Curve& curve, bool dense) {
    return dense || !curve.highlighted ? kThin : kBroad;
}

}  // namespace cospadi::ui
