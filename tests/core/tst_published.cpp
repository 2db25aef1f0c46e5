// The paper's tables as data, and one's own runs beside them. What is expected was read off the
// paper's PDF, or follows from arithmetic.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/report/paper_table.h"
#include "core/report/published.h"
#include "core/report/report.h"
#include "tests/registered_test.h"

namespace tst_published {

using namespace cospadi;

namespace {

TaskResultRow result(const char* task, const char* metric, double value, std::int64_t samples) {
    TaskResultRow row;
    row.task = task;
    row.metric = metric;
    row.filter = "none";
    row.value = value;
    row.samples = samples;
    row.shots = 0;
    row.version = "1";
    return row;
}

RunRow run(const char* id, const char* model, const char* method, double cr) {
    RunRow row;
    row.id = id;
    row.model = model;
    row.method = method;
    row.solver = "fast";
    row.status = "finished";
    row.layers = ".*";
    row.cr = cr;
    row.rho = 2;
    return row;
}

double cell(const ReportTable& table, std::size_t row, const std::string& column) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].name == column) {
            return numberIn(table.rows.at(row).cells.at(c));
        }
    }
    return -1;
}

}  // namespace

class TestPublished : public QObject {
    Q_OBJECT

  private slots:
    void allTablesAreThere() {
        const std::vector<PublishedTable> tables = publishedTables();
        QCOMPARE(tables.size(), std::size_t{17});
        for (std::size_t i = 0; i < tables.size(); ++i) {
            QCOMPARE(tables[i].number, std::to_string(i + 1));
            QVERIFY(!tables[i].caption.empty());
            QVERIFY(!tables[i].rows.empty());
            for (const ReportFormat format : {ReportFormat::Csv, ReportFormat::Latex}) {
                QVERIFY(!render(tableOf(tables[i]), format).empty());
            }
        }
    }

    // Printed averages are those of the printed tasks, to the rounding of one decimal.
    void averagesAgree() {
        const std::set<std::string> tasks = {"piqa",     "hellaswag",     "lambada_openai",
                                             "arc_easy", "arc_challenge", "sciq",
                                             "race",     "mmlu"};
        int checked = 0;
        for (const char* name : {"main-results", "main-llama3-8b-train-free", "main-llama3-8b"}) {
            for (const PublishedRow& row : publishedTable(name).rows) {
                double sum = 0;
                std::size_t count = 0;
                for (const auto& [key, value] : row.values) {
                    count += tasks.contains(key) ? 1 : 0;
                    sum += tasks.contains(key) ? value : 0;
                }
                if (count == tasks.size() && row.values.contains("average")) {
                    QVERIFY2(std::abs(sum / 8 - row.values.at("average")) < 0.11,
                             row.methodText.c_str());
                    ++checked;
                }
            }
        }
        QVERIFY(checked >= 20);
    }

    void namesAndNumbersFindATable() {
        QCOMPARE(publishedTable("3").name, std::string("main-results"));
        QCOMPARE(publishedTable("main-results").number, std::string("3"));
        try {
            publishedTable("99");
            QFAIL("was found");
        } catch (const Error& error) {
            const QString text = error.what();
            QVERIFY2(text.contains("'99'") && text.contains("3 main-results"), error.what());
        }
    }

    void modelsAreRecognised() {
        QVERIFY(sameModel("Llama3-8B", "Meta-Llama-3-8B"));
        QVERIFY(sameModel("Qwen3-8B", "qwen3_8b"));
        QVERIFY(!sameModel("Llama3-8B", "Meta-Llama-3-8B-Instruct"));
        QVERIFY(!sameModel("Qwen3-8B", "Qwen3-14B"));
    }

