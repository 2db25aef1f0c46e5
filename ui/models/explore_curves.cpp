#include "ui/models/explore_curves.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>

#include "ui/base/format.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

QString tr(const char* words) { return QCoreApplication::translate("ExploreCurves", words); }

QString fixed(double value) { return QLocale().toString(value, 'f', 2); }

// Where the curves of one matrix stand among those of all.
struct Place {
    const ExploredMatrix& matrix;
    int index;
    bool alone;

    QColor ours() const { return theme().series[index % theme().series.size()]; }
    QColor rival() const { return alone ? theme().series[1] : ours(); }
    QColor mark() const { return alone ? theme().text : ours(); }
    QString reference() const { return matrix.whitened ? tr("SVD-LLM") : tr("SVD"); }
    // Its name among several; of one alone, what the curve shows.
    QString named(const QString& words) const {
        return alone ? words : QStringLiteral("%1, %2").arg(matrix.layer, words);
    }
    // CR as x of a bytes axis.
    double bytes(double of) const {
        return alone ? of / 1000 : 100 * of / std::max(1.0, matrix.denseBytes());
    }
};

QList<Place> placesOf(const ExploreTrace& trace) {
    QList<Place> places;
    const bool alone = trace.matrices().size() == 1;
    for (const ExploredMatrix& matrix : trace.matrices()) {
        places.append(Place{matrix, static_cast<int>(places.size()), alone});
    }
    return places;
}

Curve oursOf(const Place& at, const QList<QPointF>& points, const QString& words) {
    Curve curve;
    curve.name = at.alone ? words : at.matrix.layer;
    curve.inLegend = at.alone;
    curve.colour = at.ours();
    curve.style = Curve::Style::LineAndPoints;
    curve.points = points;
    return curve;
}

Curve rivalOf(const Place& at, const QList<QPointF>& points) {
    Curve curve;
    curve.name = at.named(at.reference());
    curve.colour = at.rival();
    curve.pen = Qt::DashLine;
    curve.inLegend = at.alone;
    curve.points = points;
    return curve;
}

Curve markOf(const Place& at, const QPointF& point, const QString& words) {
    Curve mark;
    mark.name = at.named(words);
    mark.colour = at.mark();
    mark.style = Curve::Style::Points;
    mark.inLegend = at.alone;
    mark.points.append(point);
    return mark;
}

// The low-rank method as a level from the first of the points to the last.
void appendLevel(QList<Curve>& curves, const Place& at, const QList<QPointF>& points) {
    const double reference = at.matrix.referenceError(at.matrix.here.cr);
    if (reference > 0 && !points.isEmpty()) {
        curves.append(
            rivalOf(at, {{points.first().x(), reference}, {points.last().x(), reference}}));
    }
}

QString factsOf(const Place& at) {
    const ExploreValue& here = at.matrix.here;
    const double reference = at.matrix.referenceError(here.cr);
    QString text =
        tr("k = <b>%1</b>, s = <b>%2</b> &nbsp;·&nbsp; %3 &nbsp;·&nbsp; %4 relative error "
           "<b>%5</b> after %6 iterations%7")
            .arg(here.k)
            .arg(here.s)
            .arg(formatBytes(here.bytes), at.matrix.whitened ? tr("whitened") : tr("plain"),
                 formatError(here.error))
            .arg(here.iteration)
            .arg(here.settled ? tr(", as stored") : QString());
    if (reference > 0) {
        text += tr(" &nbsp;·&nbsp; %1 at the same bytes: <b>%2</b>, %3 times ours")
                    .arg(at.reference(), formatError(reference), fixed(reference / here.error));
    }
    return text;
}

}  // namespace

QList<Curve> errorByIteration(const ExploreTrace& trace, const QList<QList<QPointF>>& before) {
    QList<Curve> curves;
    for (const QList<QPointF>& points : before) {
        Curve earlier;
        earlier.points = points;
        earlier.highlighted = false;
        curves.append(earlier);
    }
    for (const Place& at : placesOf(trace)) {
        const ExploreValue& here = at.matrix.here;
        const QList<QPointF>& points = at.matrix.iterations;
        if (points.isEmpty()) {
            continue;
        }
        curves.append(
            oursOf(at, points, tr("CoSpaDi, CR %1, ρ %2").arg(fixed(here.cr), fixed(here.rho))));
        if (here.settled) {
            curves.append(
                markOf(at, QPointF(here.iteration, here.error), tr("as stored, values rounded")));
        }
        appendLevel(curves, at, points);
    }
    return curves;
}

