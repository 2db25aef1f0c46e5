// Bytes against perplexity: which points lie on the front, and the table of them on made-up runs.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/report/pareto_front.h"
#include "core/report/pareto_table.h"
#include "core/report/report.h"
#include "core/report/report_table.h"
#include "tests/core/pareto_fixture.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_report_pareto {

using namespace cospadi;
using namespace pareto_fixture;
using namespace report_fixture;

namespace {

// By one pass over ascending bytes, where paretoFront() compares all pairs: a point lies on the
// front if it has the least value of its size, and less than every smaller one.
std::vector<bool> frontByRunningMinimum(const std::vector<ParetoPoint>& points) {
    std::vector<bool> front(points.size(), false);
    std::map<std::string, std::map<double, double>> least;  // by group, of each size
    for (const ParetoPoint& point : points) {
        auto& bySize = least[point.group];
        const auto known = bySize.try_emplace(point.bytes, point.value).first;
        known->second = std::min(known->second, point.value);
    }
    for (const auto& [group, bySize] : least) {
        double smallest = std::numeric_limits<double>::infinity();
        for (const auto& [bytes, value] : bySize) {
            for (std::size_t i = 0; i < points.size() && value < smallest; ++i) {
                front[i] = front[i] || (points[i].group == group && points[i].bytes == bytes &&
                                        points[i].value == value);
            }
            smallest = std::min(smallest, value);
        }
    }
    return front;
}

RunRow withSource(RunRow run, const std::string& type, std::int64_t bytes) {
    run.sourceType = type;
    run.sourceBytes = bytes;
    return run;
}

}  // namespace

class TestReportPareto : public QObject {
    Q_OBJECT

  private slots:
    // Few values, so that there are ties in bytes, in values and in both.
    void frontsAreThoseOfARunningMinimum() {
        std::mt19937 random(7);
        int marked = 0, beaten = 0;
        for (int repetition = 0; repetition < 200; ++repetition) {
            std::uniform_int_distribution<int> few(0, 6), count(0, 24), group(0, 2);
            std::vector<ParetoPoint> points(static_cast<std::size_t>(count(random)));
            for (ParetoPoint& point : points) {
                point = {std::string(1, static_cast<char>('a' + group(random))), 1.0 * few(random),
                         1.0 * few(random)};
            }
            const std::vector<bool> front = paretoFront(points);
            QCOMPARE(front, frontByRunningMinimum(points));
            const auto here = std::count(front.begin(), front.end(), true);
            marked += static_cast<int>(here);
            beaten += static_cast<int>(front.size()) - static_cast<int>(here);
        }
        QVERIFY(marked > 100 && beaten > 100);
    }

