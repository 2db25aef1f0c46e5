// What a row of the table of bytes tells: its bytes and bits, what it is compared with, its
// accuracy, and what is only stated of it.
#include <QtTest>
#include <cmath>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/report/mean_accuracy.h"
#include "core/report/pareto_table.h"
#include "core/report/report_table.h"
#include "tests/core/pareto_fixture.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_report_pareto_rows {

using namespace cospadi;
using namespace pareto_fixture;
using namespace report_fixture;
using nlohmann::json;

class TestReportParetoRows : public QObject {
    Q_OBJECT

  private slots:
    void aRowSaysWhatItsBytesAre() {
        const ReportTable table =
            paretoTable({denseRun(19.5), quantised("rtn", 4, 32, 19.5),
                         quantised("rtn", 3, 32, 30.0), quantised("rtn", 8, 64, 19.6)});
        QCOMPARE(table.rows.size(), 4u);
        // No source is known: the layers as bf16.
        QCOMPARE(textOf(table, table.rows[0], "method"), std::string("dense, as bf16"));
        QCOMPARE(numberOf(table, table.rows[0], "bits a weight"), 16.0);
        QCOMPARE(numberOf(table, table.rows[0], "share of bf16"), 1.0);
        struct Expected {
            const char* setting;
            double bits, perplexity;
        };
        // b + 32/g bits a weight; the group size is the line, the bits run along it.
        const Expected expected[] = {
            {"8 bits", 8.5, 19.6}, {"3 bits", 4.0, 30.0}, {"4 bits", 5.0, 19.5}};
        for (std::size_t i = 0; i < 3; ++i) {
            const ReportRow& row = table.rows[i + 1];
            QCOMPARE(textOf(table, row, "setting"), std::string(expected[i].setting));
            QCOMPARE(numberOf(table, row, "bits a weight"), expected[i].bits);
            QCOMPARE(numberOf(table, row, "share of bf16"), expected[i].bits / 16);
            QCOMPARE(numberOf(table, row, "bytes"), kWeights * expected[i].bits / 8);
            QCOMPARE(numberOf(table, row, "perplexity"), expected[i].perplexity);
            QCOMPARE(textOf(table, row, "front"), std::string(i == 0 ? "" : "yes"));
        }
        const std::vector<std::string> lines = linesOf(table);
        QCOMPARE(lines[2], lines[3]);
        QVERIFY(lines[1] != lines[2]);
        QVERIFY(noteAbout(table, "itself has 4 bits").empty());
    }

    // What a label does not tell never makes two points of one row, nor one of two.
    void linesTellWhatTheyCompare() {
        const std::vector<RunRow> runs = {
            storedRun("cospadi", 0.2, 2, 1, 40.0),
            storedRun("cospadi", 0.2, 3, 1, 36.0),
            storedRun("svd-llm", 0.2, 2, 1, 90.0),
            withSettings(storedRun("svd-llm", 0.2, 2, 1, 80.0), {{"accounting", "remapped"}}),
            storedRun("wanda", 0.4375, 2, 1, 50.0),
            withSettings(storedRun("wanda", 0.4375, 2, 1, 60.0), {{"pattern", "2:4"}})};
        const ReportTable table = paretoTable(runs);
        std::map<std::string, double> byLine;
        for (const ReportRow& row : table.rows) {
            byLine[textOf(table, row, "method") + "; " + textOf(table, row, "setting")] =
                numberOf(table, row, "perplexity");
        }
        QCOMPARE(table.rows.size(), 7u);
        QCOMPARE(byLine["cospadi (fast), rho 2; cr 0.2"], 40.0);
        QCOMPARE(byLine["cospadi (fast), rho 3; cr 0.2"], 36.0);
        QCOMPARE(byLine["svd-llm; cr 0.2"], 90.0);
        QCOMPARE(byLine["svd-llm (remapped); cr 0.2"], 80.0);
        QCOMPARE(byLine["wanda; cr 0.4375"], 50.0);
        QCOMPARE(byLine["wanda (pattern 2:4); "], 60.0);
        const std::string formats = noteAbout(table, "number formats");
        QVERIFY(formats.find("wanda, wanda (pattern 2:4): 16-bit weights") != std::string::npos);
    }

