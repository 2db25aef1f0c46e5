// What a pivot's cells hold: means and deviations over seeds, every metric, settings that do not
// apply, standard errors; among which of them the best is looked for; and what a wrong question is
// answered.
#include <QProcess>
#include <QtTest>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/report/pivot.h"
#include "core/report/report.h"
#include "core/report/series.h"
#include "core/report/table_layout.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_report_pivot {

using namespace cospadi;
using namespace report_fixture;

class TestReportPivot : public QObject {
    Q_OBJECT

  private slots:
    // Means and deviations against Python's statistics module.
    void meansOverSeeds() {
        const std::vector<double> values = {40.25, 41.5, 43.125};
        std::vector<RunRow> runs = {storedRun("svd-llm", 0.2, 2, 42, 358.0),
                                    storedRun("dense", 0.2, 2, 42, 33.8)};
        for (int seed = 0; seed < 3; ++seed) {
            runs.push_back(
                storedRun("cospadi", 0.2, 2, seed, values[static_cast<std::size_t>(seed)]));
        }
        runs.push_back(storedRun("cospadi", 0.3, 2, 0, 60.0));
        runs.push_back(storedRun("svd-llm", 0.3, 2, 0, 700.0));
        const ReportTable table = pivot(runs, {});
        QCOMPARE(static_cast<int>(table.rows.size()), 3);
        QCOMPARE(static_cast<int>(table.columns.size()), 3);
        QCOMPARE(table.columns[1].name, std::string("cr 0.2"));
        QProcess python;
        python.start("python3", {"-c",
                                 "import statistics as s\n"
                                 "v = [40.25, 41.5, 43.125]\n"
                                 "print(s.mean(v), s.stdev(v))"});
        QVERIFY(python.waitForFinished());
        const QList<QByteArray> expected = python.readAllStandardOutput().trimmed().split(' ');
        const auto mean = std::get<MeanCell>(table.rows[2].cells[1]);
        QVERIFY(std::abs(mean.mean - expected[0].toDouble()) < 1e-12);
        QVERIFY(std::abs(mean.deviation - expected[1].toDouble()) < 1e-12);
        QCOMPARE(static_cast<int>(mean.count), 3);

        // The dense model stands in both columns and is never the best.
        QCOMPARE(numberIn(table.rows[0].cells[1]), 33.8);
        QCOMPARE(numberIn(table.rows[0].cells[2]), 33.8);
        const std::string markdown = render(table, ReportFormat::Markdown);
        QVERIFY2(markdown.find("| **41.62 ± 1.44 (n=3)** | **60.00** |") != std::string::npos,
                 markdown.c_str());
        QVERIFY(markdown.find("| <u>358.00</u> | <u>700.00</u> |") != std::string::npos);
        QVERIFY(markdown.find("| dense | 33.80 | 33.80 |") != std::string::npos);
        const std::string csv = render(table, ReportFormat::Csv);
        QVERIFY2(csv.starts_with("method,cr 0.2,cr 0.2 std,cr 0.2 n,cr 0.3\r\n"), csv.c_str());
        QVERIFY(!noteAbout(table, "wiki.txt, context 512").empty());
        QVERIFY(noteAbout(table, "differ in").empty());
    }

    // What ρ is nothing to stands in every column of ρ.
    void settingsThatDoNotApply() {
        const std::vector<RunRow> runs = {storedRun("cospadi", 0.2, 1.5, 1, 50.0),
                                          storedRun("cospadi", 0.2, 3, 1, 45.0),
                                          storedRun("svd-llm", 0.2, 2, 1, 358.0)};
        PivotOptions options;
        options.columns = {"rho"};
        ReportTable table = pivot(runs, options);
        QCOMPARE(static_cast<int>(table.columns.size()), 3);
        QCOMPARE(numberIn(table.rows[0].cells[1]), 358.0);
        QCOMPARE(numberIn(table.rows[0].cells[2]), 358.0);
        // Methods across: the best of each row is bold.
        options.rows = {"rho"};
        options.columns = {"method"};
        table = pivot(runs, options);
        QCOMPARE(static_cast<int>(table.rows.size()), 2);
        QCOMPARE(rankCells(table)[0][2], 1);
        QCOMPARE(rankCells(table)[0][1], 2);
    }