    void rowsAscendInEachMethodAndTheFrontIsMarked() {
        std::mt19937 random(11);
        std::uniform_real_distribution<double> perplexity(20, 60);
        for (int repetition = 0; repetition < 20; ++repetition) {
            std::vector<RunRow> runs = {denseRun(19.5)};
            for (const double cr : {0.6, 0.2, 0.4, 0.3, 0.5}) {
                for (const char* method : {"svd-llm", "cospadi", "rocket"}) {
                    runs.push_back(withSource(storedRun(method, cr, 2, 1, perplexity(random)),
                                              "Q4_1", 312'500));
                }
            }
            const ReportTable table = paretoTable(runs);
            QCOMPARE(table.rows.size(), 16u);
            std::vector<ParetoPoint> points;
            for (const ReportRow& row : table.rows) {
                points.push_back(
                    {"", numberOf(table, row, "bytes"), numberOf(table, row, "perplexity")});
            }
            const std::vector<bool> expected = frontByRunningMinimum(points);
            for (std::size_t i = 0; i < table.rows.size(); ++i) {
                const std::string mark = textOf(table, table.rows[i], "front");
                QCOMPARE(mark, std::string(expected[i] ? "yes" : ""));
                const bool sameLine = i > 0 && textOf(table, table.rows[i], "method") ==
                                                   textOf(table, table.rows[i - 1], "method");
                QVERIFY(!sameLine || points[i - 1].bytes < points[i].bytes);
                // A line is one run of rows: it draws as one curve.
                QCOMPARE(beginsBlock(table, i), i > 0 && !sameLine);
            }
            const std::vector<std::string> lines = linesOf(table);
            QCOMPARE(std::count(lines.begin(), lines.end(), "cospadi (fast)"), 5);
        }
    }

    void theSourceFormIsAPoint() {
        const auto tableFor = [](const std::string& type, std::int64_t bytes) {
            return paretoTable({withSource(storedRun("cospadi", 0.2, 2, 1, 25.0), type, bytes),
                                withSource(quantised("gptq", 3, 64, 29.0), type, bytes),
                                denseRun(19.5)});
        };
        const ReportTable four = tableFor("Q4_1", 312'500);
        const ReportRow& source = four.rows[0];
        QCOMPARE(textOf(four, source, "method"), std::string("source form (Q4_1)"));
        QCOMPARE(numberOf(four, source, "bytes"), 312'500.0);
        QCOMPARE(numberOf(four, source, "bits a weight"), 5.0);
        QCOMPARE(numberOf(four, source, "perplexity"), 19.5);
        QVERIFY(source.baseline);
        // 800,000 bytes at 25 lose against it; 218,750 at 29 do not.
        const auto marked = [](const ReportTable& table) {
            std::vector<std::string> lines;
            for (const ReportRow& row : table.rows) {
                if (textOf(table, row, "front") == "yes") {
                    lines.push_back(textOf(table, row, "method"));
                }
            }
            return lines;
        };
        QCOMPARE(marked(four), (std::vector<std::string>{"source form (Q4_1)", "gptq"}));
        QVERIFY(noteAbout(four, "itself has 4 bits").find("says nothing about a model in bf16") !=
                std::string::npos);
        QVERIFY(noteAbout(four, "in the model's own file (Q4_1)").find("312.5 kB") !=
                std::string::npos);
        QVERIFY(noteAbout(four, "number formats").find("gptq (bits 3): integers with 16-bit") !=
                std::string::npos);

        for (const auto& [type, bytes] : {std::pair("BF16", 1'000'000), std::pair("Q8_0", 531'250),
                                          std::pair("Q5_0", 343'750)}) {
            QVERIFY2(noteAbout(tableFor(type, bytes), "itself has 4 bits").empty(), type);
        }
        QCOMPARE(marked(tableFor("BF16", 1'000'000)),
                 (std::vector<std::string>{"source form (BF16)", "gptq", "cospadi (fast)"}));
    }

    void withoutADenseRunTheSourceHasNoPlaceOnTheFront() {
        const ReportTable table =
            paretoTable({withSource(storedRun("cospadi", 0.2, 2, 1, 25.0), "Q4_1", 312'500)});
        QCOMPARE(table.rows.size(), 2u);
        QVERIFY(std::isnan(numberOf(table, table.rows[0], "perplexity")));
        QVERIFY(textOf(table, table.rows[0], "front").empty());
        QCOMPARE(textOf(table, table.rows[1], "front"), std::string("yes"));
        QVERIFY(!noteAbout(table, "no dense run has this perplexity").empty());
    }

    void seedsAreOnePoint() {
        const ReportTable table = paretoTable(
            {storedRun("cospadi", 0.2, 2, 1, 30.0), storedRun("cospadi", 0.2, 2, 2, 50.0),
             storedRun("svd-llm", 0.2, 2, 1, 39.0), denseRun(10)});
        QCOMPARE(table.rows.size(), 3u);
        for (const ReportRow& row : table.rows) {
            if (textOf(table, row, "method") == "cospadi (fast)") {
                const auto& mean = std::get<MeanCell>(row.cells[columnOf(table, "perplexity")]);
                QCOMPARE(mean.mean, 40.0);
                QCOMPARE(static_cast<int>(mean.count), 2);
                QVERIFY(textOf(table, row, "front").empty());  // 30 alone would be on it
            } else if (textOf(table, row, "method") == "svd-llm") {
                QCOMPARE(textOf(table, row, "front"), std::string("yes"));
            }
        }
    }

    // Each model and choice of layers has a front and a source form of its own.
    void modelsAndLayersAreComparedAmongThemselves() {
        RunRow part = storedRun("cospadi", 0.2, 2, 1, 20.0);
        part.layers = "attn_k";
        part = withSettings(part, {{"layers", "attn_k"}});
        RunRow other = storedRun("cospadi", 0.2, 2, 1, 70.0);
        other.model = "/m/other.gguf";
        other = withSettings(other, {{"model", other.model}, {"model_sha256", "ef"}});
        const ReportTable table =
            paretoTable({storedRun("cospadi", 0.2, 2, 1, 40.0), part, other, denseRun(19.5)});
        QCOMPARE(table.rows.size(), 6u);
        QCOMPARE(columnOf(table, "model"), std::size_t{0});
        QCOMPARE(columnOf(table, "layers"), std::size_t{1});
        for (const ReportRow& row : table.rows) {
            const bool ofOther = textOf(table, row, "model") == "other.gguf";
            const double perplexity = numberOf(table, row, "perplexity");
            if (row.baseline) {
                QVERIFY(ofOther ? std::isnan(perplexity) : perplexity == 19.5);
            } else {
                QCOMPARE(textOf(table, row, "front"), std::string("yes"));
                const std::string layers = textOf(table, row, "layers");
                QCOMPARE(perplexity, ofOther ? 70.0 : layers == "all" ? 40.0 : 20.0);
            }
        }
    }

    void everyFormatHasTheTable() {
        const ReportTable table = paretoTable(
            {withSource(storedRun("svd-llm", 0.2, 2, 1, 90.5), "Q4_1", 312'500), denseRun(19.5)});
        QCOMPARE(QString::fromStdString(render(table, ReportFormat::Csv)),
                 QString("method,setting,bits a weight,bytes,share of bf16,perplexity,front\r\n"
                         "source form (Q4_1),,5,312500,0.3125,19.5,yes\r\n"
                         "svd-llm,cr 0.2,12.8,800000,0.8,90.5,\r\n"));
        const std::string markdown = render(table, ReportFormat::Markdown);
        QVERIFY(markdown.find("| 12.80 | 800.0 kB | 0.800 | 90.50 |") != std::string::npos);
        const std::string latex = render(table, ReportFormat::Latex);
        QVERIFY(latex.find("source form (Q4\\_1)") != std::string::npos);
    }

    void nothingFoundNamesTheCommand() {
        RunRow unmeasured = storedRun("cospadi", 0.2, 2, 1, 40.0);
        unmeasured.evaluations.clear();
        for (const std::vector<RunRow>& runs :
             {std::vector<RunRow>{}, {denseRun(19.5)}, {unmeasured, denseRun(19.5)}}) {
            std::string message;
            try {
                paretoTable(runs);
            } catch (const Error& error) {
                message = error.what();
            }
            QVERIFY(message.find("cospadi sweep resources/sweeps/pareto-bytes.yaml") !=
                    std::string::npos);
        }
        const ReportTable table = paretoTable({unmeasured, storedRun("cospadi", 0.3, 2, 1, 50.0)});
        QCOMPARE(table.rows.size(), 2u);
        QVERIFY(!noteAbout(table, "1 runs without this perplexity are left out").empty());
    }
};

COSPADI_TEST(TestReportPareto)

}  // namespace tst_report_pareto

#include "tst_report_pareto.moc"
