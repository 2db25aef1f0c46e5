#include "ui/models/explore_curves.h"

#include <QLocale>
#include <algorithm>

#include "core/methods/method.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/base/translated.h"
#include "ui/models/series_look.h"

namespace cospadi::ui {

namespace {

QString fixed(double value) { return QLocale().toString(value, 'f', 2); }

// Where the curves of one matrix stand among those of all.
struct Place {
    const ExploredMatrix& matrix;
    int index;
    bool alone;

    QColor ours() const { return theme().series[index % theme().series.size()]; }
    QColor rival() const { return alone ? theme().series[1] : ours(); }
    QColor mark() const { return alone ? theme().text : ours(); }
    QString method() const {
        const Method* known = findMethod(matrix.method.toStdString());
        return known != nullptr ? QString::fromUtf8(known->title()) : matrix.method;
    }
    // A method without a ratio: its mark is all that there is to name.
    bool isOnePoint() const { return matrix.curves.isEmpty(); }
    QString reference() const { return matrix.whitened ? Words::tr("SVD-LLM") : Words::tr("SVD"); }
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
    curve.pen = leadingPen(curve.colour);
    curve.style = Curve::Style::LineAndPoints;
    curve.points = points;
    return curve;
}

Curve rivalOf(const Place& at, const QList<QPointF>& points) {
    Curve curve;
    curve.name = at.named(at.reference());
    curve.colour = at.rival();
    curve.pen = at.alone ? Qt::DashLine : companionPen(curve.colour, 1);
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
    const QString sizes = here.k > 0
                              ? Words::tr("k = <b>%1</b>, s = <b>%2</b>")
                                    .arg(formatCount(here.k), formatCount(here.s))
                              : at.method() + QStringLiteral(": ") + here.stored.toHtmlEscaped();
    QStringList facts{sizes, formatBytes(here.bytes)};
    facts << (at.matrix.whitened ? Words::tr("whitened relative error <b>%1</b>")
                                 : Words::tr("plain relative error <b>%1</b>"))
                 .arg(formatError(here.error));
    if (here.iteration > 0 || !here.settled) {
        facts.last() =
            Words::tr("%1 after %n iteration(s)", nullptr, static_cast<int>(here.iteration))
                .arg(facts.last());
    }
    if (here.settled) {
        facts.last() = Words::tr("%1, as stored").arg(facts.last());
    }
    if (reference > 0) {
        facts << Words::tr("%1 at the same bytes: <b>%2</b>, %3 times ours")
                     .arg(at.reference(), formatError(reference), fixed(reference / here.error));
    }
    return facts.join(QStringLiteral(" &nbsp;·&nbsp; "));
}

}  // namespace

QList<Curve> errorByIteration(const ExploreTrace& trace, const QList<EarlierCurve>& before) {
    QList<Curve> curves;
    for (const EarlierCurve& one : before) {
        if (!trace.matrices().isEmpty() && one.whitened != trace.isWhitened()) {
            continue;
        }
        Curve earlier;
        earlier.points = one.points;
        earlier.highlighted = false;
        curves.append(earlier);
    }
    for (const Place& at : placesOf(trace)) {
        const ExploreValue& here = at.matrix.here;
        const QList<QPointF>& points = at.matrix.iterations;
        if (points.isEmpty()) {
            continue;
        }
        const QString ratio = Words::tr("%1, CR %2").arg(at.method(), fixed(here.cr));
        curves.append(oursOf(
            at, points, here.rho > 0 ? Words::tr("%1, ρ %2").arg(ratio, fixed(here.rho)) : ratio));
        if (here.settled) {
            curves.append(markOf(at, QPointF(here.iteration, here.error),
                                 Words::tr("as stored, values rounded")));
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
            curves.append(oursOf(at, points, at.method()));
            appendLevel(curves, at, points);
        }
        if (at.matrix.here.error >= 0 && at.matrix.here.rho > 0) {
            curves.append(markOf(at, QPointF(at.matrix.here.rho, at.matrix.here.error),
                                 Words::tr("this setting")));
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
                names << Words::tr("CR %1").arg(fixed(it->cr));
            }
        }
        if (!points.isEmpty()) {
            curves.append(oursOf(at, points, at.method()));
            curves.last().pointNames = names;
        }
        QList<QPointF> reference;
        QStringList ranks;
        for (auto it = at.matrix.reference.rbegin(); it != at.matrix.reference.rend(); ++it) {
            reference.append(QPointF(at.bytes(it->bytes), it->error));
            ranks << Words::tr("rank %1").arg(it->rank);
        }
        if (!reference.isEmpty()) {
            curves.append(rivalOf(at, reference));
            curves.last().pointNames = ranks;
        }
        const ExploreValue& here = at.matrix.here;
        if (here.error >= 0) {
            curves.append(markOf(at, QPointF(at.bytes(here.bytes), here.error),
                                 at.isOnePoint() ? at.method() : Words::tr("this setting")));
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
    const QList<Place> places = placesOf(trace);
    const bool dictionaries = std::any_of(places.begin(), places.end(), [](const Place& at) {
        return at.matrix.here.k > 0 || at.matrix.curves.contains(QLatin1String("rho"));
    });
    const auto row = [](const QString& style, const QString& first, const QStringList& others) {
        QString cells;
        for (const QString& other : others) {
            cells +=
                QStringLiteral("<td align='right' style='padding-left:10px'>%1</td>").arg(other);
        }
        return QStringLiteral("<tr%1><td>%2</td>%3</tr>").arg(style, first, cells);
    };
    const QStringList sizes = dictionaries ? QStringList{Words::tr("k"), Words::tr("s")}
                                           : QStringList{Words::tr("stored")};
    QString rows =
        row(QStringLiteral(" style='color:%1'").arg(theme().muted.name()), Words::tr("matrix"),
            sizes + QStringList{Words::tr("bytes"), Words::tr("error"), Words::tr("low rank"),
                                Words::tr("times ours")});
    for (const Place& at : places) {
        const ExploreValue& here = at.matrix.here;
        const bool known = here.error >= 0;
        const double reference = at.matrix.referenceError(here.cr);
        const bool compared = known && reference > 0;
        QStringList cells;
        if (dictionaries) {
            cells << (known ? formatCount(here.k) : kMissing)
                  << (known ? formatCount(here.s) : kMissing);
        } else {
            cells << (here.stored.isEmpty() ? kMissing : here.stored.toHtmlEscaped());
        }
        cells << (known ? formatBytes(here.bytes) : kMissing)
              << (known ? QStringLiteral("<b>%1</b>").arg(formatError(here.error)) : kMissing)
              << (compared ? formatError(reference) : kMissing)
              << (compared ? fixed(reference / here.error) : kMissing);
        rows += row(QString(),
                    QStringLiteral("<span style='color:%1'>■</span> %2")
                        .arg(at.ours().name(), at.matrix.layer.toHtmlEscaped()),
                    cells);
    }
    return QStringLiteral("<table cellspacing='0' cellpadding='1'>%1</table>").arg(rows);
}

QString stateOf(const ExploreTrace& trace, qsizetype values) {
    QString state = Words::tr("stopped");
    if (trace.status().isEmpty()) {
        state = values > 0 ? Words::tr("%1 of %2 solved").arg(trace.settledValues()).arg(values)
                           : Words::tr("solving …");
    } else if (trace.status() == QLatin1String("finished")) {
        state = Words::tr("done in %1").arg(formatDuration(trace.seconds()));
    }
    return trace.isWhitened() ? state : Words::tr("%1 · not calibrated").arg(state);
}

}  // namespace cospadi::ui