    // Where no axis has the methods, a run to which a setting does not apply would pass for one
    // that has it: it has a row of its own.
    void nothingPassesForWhatItIsNot() {
        const std::vector<RunRow> runs = {storedRun("cospadi", 0.2, 1.5, 1, 50.0),
                                          storedRun("cospadi", 0.3, 3, 1, 45.0),
                                          storedRun("dense", 0.2, 2, 42, 33.8)};
        PivotOptions options;
        options.rows = {"rho", "solver"};
        const ReportTable table = pivot(runs, options);
        QCOMPARE(static_cast<int>(table.rows.size()), 3);
        int empty = 0;
        for (const ReportRow& row : table.rows) {
            const bool isDense = std::get<std::string>(row.cells[0]) == "dense";
            QCOMPARE(row.baseline, isDense);
            for (std::size_t cell = 2; cell < row.cells.size(); ++cell) {
                if (isDense) {  // in every ratio
                    QCOMPARE(numberIn(row.cells[cell]), 33.8);
                } else {
                    empty += std::holds_alternative<std::monostate>(row.cells[cell]) ? 1 : 0;
                }
            }
        }
        QCOMPARE(empty, 2);
    }

    // A pattern 2:4 saves what it saves: it stands at CR 0.6 with less saved, and is no rival
    // there.
    void withoutARequestedRatioNothingIsRanked_data() {
        QTest::addColumn<bool>("methodsAcross");
        QTest::newRow("rows") << false;
        QTest::newRow("columns") << true;
    }

