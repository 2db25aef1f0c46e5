// Tables drawn as charts: which points, curves and ticks come of them; what is refused, by line and
// column; and the program that writes the picture.
#include <QCategoryAxis>
#include <QChart>
#include <QImage>
#include <QProcess>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "core/report/figure_design.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "tests/registered_test.h"
#include "tests/ui/runs_page_fixture.h"
#include "ui/charts/csv_figure.h"
#include "ui/charts/curve_chart.h"

namespace tst_csv_figure {

using namespace cospadi::ui;

namespace {

const QString kTable = QStringLiteral(
    "against,solver,d1,seconds,theory\n"
    "d,fast,128,0.1,0.11\n"
    "d,fast,512,6.4,6.5\n"
    "d,fast,256,0.8,0.9\r\n"
    "\n"
    "d,\"k-svd, ours\",128,0.5,\n"
    "d,\"k-svd, ours\",256,8,7\n"
    "k,fast,64,3,3\n");

CsvFigure figure() {
    CsvFigure figure;
    figure.x = "d1";
    figure.y = QStringList{"seconds"};
    figure.series = "solver";
    figure.where = QStringList{"against=d"};
    return figure;
}

}  // namespace

class TestCsvFigure : public QObject, RunsPageFixture {
    Q_OBJECT

  private slots:
    void pointsAndCurves() {
        CurveChart chart;
        QCOMPARE(drawCsvFigure(kTable, figure(), chart), QString());
        QCOMPARE(chart.curves().size(), 2);
        QCOMPARE(chart.curves()[0].name, QString("fast"));
        QCOMPARE(chart.curves()[0].points,
                 (QList<QPointF>{{128, 0.1}, {256, 0.8}, {512, 6.4}}));  // ascending
        QCOMPARE(chart.curves()[1].name, QString("k-svd, ours"));
        QCOMPARE(chart.curves()[1].points, (QList<QPointF>{{128, 0.5}, {256, 8}}));
        QVERIFY(chart.curves()[0].colour != chart.curves()[1].colour);
    }

    void secondColumnIsDashedInTheSameColour() {
        CsvFigure both = figure();
        both.y = QStringList{"seconds", "theory"};
        CurveChart chart;
        QCOMPARE(drawCsvFigure(kTable, both, chart), QString());
        QStringList names;
        for (const Curve& curve : chart.curves()) {
            names << curve.name;
            QCOMPARE(curve.pen, curve.name.endsWith("theory") ? Qt::DashLine : Qt::SolidLine);
        }
        QCOMPARE(names,
                 (QStringList{"fast", "fast, theory", "k-svd, ours", "k-svd, ours, theory"}));
        QCOMPARE(chart.curves()[0].colour, chart.curves()[1].colour);
        QCOMPARE(chart.curves()[3].points,
                 (QList<QPointF>{{256, 7}}));  // an empty cell is no point
    }

    void logarithmsOfBothAxes() {
        CsvFigure logs = figure();
        logs.logX = true;
        logs.logY = true;
        CurveChart chart;
        QCOMPARE(drawCsvFigure(kTable, logs, chart), QString());
        QVERIFY(chart.isLogarithmic());
        QCOMPARE(chart.curves()[0].points[2], QPointF(std::log10(512), 6.4));
    }

    void valuesInTheUnitsOfTheAxes() {
        CsvFigure scaled = figure();
        scaled.xScale = 0.5;
        scaled.yScale = 1000;
        CurveChart plain;
        CurveChart chart;
        QCOMPARE(drawCsvFigure(kTable, figure(), plain), QString());
        QCOMPARE(drawCsvFigure(kTable, scaled, chart), QString());
        for (qsizetype i = 0; i < plain.curves()[0].points.size(); ++i) {
            const QPointF point = plain.curves()[0].points[i];
            QCOMPARE(chart.curves()[0].points[i], QPointF(point.x() / 2, 1000 * point.y()));
        }
    }

