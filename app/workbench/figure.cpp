#include "app/workbench/figure.h"

#include <QFile>
#include <QFileInfo>
#include <QTextStream>
#include <exception>
#include <optional>

#include "core/base/error.h"
#include "core/report/figure_design.h"
#include "core/report/run_selection.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/csv_figure.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/small_multiples.h"
#include "ui/models/ablation_curves.h"
#include "ui/models/found_ablation.h"

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

// What is drawn, with the widgets that draw it.
struct Figure {
    ui::CurveChart chart;
    ui::SmallMultiples plots;  // where there are several
};

// As the Runs page would. Throws Error where there is no such figure, or nothing of it to draw.
ui::ExportSource drawnSaved(const QString& saved, const QString& title, Figure& figure) {
    const FigureDesign design = savedFigure(savedFiguresPath(), saved.toStdString());
    if (design.chart != "ablation") {
        throw Error("it is no ablation", design.name, "draw it on the page Runs");
    }
    const RunStore store = RunStore::openForReading(storePath());
    const ui::FoundAblation found =
        ui::foundAblation(selectedRuns(store, design.runs), design.axes, std::nullopt);
    const ui::AblationCharts plots = ui::chartsOf(found);
    if (plots.charts.isEmpty()) {
        throw Error(
            found.problem.isEmpty() ? "no run has both values" : found.problem.toStdString(),
            design.name, "look at its runs and axes on the page Runs");
    }
    const ui::PlotAxes axes{
        plots.xTitle, plots.yTitle, plots.xTicks, {design.isLogX, design.isLogY}, plots.wholeX};
    if (plots.charts.size() > 1) {
        QList<ui::Multiple> multiples;
        for (const ui::AblationChart& chart : plots.charts) {
            multiples.append({chart.title, chart.curves});
        }
        figure.plots.setMultiples(multiples, axes);
        return figure.plots.exportSource(title);
    }
    figure.chart.setTitles(ui::CurveChart::Titles::Stay);
    figure.chart.setAxes(axes);
    figure.chart.setCurves(plots.charts.first().curves);
    return figure.chart.exportSource(title);
}

// Throws Error naming the file that cannot be drawn.
ui::ExportSource drawnTable(const QCommandLineParser& options, const QString& title,
                            Figure& drawn) {
    const QString path = valueOf(options, "figure");
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        throw Error(file.errorString().toStdString(), path.toStdString(), "name a CSV file");
    }
    ui::CsvFigure figure;
    figure.x = valueOf(options, "x");
    figure.y = valueOf(options, "y").split(',', Qt::SkipEmptyParts);
    figure.series = valueOf(options, "series");
    figure.where = options.values(QStringLiteral("where"));
    figure.logX = isSet(options, "log-x");
    figure.logY = isSet(options, "log-y");
    if (isSet(options, "quantities") && !figure.y.isEmpty()) {
        const std::string x = figure.x.toStdString();
        const std::string y = figure.y.first().toStdString();
        figure.xTitle = ui::axisTitle(x);
        figure.yTitle = ui::axisTitle(y);
        figure.xScale = ui::inUnitsOf(x, 1);
        figure.yScale = ui::inUnitsOf(y, 1);
    }
    if (isSet(options, "x-title")) {
        figure.xTitle = valueOf(options, "x-title");
    }
    if (isSet(options, "y-title")) {
        figure.yTitle = valueOf(options, "y-title");
    }
    const QString problem =
        ui::drawCsvFigure(QString::fromUtf8(file.readAll()), figure, drawn.chart);
    if (!problem.isEmpty()) {
        throw Error(problem.toStdString(), path.toStdString(), "see its first line");
    }
    return drawn.chart.exportSource(title);
}

}  // namespace

QList<QCommandLineOption> figureOptions() {
    return {
        option("figure", "Draw a table (CSV, a header line first) as a chart, and quit", "CSV"),
        option("figure-saved",
               "Draw the ablation saved under this name from the stored runs, and quit", "NAME"),
        option("out", "With --figure and --figure-saved: the picture, .svg, .pdf or .png", "FILE"),
        option("x", "With --figure: the column along x", "COLUMN"),
        option("y", "With --figure: the columns along y, e.g. measured,theory", "COLUMNS"),
        option("series", "With --figure: the column with one value per curve", "COLUMN"),
        option("where", "With --figure: only rows with this value; may be given several times",
               "COLUMN=VALUE"),
        option("log-x", "With --figure: logarithmic x axis"),
        option("log-y", "With --figure: logarithmic y axis"),
        option("quantities",
               "With --figure: x and y are measured values of runs, with names and units as on the "
               "Runs page"),
        option("x-title", "With --figure: the title of the x axis [the column]", "TEXT"),
        option("y-title", "With --figure: the title of the y axis [the column]", "TEXT"),
        option("size", "With both: WIDTHxHEIGHT in millimetres [120x80]", "SIZE"),
    };
}

bool asksForFigure(const QCommandLineParser& options) {
    return isSet(options, "figure") || isSet(options, "figure-saved");
}

int writeFigure(const QCommandLineParser& options) {
    const bool isSaved = isSet(options, "figure-saved");
    const QStringList all{QStringLiteral("out"), QStringLiteral("x"), QStringLiteral("y")};
    for (const QString& needed : isSaved ? all.mid(0, 1) : all) {
        if (!options.isSet(needed)) {
            return fail(
                QStringLiteral("%1 needs --%2")
                    .arg(isSaved ? QStringLiteral("--figure-saved") : QStringLiteral("--figure"),
                         needed),
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
    Figure figure;
    figure.chart.resize(how.size);
    figure.plots.resize(how.size);
    try {
        const QString title = QFileInfo(out).completeBaseName();
        const ui::ExportSource source =
            isSaved ? drawnSaved(valueOf(options, "figure-saved"), title, figure)
                    : drawnTable(options, title, figure);
        const QString failure = ui::writeExport(source, how, out);
        if (!failure.isEmpty()) {
            return fail(QStringLiteral("%1: %2").arg(out, failure), 1);
        }
    } catch (const std::exception& error) {
        return fail(QString::fromUtf8(error.what()), 1);
    }
    QTextStream(stdout) << out << '\n';
    return 0;
}

}  // namespace cospadi::app