    void withoutARequestedRatioNothingIsRanked() {
        QFETCH(bool, methodsAcross);
        RunRow pattern =
            withSettings(storedRun("wanda", 0.4366, 2, 1, 200.0), {{"pattern", "2:4"}});
        pattern.layerBytes = 563'400;
        const std::vector<RunRow> runs = {pattern, storedRun("wanda", 0.6, 2, 1, 500.0),
                                          storedRun("sparsegpt", 0.6, 2, 1, 400.0)};
        PivotOptions options;
        if (methodsAcross) {
            std::swap(options.rows, options.columns);
        }
        const ReportTable table = pivot(runs, options);
        const auto ranks = rankCells(table);
        std::map<double, int> rankOf;
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            for (std::size_t column = 1; column < table.columns.size(); ++column) {
                rankOf[numberIn(table.rows[row].cells[column])] = ranks[row][column];
            }
        }
        QCOMPARE(rankOf, (std::map<double, int>{{200.0, 0}, {400.0, 1}, {500.0, 2}}));
        QCOMPARE(noteAbout(table, "without a requested cr"),
                 std::string("without a requested cr, and so not ranked: as measured wanda "
                             "(pattern 2:4) 0.4366"));
    }

    // At each ratio and of each model one's best; of a ratio that stands nowhere nothing.
    void onlyTheLikeAreRanked() {
        std::vector<RunRow> runs = {
            storedRun("svd-llm", 0.2, 2, 1, 60.0), storedRun("svd-llm", 0.3, 2, 1, 90.0),
            storedRun("cospadi", 0.2, 2, 1, 50.0), storedRun("cospadi", 0.3, 2, 1, 70.0)};
        PivotOptions options;
        options.rows = {"method", "cr"};
        options.columns = {};
        using Ranks = std::vector<std::vector<int>>;
        QCOMPARE(rankCells(pivot(runs, options)),
                 (Ranks{{0, 0, 2}, {0, 0, 2}, {0, 0, 1}, {0, 0, 1}}));
        options.rows = {"layers"};
        options.columns = {"cr", "method"};
        QCOMPARE(rankCells(pivot(runs, options)), (Ranks{{0, 2, 1, 2, 1}}));
        for (const auto& [method, perplexity] :
             {std::pair("svd-llm", 30.0), std::pair("cospadi", 20.0)}) {
            RunRow other = withSettings(storedRun(method, 0.2, 2, 1, perplexity),
                                        {{"model", "/m/tiny.gguf"}, {"model_sha256", "ef"}});
            other.model = "/m/tiny.gguf";
            runs.push_back(other);
        }
        options.rows = {"model", "method"};
        options.columns = {"cr"};
        QCOMPARE(rankCells(pivot(runs, options)),
                 (Ranks{{0, 0, 2, 2}, {0, 0, 1, 1}, {0, 0, 2, 0}, {0, 0, 1, 0}}));
        options.rows = {"method"};
        options.columns = {};
        const ReportTable mixed = pivot({runs[1], runs[2]}, options);
        QCOMPARE(rankCells(mixed), (Ranks{{0, 0}, {0, 0}}));
        QVERIFY(!noteAbout(mixed, "nothing is ranked: the cells differ in cr").empty());
    }

    void otherMetrics_data() {
        QTest::addColumn<QString>("metric");
        QTest::addColumn<double>("value");
        QTest::newRow("error") << "error" << 0.1;
        QTest::newRow("bytes") << "bytes" << 8e5;
        QTest::newRow("multiplications") << "multiplications" << 123'456'789.0;
        QTest::newRow("seconds") << "seconds" << 11.0;
        QTest::newRow("ratio") << "ratio" << 0.2;
    }

    void otherMetrics() {
        QFETCH(QString, metric);
        QFETCH(double, value);
        PivotOptions options;
        options.metric = metric.toStdString();
        RunRow run = storedRun("cospadi", 0.2, 2, 1, 50.0);
        run.multiplications = 123'456'789;
        const ReportTable table = pivot({run}, options);
        QVERIFY(std::abs(numberIn(table.rows[0].cells[1]) - value) < 1e-9 * value);
        QVERIFY(!noteAbout(table, options.metric + ": ").empty());
    }

    // Three seeds that moved nothing are one observation; what differs in the last bit is three.
    void seedsThatMoveNothingCountOnce() {
        std::vector<RunRow> runs;
        for (int seed = 1; seed <= 3; ++seed) {
            runs.push_back(storedRun("cospadi", 0.2, 2, seed, 50.0));
            runs.push_back(storedRun("svd-llm", 0.2, 2, seed, 60.0 + seed));
        }
        ReportTable table = pivot(runs, {});
        // svd-llm reads no seed at all: the newest run stands alone.
        QCOMPARE(std::get<MeanCell>(table.rows[0].cells[1]), (MeanCell{61.0, 0, 1}));
        QCOMPARE(std::get<MeanCell>(table.rows[1].cells[1]), (MeanCell{50.0, 0, 1}));
        QVERIFY(!noteAbout(table, "seeds with identical results").empty());
        runs[2].relativeError = std::nextafter(runs[2].relativeError, 1.0);
        table = pivot(runs, {});
        QCOMPARE(std::get<MeanCell>(table.rows[1].cells[1]).count, 2);
    }

    void standardErrorsAreOfSingleResults() {
        RunRow one = storedRun("cospadi", 0.2, 2, 1, 0);
        one.taskResults = {taskResult("piqa", 0.68, 1838)};
        one.taskResults.front().standardError = 0.0109;
        PivotOptions options;
        options.metric = "piqa/acc";
        ReportTable table = pivot({one}, options);
        TableLayout layout;
        layout.decimals = 2;
        applyLayout(table, layout);
        QCOMPARE(displayText(table.rows[0].cells[1], table.columns[1]), std::string("0.68"));
        table = pivot({one}, options);
        layout.standardErrors = true;
        applyLayout(table, layout);
        QCOMPARE(displayText(table.rows[0].cells[1], table.columns[1]), std::string("0.68 (0.01)"));
        QVERIFY(!noteAbout(table, "standard error").empty());
        QVERIFY(render(table, ReportFormat::Csv).find("cr 0.2 stderr\r\n") != std::string::npos);
    }

    void wrongPivotsAreAnswered_data() {
        QTest::addColumn<QString>("rows");
        QTest::addColumn<QString>("metric");
        QTest::addColumn<QString>("says");
        QTest::newRow("dimension") << "colour"
                                   << "error"
                                   << "calibration.sequences";
        QTest::newRow("metric") << "method"
                                << "beauty"
                                << "perplexity, error";
        QTest::newRow("series") << ""
                                << ""
                                << "error-iteration";
    }

    void wrongPivotsAreAnswered() {
        QFETCH(QString, rows);
        QFETCH(QString, metric);
        QFETCH(QString, says);
        const std::vector<RunRow> runs = {storedRun("cospadi", 0.2, 2, 1, 50.0)};
        try {
            if (rows.isEmpty()) {
                series(runs, {"spiral", "perplexity", ""});
            } else {
                PivotOptions options;
                options.rows = {rows.toStdString()};
                options.metric = metric.toStdString();
                pivot(runs, options);
            }
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains(says), error.what());
        }
    }
};

COSPADI_TEST(TestReportPivot)

}  // namespace tst_report_pivot

#include "tst_report_pivot.moc"
