#include "app/workbench/figure.h"

#include <QFile>
#include <QFileInfo>
#include <QTextStream>

#include "ui/charts/chart_export.h"
#include "ui/charts/csv_figure.h"
#include "ui/charts/curve_chart.h"

namespace cospadi::app {

namespace {

constexpr int kUsageError = 2;

int fail(const QString& what, int code) {
    QTextStream(stderr) << "cospadi-workbench: " << what << '\n';
    return code;
}

QCommandLineOption option(const char* name, const char* description, const char* value = nullptr) {
    QCommandLineOption result(QString::fromLatin1(name), QString::fromUtf8(description));
    if (value != nullptr) {
        result.setValueName(QString::fromLatin1(value));
    }
    return result;
}

QString valueOf(const QCommandLineParser& options, const char* name) {
    return options.value(QString::fromLatin1(name));
}

bool isSet(const QCommandLineParser& options, const char* name) {
    return options.isSet(QString::fromLatin1(name));
}

// WIDTHxHEIGHT in millimetres; empty where it is not that.
QSize sizeFrom(const QString& text) {
    const QStringList parts = text.split('x');
    if (parts.size() != 2) {
        return {};
    }
    const QSizeF millimetres(parts[0].toDouble(), parts[1].toDouble());
    const bool sensible = millimetres.width() >= 20 && millimetres.height() >= 20 &&
                          millimetres.width() <= 1000 && millimetres.height() <= 1000;
    return sensible ? ui::pixelsOfMillimetres(millimetres) : QSize();
}

bool formatFrom(const QString& path, ui::ExportFormat& format) {
    for (const ui::ExportFormat known :
         {ui::ExportFormat::Svg, ui::ExportFormat::Pdf, ui::ExportFormat::Png}) {
        if (QFileInfo(path).suffix().toLower() == ui::suffixOf(known)) {
            format = known;
            return true;
        }
    }
    return false;
}

}  // namespace

QList<QCommandLineOption> figureOptions() {
    return {
        option("figure", "Draw a table (CSV, a header line first) as a chart, and quit", "CSV"),
        option("out", "With --figure: the picture, .svg, .pdf or .png", "FILE"),
        option("x", "With --figure: the column along x", "COLUMN"),
        option("y", "With --figure: the columns along y, e.g. measured,theory", "COLUMNS"),
        option("series", "With --figure: the column that tells the curves apart", "COLUMN"),
        option("where", "With --figure: only rows with this value; may be given several times",
               "COLUMN=VALUE"),
        option("log-x", "With --figure: x by its logarithm"),
        option("log-y", "With --figure: y by its logarithm"),
        option("x-title", "With --figure: what stands below the x axis [the column]", "TEXT"),
        option("y-title", "With --figure: what stands beside the y axis [the column]", "TEXT"),
        option("size", "With --figure: WIDTHxHEIGHT in millimetres [120x80]", "SIZE"),
    };
}

bool asksForFigure(const QCommandLineParser& options) { return isSet(options, "figure"); }

int writeFigure(const QCommandLineParser& options) {
    for (const char* needed : {"out", "x", "y"}) {
        if (!isSet(options, needed)) {
            return fail(QStringLiteral("--figure needs --%1").arg(QLatin1String(needed)),
                        kUsageError);
        }
    }
    const QString out = valueOf(options, "out");
    ui::ExportOptions how;
    if (!formatFrom(out, how.format)) {
        return fail(QStringLiteral("%1: the name must end in .svg, .pdf or .png").arg(out),
                    kUsageError);
    }
    const QString size =
        isSet(options, "size") ? valueOf(options, "size") : QStringLiteral("120x80");
    how.size = sizeFrom(size);
    if (how.size.isEmpty()) {
        return fail(
            QStringLiteral("--size %1: write WIDTHxHEIGHT in millimetres, 20 to 1000").arg(size),
            kUsageError);
    }
    const QString path = valueOf(options, "figure");
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return fail(QStringLiteral("%1: %2").arg(path, file.errorString()), 1);
    }

    ui::CsvFigure figure;
    figure.x = valueOf(options, "x");
    figure.y = valueOf(options, "y").split(',', Qt::SkipEmptyParts);
    figure.series = valueOf(options, "series");
    figure.where = options.values(QStringLiteral("where"));
    figure.logX = isSet(options, "log-x");
    figure.logY = isSet(options, "log-y");
    figure.xTitle = valueOf(options, "x-title");
    figure.yTitle = valueOf(options, "y-title");
    ui::CurveChart chart;
    chart.resize(how.size);
    const QString problem = ui::drawCsvFigure(QString::fromUtf8(file.readAll()), figure, chart);
    if (!problem.isEmpty()) {
        return fail(QStringLiteral("%1: %2").arg(path, problem), 1);
    }
    const QString failure =
        ui::writeExport(chart.exportSource(QFileInfo(out).completeBaseName()), how, out);
    if (!failure.isEmpty()) {
        return fail(QStringLiteral("%1: %2").arg(out, failure), 1);
    }
    QTextStream(stdout) << out << '\n';
    return 0;
}

}  // namespace cospadi::app