QList<Curve> errorByRho(const ExploreTrace& trace) {
    QList<Curve> curves;
    for (const Place& at : placesOf(trace)) {
        QList<QPointF> points;
        for (const ExploreValue& value : at.matrix.byRho) {
            if (value.error >= 0) {
                points.append(QPointF(value.rho, value.error));
            }
        }
        if (!points.isEmpty()) {
            curves.append(oursOf(at, points, tr("CoSpaDi")));
            appendLevel(curves, at, points);
        }
        if (at.matrix.here.error >= 0) {
            curves.append(
                markOf(at, QPointF(at.matrix.here.rho, at.matrix.here.error), tr("here")));
        }
    }
    return curves;
}

QList<Curve> errorByBytes(const ExploreTrace& trace) {
    QList<Curve> curves;
    for (const Place& at : placesOf(trace)) {
        QList<QPointF> points;
        QStringList names;
        const auto& byCr = at.matrix.byCr;
        for (auto it = byCr.end(); it != byCr.begin();) {  // bytes ascend as CR falls
            --it;
            if (it->error >= 0) {
                points.append(QPointF(at.bytes(it->bytes), it->error));
                names << tr("CR %1").arg(fixed(it->cr));
            }
        }
        if (!points.isEmpty()) {
            curves.append(oursOf(at, points, tr("CoSpaDi")));
            curves.last().pointNames = names;
        }
        QList<QPointF> reference;
        QStringList ranks;
        for (auto it = at.matrix.reference.rbegin(); it != at.matrix.reference.rend(); ++it) {
            reference.append(QPointF(at.bytes(it->bytes), it->error));
            ranks << tr("rank %1").arg(it->rank);
        }
        if (!reference.isEmpty()) {
            curves.append(rivalOf(at, reference));
            curves.last().pointNames = ranks;
        }
        const ExploreValue& here = at.matrix.here;
        if (here.error >= 0) {
            curves.append(markOf(at, QPointF(at.bytes(here.bytes), here.error), tr("here")));
        }
    }
    return curves;
}

QString factsOfFirst(const ExploreTrace& trace) {
    const QList<Place> places = placesOf(trace);
    const bool known = !places.isEmpty() && places.first().matrix.here.error >= 0;
    return known ? factsOf(places.first()) : QString();
}

QString factsOfAll(const ExploreTrace& trace) {
    const QString cell = QStringLiteral("<td align='right' style='padding-left:10px'>%1</td>");
    QString rows = QStringLiteral("<tr style='color:%1'><td>%2</td>%3%4%5%6%7%8</tr>")
                       .arg(theme().muted.name(), tr("matrix"), cell.arg(tr("k")),
                            cell.arg(tr("s")), cell.arg(tr("bytes")), cell.arg(tr("error")),
                            cell.arg(tr("low rank")), cell.arg(tr("times ours")));
    for (const Place& at : placesOf(trace)) {
        const ExploreValue& here = at.matrix.here;
        const bool known = here.error >= 0;
        const double reference = at.matrix.referenceError(here.cr);
        const bool compared = known && reference > 0;
        rows += QStringLiteral("<tr><td><span style='color:%1'>■</span> %2</td>%3%4%5%6%7%8</tr>")
                    .arg(at.ours().name(), at.matrix.layer.toHtmlEscaped(),
                         cell.arg(known ? QLocale().toString(here.k) : QString()),
                         cell.arg(known ? QLocale().toString(here.s) : QString()),
                         cell.arg(known ? formatBytes(here.bytes) : QString()),
                         cell.arg(known ? QStringLiteral("<b>%1</b>").arg(formatError(here.error))
                                        : QString()),
                         cell.arg(compared ? formatError(reference) : QString()),
                         cell.arg(compared ? fixed(reference / here.error) : QString()));
    }
    return QStringLiteral("<table cellspacing='0' cellpadding='1'>%1</table>").arg(rows);
}

}  // namespace cospadi::ui