    // As the axes that have no names of their own.
    void namedTicksAreWrittenAsOthers() {
        CurveChart chart;
        chart.resize(900, 400);
        const QString text = QString(kTable)
                                 .replace("128", "500000")
                                 .replace("256", "1000000")
                                 .replace("512", "2000000");
        QCOMPARE(drawCsvFigure(text, figure(), chart), QString());
        auto* x = static_cast<QCategoryAxis*>(chart.chart()->axes(Qt::Horizontal).first());
        const QString labels = x->categoriesLabels().join('|');
        QVERIFY2(labels.contains(QStringLiteral("2 · 10⁶")) && !labels.contains("e+"),
                 qPrintable(labels));
    }

    void whatIsRefused_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("x");
        QTest::addColumn<QString>("where");
        QTest::addColumn<bool>("logarithmic");
        QTest::addColumn<QString>("message");
        const QString two = "x,y\n1,2\n";
        QTest::newRow("no such column")
            << two << "z"
            << "" << false << "there is no column \"z\"; available: x, y";
        QTest::newRow("no number")
            << "x,y\n1,2\nbig,3\n"
            << "x"
            << "" << false << "line 3, column \"x\": \"big\" is not a number";
        QTest::newRow("a cell too many") << "x,y\n1,2,3\n"
                                         << "x"
                                         << "" << false << "line 2 has 3 cells, the header 2";
        QTest::newRow("no logarithm") << "x,y\n0,2\n"
                                      << "x"
                                      << "" << true << "line 2, column \"x\": 0 has no logarithm";
        QTest::newRow("no condition")
            << two << "x"
            << "y" << false << "\"y\" is not a condition: use COLUMN=VALUE";
        QTest::newRow("condition on no column")
            << two << "x"
            << "z=1" << false << "there is no column \"z\"; available: x, y";
        QTest::newRow("nothing meets it")
            << two << "x"
            << "y=7" << false << "no row has values and meets the conditions";
        QTest::newRow("no rows") << "x,y\n"
                                 << "x"
                                 << "" << false << "there are no rows";
        QTest::newRow("nothing") << ""
                                 << "x"
                                 << "" << false << "there is no column \"x\"; available: ";
    }

    void whatIsRefused() {
        QFETCH(QString, text);
        QFETCH(QString, x);
        QFETCH(QString, where);
        QFETCH(bool, logarithmic);
        QFETCH(QString, message);
        CsvFigure wrong;
        wrong.x = x;
        wrong.y = QStringList{"y"};
        wrong.where = where.isEmpty() ? QStringList() : QStringList{where};
        wrong.logX = logarithmic;
        CurveChart chart;
        QCOMPARE(drawCsvFigure(text, wrong, chart), message);
    }

