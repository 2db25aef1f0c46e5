#include "ui/charts/pgfplots.h"

#include <QStringList>
#include <cmath>

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

QString pgfOptionsOf(const Curve& curve, const QPen& pen) {
    const QColor colour = pen.color();
    QStringList options{QStringLiteral("color={rgb,255:red,%1;green,%2;blue,%3}")
                            .arg(colour.red())
                            .arg(colour.green())
                            .arg(colour.blue())};
    options << (curve.style == Curve::Style::Points ? QStringLiteral("only marks")
                                                    : pgfDashes(pen));
    options << (curve.style == Curve::Style::Line && curve.points.size() > 1
                    ? QStringLiteral("mark=none")
                    : QStringLiteral("mark=*, mark size=1.5pt"));
    if (!curve.deviations.isEmpty()) {
        options << QStringLiteral("error bars/.cd, y dir=both, y explicit");
    }
    return options.join(QStringLiteral(", "));
}

}  // namespace

QString pgfplots(const QList<Curve>& curves, const PgfAxis& axis, const QSize& size) {
    const QSizeF millimetres = millimetresOfPixels(size);
    QStringList options{
        QStringLiteral("width=%1mm").arg(millimetres.width(), 0, 'f', 1),
        QStringLiteral("height=%1mm").arg(millimetres.height(), 0, 'f', 1),
        QStringLiteral("xlabel={%1}").arg(latexWords(axis.xTitle)),
        QStringLiteral("ylabel={%1}").arg(latexWords(axis.yTitle)),
        QStringLiteral("grid=major"),
        QStringLiteral("legend style={font=\\footnotesize}"),
        QStringLiteral("legend pos=outer north east"),
    };
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
    QString text = QStringLiteral(
                       "% \\usepackage{pgfplots} \\pgfplotsset{compat=1.16}\n"
                       "\\begin{tikzpicture}\n\\begin{axis}[\n  %1\n]\n")
                       .arg(options.join(QStringLiteral(",\n  ")));
    for (qsizetype place = 0; place < curves.size(); ++place) {
        const Curve& curve = curves[place];
        QString points;
        for (qsizetype i = 0; i < curve.points.size(); ++i) {
            const QPointF& point = curve.points[i];
            const bool fits = std::isfinite(point.x()) && std::isfinite(point.y()) &&
                              (!axis.logarithmicX || point.x() > 0) &&
                              (!axis.logarithmicY || point.y() > 0);
            if (fits) {
                points +=
                    QStringLiteral("  (%1,%2)").arg(pgfNumber(point.x()), pgfNumber(point.y()));
                points += i < curve.deviations.size()
                              ? QStringLiteral(" +- (0,%1)").arg(pgfNumber(curve.deviations[i]))
                              : QString();
                points += QLatin1Char('\n');
            }
        }
        if (points.isEmpty()) {
            continue;
        }
        const bool named = curve.highlighted && !curve.name.isEmpty();
        text += QStringLiteral("\\addplot+[%1%2] coordinates {\n%3};\n")
                    .arg(named ? QString() : QStringLiteral("forget plot, "),
                         pgfOptionsOf(curve, curvePen(curves, place, true)), points);
        if (named) {
            text += QStringLiteral("\\addlegendentry{%1}\n").arg(latexWords(curve.name));
        }
    }
    return text + QStringLiteral("\\end{axis}\n\\end{tikzpicture}\n");
}

}  // namespace cospadi::ui
