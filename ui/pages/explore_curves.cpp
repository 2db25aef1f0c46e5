#include "ui/pages/explore_curves.h"

#include <QCoreApplication>
#include <QLocale>

#include "ui/base/format.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

QString tr(const char* words) { return QCoreApplication::translate("ExploreCurves", words); }

Curve curveOf(const QString& name, int colour, const QList<QPointF>& points) {
    Curve curve;
    curve.name = name;
    curve.colour = theme().series[colour];
    curve.points = points;
    return curve;
}

Curve markAt(const QString& name, const QPointF& point) {
    Curve mark;
    mark.name = name;
    mark.colour = theme().text;
    mark.style = Curve::Style::Points;
    mark.points.append(point);
    return mark;
}

QString fixed(double value) { return QLocale().toString(value, 'f', 2); }

}  // namespace

QList<Curve> errorByIteration(const ExploreTrace& trace, const QList<QList<QPointF>>& before) {
    QList<Curve> curves;
    for (const QList<QPointF>& points : before) {
        Curve earlier;
        earlier.points = points;
        earlier.highlighted = false;
        curves.append(earlier);
    }
    if (!trace.iterations().isEmpty()) {
        curves.append(
            curveOf(tr("CoSpaDi, CR %1, ρ %2").arg(fixed(trace.here().cr), fixed(trace.here().rho)),
                    0, trace.iterations()));
        curves.last().style = Curve::Style::LineAndPoints;
        if (trace.here().settled) {
            curves.append(markAt(tr("as stored, values rounded"),
                                 QPointF(trace.here().iteration, trace.here().error)));
        }
        const double reference = trace.referenceError(trace.here().cr);
        if (reference > 0) {
            const double first = trace.iterations().first().x();
            const double last = trace.iterations().last().x();
            curves.append(curveOf(
                trace.isWhitened() ? tr("SVD-LLM at the same bytes") : tr("SVD at the same bytes"),
                1, {{first, reference}, {last, reference}}));
            curves.last().pen = Qt::DashLine;
        }
    }
    return curves;
}

QList<Curve> errorByRho(const ExploreTrace& trace) {
    QList<QPointF> points;
    for (const ExploreValue& value : trace.byRho()) {
        if (value.error >= 0) {
            points.append(QPointF(value.rho, value.error));
        }
    }
    QList<Curve> curves;
    if (!points.isEmpty()) {
        curves.append(curveOf(tr("CoSpaDi"), 0, points));
        curves.last().style = Curve::Style::LineAndPoints;
        const double reference = trace.referenceError(trace.here().cr);
        if (reference > 0) {
            curves.append(
                curveOf(trace.isWhitened() ? tr("SVD-LLM") : tr("SVD"), 1,
                        {{points.first().x(), reference}, {points.last().x(), reference}}));
            curves.last().pen = Qt::DashLine;
        }
    }
    if (trace.here().error >= 0) {
        curves.append(markAt(tr("here"), QPointF(trace.here().rho, trace.here().error)));
    }
    return curves;
}

QList<Curve> errorByBytes(const ExploreTrace& trace) {
    QList<Curve> curves;
    QList<QPointF> points;
    QStringList names;
    for (auto it = trace.byCr().end(); it != trace.byCr().begin();) {  // bytes ascend as CR falls
        --it;
        if (it->error >= 0) {
            points.append(QPointF(it->bytes / 1000, it->error));
            names << tr("CR %1").arg(fixed(it->cr));
        }
    }
    if (!points.isEmpty()) {
        curves.append(curveOf(tr("CoSpaDi"), 0, points));
        curves.last().style = Curve::Style::LineAndPoints;
        curves.last().pointNames = names;
    }
    QList<QPointF> reference;
    QStringList ranks;
    for (auto it = trace.reference().rbegin(); it != trace.reference().rend(); ++it) {
        reference.append(QPointF(it->bytes / 1000, it->error));
        ranks << tr("rank %1").arg(it->rank);
    }
    if (!reference.isEmpty()) {
        curves.append(curveOf(trace.isWhitened() ? tr("SVD-LLM") : tr("SVD"), 1, reference));
        curves.last().pen = Qt::DashLine;
        curves.last().pointNames = ranks;
    }
    if (trace.here().error >= 0) {
        curves.append(markAt(tr("here"), QPointF(trace.here().bytes / 1000, trace.here().error)));
    }
    return curves;
}

QString exploreFacts(const ExploreTrace& trace) {
    const ExploreValue& here = trace.here();
    const double reference = trace.referenceError(here.cr);
    QString text =
        tr("k = <b>%1</b>, s = <b>%2</b> &nbsp;·&nbsp; %3 &nbsp;·&nbsp; %4 relative error "
           "<b>%5</b> after %6 iterations%7")
            .arg(here.k)
            .arg(here.s)
            .arg(formatBytes(here.bytes), trace.isWhitened() ? tr("whitened") : tr("plain"),
                 formatError(here.error))
            .arg(here.iteration)
            .arg(here.settled ? tr(", as stored") : QString());
    if (reference > 0) {
        text += tr(" &nbsp;·&nbsp; %1 at the same bytes: <b>%2</b>, %3 times ours")
                    .arg(trace.isWhitened() ? tr("SVD-LLM") : tr("SVD"), formatError(reference),
                         fixed(reference / here.error));
    }
    return text;
}

}  // namespace cospadi::ui
