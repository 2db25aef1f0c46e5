#include "ui/charts/pgfplots.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/report/latex_text.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/curve_look.h"

namespace cospadi::ui {

namespace {

QString latexWords(const QString& text) {
    return QString::fromStdString(latexText(text.toStdString()));
}

QString pgfNumber(double value) { return QString::number(value, 'g', 10); }

// Lengths of a pen's pattern are widths of the pen, in pixels of 1/96 inch.
QString pgfDashes(const QPen& pen) {
    if (pen.style() == Qt::SolidLine) {
        return QStringLiteral("solid");
    }
    QStringList lengths;
    bool on = true;
    for (const double length : pen.dashPattern()) {
        lengths << QStringLiteral("%1 %2pt")
                       .arg(on ? QStringLiteral("on") : QStringLiteral("off"))
                       .arg(length * pen.widthF() * 72 / 96, 0, 'f', 2);
        on = !on;
    }
    return QStringLiteral("dash pattern=%1").arg(lengths.join(QLatin1Char(' ')));
}

QString pgfOptionsOf(const Curve& curve, const QPen& pen, MarkerShape shape) {
    const QColor colour = pen.color();
    QStringList options{QStringLiteral("color={rgb,255:red,%1;green,%2;blue,%3}")
                            .arg(colour.red())
                            .arg(colour.green())
                            .arg(colour.blue())};
    options << (curve.style == Curve::Style::Points ? QStringLiteral("only marks")
                                                    : pgfDashes(pen));
    options << (curve.style == Curve::Style::Line && curve.points.size() > 1
                    ? QStringLiteral("mark=none")
                    : QStringLiteral("mark=%1, mark size=1.5pt").arg(pgfMark(shape)));
    if (!curve.deviations.isEmpty()) {
        options << QStringLiteral("error bars/.cd, y dir=both, y explicit");
    }
    return options.join(QStringLiteral(", "));
}

bool fitsOn(const PgfAxis& axis, const QPointF& point) {
    return std::isfinite(point.x()) && std::isfinite(point.y()) &&
           (!axis.logarithmicX || point.x() > 0) && (!axis.logarithmicY || point.y() > 0);
}

// A line a point; empty where none fits.
QString pgfCoordinates(const Curve& curve, const PgfAxis& axis) {
    QString text;
    for (qsizetype i = 0; i < curve.points.size(); ++i) {
        const QPointF& point = curve.points[i];
        if (fitsOn(axis, point)) {
            text += QStringLiteral("  (%1,%2)").arg(pgfNumber(point.x()), pgfNumber(point.y()));
            text += i < curve.deviations.size()
                        ? QStringLiteral(" +- (0,%1)").arg(pgfNumber(curve.deviations[i]))
                        : QString();
            text += QLatin1Char('\n');
        }
    }
    return text;
}

bool isNamed(const Curve& curve) { return curve.highlighted && !curve.name.isEmpty(); }

QString pgfEntry(const Curve& curve) {
    return QStringLiteral("\\addlegendentry{%1}\n").arg(latexWords(curve.name));
}

// inLegend: where the curve has a name.
QString pgfCurves(const QList<Curve>& curves, const PgfAxis& axis, bool inLegend) {
    QString text;
    for (qsizetype place = 0; place < curves.size(); ++place) {
        const Curve& curve = curves[place];
        const QString points = pgfCoordinates(curve, axis);
        if (points.isEmpty()) {
            continue;
        }
        const bool listed = inLegend && isNamed(curve);
        text += QStringLiteral("\\addplot+[%1%2] coordinates {\n%3};\n")
                    .arg(listed ? QString() : QStringLiteral("forget plot, "),
                         pgfOptionsOf(curve, curvePen(curves, place, true),
                                      markerShape(curves, place, true)),
                         points);
        text += listed ? pgfEntry(curve) : QString();
    }
    return text;
}

// What all of several plots draw, each once: no plot need have them all.
QString pgfLegend(const QList<PgfPlot>& plots, const PgfAxis& axis) {
    QString text;
    QStringList told;
    for (const PgfPlot& plot : plots) {
        for (qsizetype place = 0; place < plot.curves.size(); ++place) {
            const Curve& curve = plot.curves[place];
            if (!isNamed(curve) || told.contains(curve.name) ||
                pgfCoordinates(curve, axis).isEmpty()) {
                continue;
            }
            told << curve.name;
            Curve line = curve;
            line.deviations = {};
            text += QStringLiteral("\\addlegendimage{%1}\n%2")
                        .arg(pgfOptionsOf(line, curvePen(plot.curves, place, true),
                                          markerShape(plot.curves, place, true)),
                             pgfEntry(curve));
        }
    }
    return text;
}

// Both ends with some air; empty where there is nothing between them.
QStringList pgfRange(QChar axis, double low, double high, bool logarithmic) {
    constexpr double kAir = 0.05;
    if (!(low < high)) {
        return {};
    }
    const double first = logarithmic ? std::log(low) : low;
    const double last = logarithmic ? std::log(high) : high;
    const double air = kAir * (last - first);
    const auto end = [logarithmic](double value) {
        return pgfNumber(logarithmic ? std::exp(value) : value);
    };
    return {QStringLiteral("%1min=%2").arg(axis).arg(end(first - air)),
            QStringLiteral("%1max=%2").arg(axis).arg(end(last + air))};
}

QStringList pgfSharedRange(const QList<PgfPlot>& plots, const PgfAxis& axis) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    double left = kFar;
    double right = -kFar;
    double low = kFar;
    double high = -kFar;
    for (const PgfPlot& plot : plots) {
        for (const Curve& curve : plot.curves) {
            for (qsizetype i = 0; i < curve.points.size(); ++i) {
                const QPointF& point = curve.points[i];
                if (!fitsOn(axis, point)) {
                    continue;
                }
                const double spread = curve.deviations.value(i);
                const double least = point.y() - spread;
                left = std::min(left, point.x());
                right = std::max(right, point.x());
                low = std::min(low, axis.logarithmicY && least <= 0 ? point.y() : least);
                high = std::max(high, point.y() + spread);
            }
        }
    }
    return pgfRange(QLatin1Char('x'), left, right, axis.logarithmicX) +
           pgfRange(QLatin1Char('y'), low, high, axis.logarithmicY);
}

QString pgfLength(const char* name, double millimetres) {
    return QStringLiteral("%1=%2mm").arg(QLatin1String(name)).arg(millimetres, 0, 'f', 1);
}

QStringList pgfTitles(const PgfAxis& axis) {
    return {QStringLiteral("xlabel={%1}").arg(latexWords(axis.xTitle)),
            QStringLiteral("ylabel={%1}").arg(latexWords(axis.yTitle))};
}

const QStringList& pgfLook() {
    static const QStringList options{QStringLiteral("grid=major"),
                                     QStringLiteral("legend style={font=\\footnotesize}")};
    return options;
}

const QString kPgfLegendPlace = QStringLiteral("legend pos=outer north east");

QStringList pgfScales(const PgfAxis& axis) {
    QStringList options;
    if (axis.logarithmicX) {
        options << QStringLiteral("xmode=log");
    }
    if (axis.logarithmicY) {
        options << QStringLiteral("ymode=log");
    }
    if (!axis.xTicks.isEmpty()) {
        QStringList places;
        QStringList labels;
        for (const auto& [place, label] : axis.xTicks) {
            places << pgfNumber(place);
            labels << QStringLiteral("{%1}").arg(latexWords(label));
        }
        options << QStringLiteral("xtick={%1}").arg(places.join(QLatin1Char(',')))
                << QStringLiteral("xticklabels={%1}").arg(labels.join(QLatin1Char(',')));
    }
    return options;
}

QString pgfPicture(const char* libraries, const char* environment, const QStringList& options,
                   const QString& content) {
    return QStringLiteral(
               "% \\usepackage{pgfplots} %1\\pgfplotsset{compat=1.16}\n"
               "\\begin{tikzpicture}\n\\begin{%2}[\n  %3\n]\n%4\\end{%2}\n\\end{tikzpicture}\n")
        .arg(QLatin1String(libraries), QLatin1String(environment),
             options.join(QStringLiteral(",\n  ")), content);
}

}  // namespace

