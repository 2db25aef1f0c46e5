// The file of figures: what is saved is found again, and what is damaged is named.
#include <QtTest>
#include <fstream>

#include "core/report/figure_design.h"
#include "core/report/table_design.h"
#include "tests/core/message_of.h"
#include "tests/core/own_folder.h"
#include "tests/registered_test.h"

namespace tst_figure_design {

using namespace cospadi;

namespace {

FigureDesign someFigure() {
    FigureDesign figure;
    figure.name = "error over rho";
    figure.axes = {"rho", "error", "cr", "layers"};
    figure.isLogY = true;
    figure.runs.filter.method = "cospadi";
    figure.runs.filter.includeArchived = true;
    figure.runs.tags = {"paper"};
    figure.runs.cr = {0.2, 0.3};
    figure.runs.where = conditionsIn("rho>=2 calibration.sequences=64,128");
    return figure;
}

}  // namespace

class TestFigureDesign : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void figuresAreFoundAgain() {
        const auto file = place("deep/figures.json");
        QVERIFY(savedFigures(file).empty());
        QVERIFY(!findSavedFigure(file, "error over rho"));
        saveFigure(file, someFigure());
        FigureDesign other;
        other.name = "other";
        other.chart = "parallel";
        other.parallel = ParallelChoice{{"error", "cr"}, {"seconds"}, "piqa/acc_norm"};
        other.sweep = SweepChoice{"night", {"cr", "rho", "status"}};
        // Words, and twice the same field: both count.
        other.runs.where = conditionsIn("\"block 3\" up method:ksvd method:packed");
        saveFigure(file, other);
        const FigureDesign found = savedFigure(file, "error over rho");
        QCOMPARE(found.chart, std::string("ablation"));
        QVERIFY(found.axes == someFigure().axes);
        QVERIFY(!found.isLogX && found.isLogY);
        QCOMPARE(found.runs.filter.method, std::string("cospadi"));
        QVERIFY(found.runs.filter.includeArchived);
        QCOMPARE(found.runs.tags, someFigure().runs.tags);
        QCOMPARE(found.runs.cr, someFigure().runs.cr);
        QCOMPARE(found.runs.where.size(), std::size_t{2});
        for (const RunCondition& condition : someFigure().runs.where) {
            QVERIFY(std::find(found.runs.where.begin(), found.runs.where.end(), condition) !=
                    found.runs.where.end());
        }
        QVERIFY(!found.parallel && !found.sweep);
        QVERIFY(savedFigure(file, "other").runs.where == other.runs.where);
        QVERIFY(savedFigure(file, "other").parallel == other.parallel);
        QVERIFY(savedFigure(file, "other").sweep == other.sweep);
        FigureDesign changed = someFigure();
        changed.axes.y = "perplexity";
        saveFigure(file, changed);
        QCOMPARE(savedFigures(file).size(), std::size_t{2});
        QCOMPARE(savedFigures(file)[0].axes.y, std::string("perplexity"));
        forgetFigure(file, "other");
        QVERIFY(messageOf([&] { savedFigure(file, "other"); }).find("error over rho") !=
                std::string::npos);
        QVERIFY(messageOf([&] { saveFigure(file, {}); }) != "no error");
    }

    // `report --saved NAME` means one thing.
    void aNameIsATablesOrAFigures() {
        const auto figures = place("both/figures.json");
        const auto tables = place("both/tables.json");
        saveFigure(figures, someFigure());
        TableDesign table;
        table.name = "error over rho";
        QVERIFY(messageOf([&] { saveTable(tables, table); }).find("figure") != std::string::npos);
        table.name = "main";
        saveTable(tables, table);
        FigureDesign figure = someFigure();
        figure.name = "main";
        QVERIFY(messageOf([&] { saveFigure(figures, figure); }).find("table") != std::string::npos);
        QCOMPARE(savedFigures(figures).size(), std::size_t{1});
        QCOMPARE(savedTables(tables).size(), std::size_t{1});
    }

    void aSeriesIsItsData() {
        const SeriesOptions series = seriesOf(someFigure());
        QCOMPARE(series.kind, std::string("ablation"));
        QCOMPARE(series.metric, std::string("error"));
        QCOMPARE(series.axes.facet, std::string("layers"));
        FigureDesign map = someFigure();
        map.chart = "error-map";
        QVERIFY(messageOf([&] { seriesOf(map); }).find("error over rho") != std::string::npos);
    }

    void damagedFiles_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("says");
        QTest::newRow("no JSON") << QByteArray("{") << "not an object";
        QTest::newRow("newer") << QByteArray(R"({"format": 2, "figures": []})") << "format 2";
        QTest::newRow("no figures") << QByteArray(R"({"format": 1})") << "figures";
        QTest::newRow("no name") << QByteArray(R"({"format": 1, "figures": [{}]})") << "name";
        QTest::newRow("x is a number")
            << QByteArray(R"({"format": 1, "figures": [{"name": "f", "x": 3}]})") << "\"x\"";
        QTest::newRow("an order that is none")
            << QByteArray(R"({"format": 1, "figures": [{"name": "f", "axes": {"order": "cr"}}]})")
            << "\"order\"";
        QTest::newRow("a sweep that is none")
            << QByteArray(R"({"format": 1, "figures": [{"name": "f", "sweep": "night"}]})")
            << "sweep of \"f\"";
        QTest::newRow("a filter that is none")
            << QByteArray(
                   R"({"format": 1, "figures": [{"name": "f", "runs": {"where": ["rho>="]}}]})")
            << "rho>=";
    }

    void damagedFiles() {
        QFETCH(QByteArray, content);
        QFETCH(QString, says);
        const auto file = place("damaged.json");
        std::ofstream(file, std::ios::binary) << content.toStdString();
        const QString message = QString::fromStdString(messageOf([&] { savedFigures(file); }));
        QVERIFY2(message.contains(says), qPrintable(message));
    }
};

COSPADI_TEST(TestFigureDesign)

}  // namespace tst_figure_design

#include "tst_figure_design.moc"