    void theProgram_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("message");
        QTest::newRow("svg") << QStringList{"--out", "a.svg"} << 0 << "";
        QTest::newRow("pdf") << QStringList{"--out", "a.pdf", "--log-x", "--log-y"} << 0 << "";
        QTest::newRow("png") << QStringList{"--out", "a.png", "--size", "60x40"} << 0 << "";
        QTest::newRow("quantities") << QStringList{"--out", "a.svg", "--quantities"} << 0 << "";
        QTest::newRow("ending") << QStringList{"--out", "a.gif"} << 2 << "must end in";
        QTest::newRow("size") << QStringList{"--out", "a.svg", "--size", "60"} << 2
                              << "WIDTHxHEIGHT";
        QTest::newRow("no out") << QStringList{} << 2 << "--figure needs --out";
        QTest::newRow("column") << QStringList{"--out", "a.svg", "--series", "model"} << 1
                                << "there is no column \"model\"";
        QTest::newRow("folder") << QStringList{"--out", "no/such/a.svg"} << 1 << "no/such/a.svg: ";
    }

    void theProgram() {
        QFETCH(QStringList, words);
        QFETCH(int, code);
        QFETCH(QString, message);
        QTemporaryDir folder;
        QFile table(folder.filePath("t.csv"));
        QVERIFY(table.open(QIODevice::WriteOnly));
        table.write(kTable.toUtf8());
        table.close();
        QProcess program;
        program.setWorkingDirectory(folder.path());
        program.start(qEnvironmentVariable("COSPADI_WORKBENCH"),
                      QStringList{"--figure", "t.csv", "--x", "d1", "--y", "seconds"} + words);
        QVERIFY(program.waitForFinished(60000));
        const QString errors = QString::fromUtf8(program.readAllStandardError());
        QCOMPARE(program.exitStatus(), QProcess::NormalExit);
        QVERIFY2(program.exitCode() == code, qPrintable(errors));
        QVERIFY2(errors.contains(message), qPrintable(errors));
        const QStringList written = QDir(folder.path()).entryList({"a.*"}, QDir::Files);
        QCOMPARE(written.size(), code == 0 ? 1 : 0);
        if (code == 0 && written.first().endsWith("svg")) {
            const QSvgRenderer picture(folder.filePath(written.first()));
            QVERIFY(picture.isValid());
            QCOMPARE(picture.viewBox(), QRect(0, 0, 454, 302));  // 120 × 80 mm at 96 dpi
        } else if (code == 0 && written.first().endsWith("png")) {
            QCOMPARE(QImage(folder.filePath(written.first())).size(), QSize(681, 453));
        }
    }

    // From the runs there are when it is asked for.
    void theProgramDrawsASavedFigure() {
        const QTemporaryDir folder;
        qputenv("COSPADI_RUNS", folder.filePath("runs").toUtf8());
        writeRun("a", "svd-llm", 0.2, 2, 0.2, 0.6);
        writeRun("b", "svd-llm", 0.4, 2, 0.3, 0.5);
        cospadi::RunStore::open(cospadi::storePath()).importTree(cospadi::runsDirectory());
        cospadi::FigureDesign design;
        design.name = "mine";
        design.axes.y = "error";
        saveFigure(cospadi::savedFiguresPath(), design);
        // Two plots, side by side.
        writeRun("c", "svd", 0.2, 2, 0.2, 0.6);
        writeRun("d", "svd", 0.4, 2, 0.3, 0.5);
        cospadi::RunStore::open(cospadi::storePath()).importTree(cospadi::runsDirectory());
        design.name = "two";
        design.axes.facet = "method";
        saveFigure(cospadi::savedFiguresPath(), design);
        const QString picture = folder.filePath("a.svg");
        QMap<QString, int> texts;
        for (const char* name : {"mine", "two", "none of these"}) {
            QProcess program;
            program.start(
                qEnvironmentVariable("COSPADI_WORKBENCH"),
                {"--figure-saved", name, "--out", picture, "--runs", folder.filePath("runs")});
            QVERIFY(program.waitForFinished(60000));
            const QString errors = QString::fromUtf8(program.readAllStandardError());
            const bool isKnown = name != QLatin1String("none of these");
            QVERIFY2(program.exitCode() == (isKnown ? 0 : 1), qPrintable(errors));
            QVERIFY2(isKnown || errors.contains("mine"), qPrintable(errors));  // there is that one
            QVERIFY(QSvgRenderer(picture).isValid() == isKnown);
            QFile file(picture);
            const bool isThere = file.open(QIODevice::ReadOnly);
            QCOMPARE(isThere, isKnown);
            const QByteArray drawn = isThere ? file.readAll() : QByteArray();
            texts[name] = static_cast<int>(drawn.count("<text"));
            QVERIFY(!isKnown || (drawn.contains(">svd-llm<") && drawn.contains(">svd<")));
            QFile::remove(picture);
        }
        QVERIFY(texts["two"] > texts["mine"]);  // axes twice
        qunsetenv("COSPADI_RUNS");
    }
};

COSPADI_TEST(TestCsvFigure)

}  // namespace tst_csv_figure

#include "tst_csv_figure.moc"