    void accuraciesAreMeansOverTheSameTasks() {
        QCOMPARE(columnOf(paretoTable({storedRun("cospadi", 0.2, 2, 1, 40.0)}), "accuracy"),
                 std::size_t{7});  // there is none
        RunRow both = storedRun("cospadi", 0.2, 2, 1, 40.0);
        both.taskResults = {taskResult("piqa", 0.75, 100), taskResult("sciq", 0.5, 100)};
        RunRow worse = storedRun("cospadi", 0.3, 2, 1, 45.0);
        worse.taskResults = {taskResult("piqa", 0.75, 100), taskResult("sciq", 0.25, 100)};
        RunRow one = storedRun("cospadi", 0.4, 2, 1, 50.0);
        one.taskResults = {taskResult("piqa", 0.9, 100)};
        RunRow fewer = storedRun("cospadi", 0.5, 2, 1, 60.0);
        fewer.taskResults = {taskResult("piqa", 0.9, 10), taskResult("sciq", 0.9, 10)};
        RunRow dense = denseRun(19.5);
        dense.taskResults = {taskResult("piqa", 0.8, 100), taskResult("sciq", 0.7, 100),
                             taskResult("race", 0.1, 100)};
        const ReportTable table = paretoTable({both, worse, one, fewer, dense});
        std::map<double, double> accuracies;  // by perplexity
        for (const ReportRow& row : table.rows) {
            accuracies[numberOf(table, row, "perplexity")] = numberOf(table, row, "accuracy");
        }
        QCOMPARE(accuracies.at(40), 0.625);
        QCOMPARE(accuracies.at(45), 0.5);
        QVERIFY(std::isnan(accuracies.at(50)));
        QVERIFY(std::isnan(accuracies.at(60)));
        QCOMPARE(accuracies.at(19.5), 0.75);
        QCOMPARE(noteAbout(table, "accuracy:"),
                 std::string("accuracy: mean of piqa/acc, sciq/acc"));

        both.taskResults[0].metric = "acc_norm";
        const MeanAccuracy mean({both});
        QCOMPARE(mean.metrics(), (std::vector<std::string>{"piqa/acc_norm", "sciq/acc"}));
        QVERIFY(MeanAccuracy({}).metrics().empty());
        QVERIFY(std::isnan(MeanAccuracy({}).of(both)));
    }

    // By what is stated of its bytes, and never by a perplexity or as one of ours.
    void importedRowsStandByTheirStatedBytes() {
        RunRow own = storedRun("svd-llm", 0.2, 2, 1, 40.0);
        own.taskResults = {taskResult("piqa", 0.5, 100)};
        std::vector<RunRow> runs = {own, denseRun(19.5)};
        const auto import = [&](const json& stated, double accuracy) {
            runs.push_back(importedRun(stated));
            runs.back().taskResults = {taskResult("piqa", accuracy, 100)};
        };
        import({{"method", "LLM-Pruner"},
                {"cr", 0.25},
                {"bytes", 750'000},
                { "source",
                  "its page" }},
               0.75);
        import({{"method", "LLM-Pruner"}, {"cr", 0.5}, { "bytes", 500'000 }}, 0.625);
        import({{"method", "svd-llm"}, {"label", "theirs"}, { "bytes", 800'000 }}, 0.25);
        import({{"method", "no bytes"}, { "cr", 0.5 }}, 0.9);
        const ReportTable table = paretoTable(runs);
        QCOMPARE(table.rows.size(), 5u);  // and the source form
        std::map<std::string, const ReportRow*> rows;
        for (const ReportRow& row : table.rows) {
            rows[textOf(table, row, "method") + "; " + textOf(table, row, "setting")] = &row;
        }
        struct Expected {
            const char* row;
            double bytes, accuracy;
        };
        const Expected expected[] = {
            {"LLM-Pruner (imported); cr 0.25, bytes as stated", 750'000, 0.75},
            {"LLM-Pruner (imported); cr 0.5, bytes as stated", 500'000, 0.625},
            {"svd-llm (theirs, imported); bytes as stated", 800'000, 0.25}};
        for (const Expected& one : expected) {
            QVERIFY2(rows.contains(one.row), one.row);
            const ReportRow& row = *rows.at(one.row);
            QCOMPARE(numberOf(table, row, "bytes"), one.bytes);
            // Weighed by the own run of the same layers.
            QCOMPARE(numberOf(table, row, "share of bf16"), one.bytes / 1'000'000);
            QCOMPARE(numberOf(table, row, "bits a weight"), 8 * one.bytes / kWeights);
            QCOMPARE(numberOf(table, row, "accuracy"), one.accuracy);
            QVERIFY(std::isnan(numberOf(table, row, "perplexity")));
            QVERIFY(textOf(table, row, "front").empty());
        }
        // The own row of that name and size is another one.
        QCOMPARE(numberOf(table, *rows.at("svd-llm; cr 0.2"), "perplexity"), 40.0);
        const std::string note = noteAbout(table, "as stated, not as measured");
        QVERIFY(note.find("LLM-Pruner (imported), its page") != std::string::npos);
        QVERIFY(note.find("svd-llm (theirs, imported)") != std::string::npos);
        QVERIFY(noteAbout(table, "also differ").empty());
        QVERIFY(noteAbout(table, "left out").empty());
        QVERIFY(noteAbout(paretoTable({own, denseRun(19.5)}), "as stated").empty());

        // Of a model that was never here the share is unknown, and there is no source form.
        const ReportTable alone = paretoTable({runs[2]});
        QCOMPARE(alone.rows.size(), 1u);
        QCOMPARE(numberOf(alone, alone.rows[0], "bytes"), 750'000.0);
        QVERIFY(std::isnan(numberOf(alone, alone.rows[0], "share of bf16")));
        QVERIFY(std::isnan(numberOf(alone, alone.rows[0], "bits a weight")));
        RunRow weighed =
            importedRun({{"method", "LLM-Pruner"}, {"bytes", 500'000}, {"dense_bytes", 4'000'000}});
        QCOMPARE(numberOf(paretoTable({weighed}), paretoTable({weighed}).rows[1], "bits a weight"),
                 2.0);
    }
};

COSPADI_TEST(TestReportParetoRows)

}  // namespace tst_report_pareto_rows

#include "tst_report_pareto_rows.moc"