    void ownRunsStandBesideThePaper() {
        RunRow own = run("a", "/models/Qwen3-14B", "cospadi", 0.2);
        own.taskResults = {result("piqa", "acc", 0.5, 100), result("piqa", "acc_norm", 0.775, 100),
                           result("wikitext", "word_perplexity", 15.5, 10)};
        RunRow dense = run("b", "/models/Qwen3-14B", "dense", 0.2);
        dense.taskResults = {result("piqa", "acc_norm", 0.799, 100)};
        RunRow fewer = run("c", "/models/Qwen3-14B", "svd-llm", 0.2);
        fewer.taskResults = {result("piqa", "acc_norm", 0.9, 10)};  // of other samples
        RunRow partial = run("d", "/models/Qwen3-14B", "svd", 0.2);
        partial.layers = "ffn_up";
        partial.taskResults = own.taskResults;
        const ReportTable table =
            paperTable({own, dense, fewer, partial}, {publishedTable("main-llama3-8b")});
        std::vector<std::string> methods;
        for (const ReportRow& row : table.rows) {
            methods.push_back(std::get<std::string>(row.cells[2]));
        }
        // Dense, ours and the paper's; then CR 0.2, and so on up to 0.4.
        QCOMPARE(methods.size(), std::size_t{9});
        QCOMPARE(methods[0], std::string("dense"));
        QCOMPARE(methods[1], std::string("Qwen3 14B (paper, table 11)"));
        QCOMPARE(methods[2], std::string("cospadi (fast)"));
        QCOMPARE(methods[4], std::string("CoSpaDi (paper, table 11)"));
        QCOMPARE(cell(table, 2, "PIQA"), 77.5);
        QCOMPARE(cell(table, 2, "WikiText"), 15.5);
        QVERIFY(std::isnan(cell(table, 2, "average")));
        QCOMPARE(cell(table, 4, "PIQA"), 77.3);
        QVERIFY(std::abs(cell(table, 4, "average") - 68.3) < 0.06);
        QCOMPARE(table.notes.size(), std::size_t{2});
        QVERIFY(table.notes[0].starts_with("1 results with other samples"));
        QVERIFY(table.notes[1].starts_with("1 runs with results are left out: they compress"));
    }

    // A quick look at a few items, even the newest one, does not push the full measurements out.
    void theMeasureThatMostRunsHaveCounts() {
        RunRow quick = run("a", "m", "svd", 0.2);
        quick.taskResults = {result("piqa", "acc", 0.9, 10)};
        RunRow both = run("b", "m", "svd-llm", 0.2);
        both.taskResults = {result("piqa", "acc", 0.8, 10), result("piqa", "acc", 0.5, 200)};
        RunRow full = run("c", "m", "cospadi", 0.2);
        full.taskResults = {result("piqa", "acc", 0.6, 200)};
        const ReportTable table = paperTable({quick, both, full}, {});
        QCOMPARE(table.rows.size(), std::size_t{2});
        QCOMPARE(cell(table, 0, "PIQA"), 50.0);
        QCOMPARE(cell(table, 1, "PIQA"), 60.0);
        QVERIFY(std::any_of(table.notes.begin(), table.notes.end(), [](const std::string& note) {
            return note.starts_with("2 results with other samples");
        }));
    }

    // Runs that differ in how errors are followed are different methods.
    void labelsTellWhatDepartsFromThePaper() {
        RunRow own = run("a", "m", "cospadi", 0.2);
        QCOMPARE(methodLabel(own), std::string("cospadi (fast)"));
        own.specification = R"({"allocation": "knapsack", "propagation": "target"})";
        QCOMPARE(methodLabel(own), std::string("cospadi (fast, knapsack, target)"));
        own.specification =
            R"({"method": "svd-llm", "allocation": "knapsack", "propagation": "target"})";
        QCOMPARE(methodLabel(own), std::string("svd-llm (knapsack, target)"));
        own.specification = R"({"method": "svd-llm", "allocation": "uniform"})";
        QCOMPARE(methodLabel(own), std::string("svd-llm"));
    }

    void nothingToShowIsAnError() {
        QVERIFY_THROWS_EXCEPTION(Error, paperTable({run("a", "m", "svd", 0.2)}, {}));
    }
};

COSPADI_TEST(TestPublished)

}  // namespace tst_published

#include "tst_published.moc"