QString pgfplots(const QList<Curve>& curves, const PgfAxis& axis, const QSize& size) {
    const QSizeF millimetres = millimetresOfPixels(size);
    return pgfPicture("", "axis",
                      QStringList{pgfLength("width", millimetres.width()),
                                  pgfLength("height", millimetres.height())} +
                          pgfTitles(axis) + pgfLook() + QStringList{kPgfLegendPlace} +
                          pgfScales(axis),
                      pgfCurves(curves, axis, true));
}

QString pgfplots(const QList<PgfPlot>& plots, const PgfAxis& axis, int columns, const QSize& size) {
    constexpr double kLeast = 25;  // millimetres: pgfplots refuses what its labels leave no room in
    const qsizetype across = std::max(columns, 1);
    const qsizetype down = (plots.size() + across - 1) / across;
    const QSizeF millimetres = millimetresOfPixels(size);
    const QStringList options =
        QStringList{QStringLiteral(
                        "group style={group size=%1 by %2, horizontal sep=4mm, vertical sep=9mm}")
                        .arg(across)
                        .arg(std::max<qsizetype>(down, 1)),
                    pgfLength("width", std::max(millimetres.width() / double(across), kLeast)),
                    pgfLength("height",
                              std::max(millimetres.height() / double(std::max<qsizetype>(down, 1)),
                                       kLeast)),
                    // A power of ten beside the axis would stand there in every plot.
                    QStringLiteral("scaled ticks=false")} +
        pgfLook() + pgfScales(axis) + pgfSharedRange(plots, axis);
    const QStringList titles = pgfTitles(axis);
    const qsizetype legendAt = std::min(across, plots.size()) - 1;  // the upper right one
    QString content;
    for (qsizetype i = 0; i < plots.size(); ++i) {
        QStringList own{QStringLiteral("title={%1}").arg(latexWords(plots[i].title))};
        own << (i + across < plots.size() ? QStringLiteral("xticklabels=\\empty") : titles[0]);
        own << (i % across > 0 ? QStringLiteral("yticklabels=\\empty") : titles[1]);
        if (i == legendAt) {
            own << kPgfLegendPlace;
        }
        content += QStringLiteral("\\nextgroupplot[%1]\n").arg(own.join(QStringLiteral(", "))) +
                   pgfCurves(plots[i].curves, axis, false) +
                   (i == legendAt ? pgfLegend(plots, axis) : QString());
    }
    return pgfPicture("\\usepgfplotslibrary{groupplots} ", "groupplot", options, content);
}

}  // namespace cospadi::ui
