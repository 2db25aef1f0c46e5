#include "ui/models/series_look.h"

#include <QPainter>
#include <QPixmap>
#include <algorithm>

#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

constexpr int kSolid = 4;  // of the first colours, which everybody tells apart
// Of the first colours, of the next, of the last; by round. Colours that look alike to somebody who
// is colour-blind never share one (blue with sky blue and indigo, orange with ochre).
constexpr Qt::PenStyle kPens[][kSeriesRounds] = {
    {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine},
    {Qt::DashLine, Qt::DashDotLine, Qt::DashDotDotLine, Qt::DotLine},
    {Qt::DotLine, Qt::DashDotDotLine, Qt::DashDotLine, Qt::DashLine}};
// Of the same colours: of the curve that leads, and of its companions. None is there twice in a row
// or in a column.
constexpr Qt::PenStyle kTogether[][1 + kMostCompanions] = {
    {Qt::SolidLine, Qt::DashLine, Qt::DotLine},
    {Qt::DashDotLine, Qt::DashDotDotLine, Qt::DashLine},
    {Qt::DotLine, Qt::DashDotLine, Qt::DashDotDotLine}};

// Which of the rows above a colour has; one that is none of the theme's, the first.
int groupOf(int place) {
    const bool isLast = place == static_cast<int>(theme().series.size()) - 1;
    return place < kSolid ? 0 : isLast ? 2 : 1;
}

int groupOf(const QColor& colour) {
    return groupOf(static_cast<int>(theme().series.indexOf(colour)));
}

}  // namespace

void setSeriesLook(Curve& curve, int index) {
    const auto colours = static_cast<int>(theme().series.size());
    const int place = index % colours;
    const int round = index / colours % kSeriesRounds;
    const QColor colour = theme().series[place];
    const QColor shades[] = {colour, colour.darker(135), colour.lighter(130), colour.darker(175)};
    curve.colour = shades[round];
    curve.pen = seriesPen(place, round);
}

Qt::PenStyle seriesPen(int place, int round) {
    return kPens[groupOf(place)][round % kSeriesRounds];
}

Qt::PenStyle leadingPen(const QColor& colour) { return kTogether[groupOf(colour)][0]; }

Qt::PenStyle companionPen(const QColor& colour, int which) {
    return kTogether[groupOf(colour)][1 + (which - 1) % kMostCompanions];
}

void setGuestLook(Curve& curve, const QList<Curve>& beside) {
    const auto colours = static_cast<int>(theme().series.size());
    const auto isTaken = [&] {
        return std::any_of(beside.begin(), beside.end(), [&](const Curve& other) {
            return other.highlighted && other.colour == curve.colour;
        });
    };
    // From the second round on no look is solid.
    for (int look = colours; look < kSeriesRounds * colours; ++look) {
        setSeriesLook(curve, look);
        if (!isTaken()) {
            return;
        }
    }
}

QIcon swatch(const QColor& colour) {
    constexpr int kSide = 32;  // pixels; shown at half of it and less
    constexpr int kRing = 4;
    QIcon icon;
    for (const QIcon::Mode mode : {QIcon::Normal, QIcon::Selected}) {
        QPixmap picture(kSide, kSide);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        painter.setPen(Qt::NoPen);
        if (colour.alpha() > 0) {
            painter.fillRect(picture.rect(), mode == QIcon::Selected ? theme().panel : colour);
            painter.fillRect(picture.rect().adjusted(kRing, kRing, -kRing, -kRing), colour);
        }
        painter.end();
        icon.addPixmap(picture, mode);
    }
    return icon;
}

}  // namespace cospadi::ui
