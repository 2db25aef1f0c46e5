// Bytes against perplexity: which points lie on the front, and the table of them on made-up runs.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/report/mean_accuracy.h"
#include "core/report/pareto_front.h"
#include "core/report/pareto_table.h"
#include "core/report/report.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_report_pareto {

using namespace cospadi;
using namespace report_fixture;
using nlohmann::json;

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

// 500,000 weights, as all runs of the fixture have.
constexpr double kWeights = 500'000;

RunRow withSource(RunRow run, const std::string& type, std::int64_t bytes) {
    run.sourceType = type;
    run.sourceBytes = bytes;
    return run;
}

RunRow denseRun(double perplexity) {
    RunRow run = storedRun("dense", 0, 2, 1, perplexity);
    run.layerBytes = 0;
    run.denseBytes = 0;
    return run;
}

RunRow quantised(const std::string& method, int bits, int groupSize, double perplexity) {
    RunRow run = withSettings(storedRun(method, 0, 2, 1, perplexity),
                              {{"bits", bits}, {"group_size", groupSize}});
    run.layerBytes = static_cast<std::int64_t>(kWeights * (bits + 32.0 / groupSize) / 8);
    run.cr = run.measuredRatio();
    return run;
}

std::size_t columnOf(const ReportTable& table, const std::string& name) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].name == name) {
            return c;
        }
    }
    return table.columns.size();
}

std::string textOf(const ReportTable& table, const ReportRow& row, const std::string& column) {
    const std::size_t c = columnOf(table, column);
    const auto* text = c < row.cells.size() ? std::get_if<std::string>(&row.cells[c]) : nullptr;
    return text != nullptr ? *text : "";
}

double numberOf(const ReportTable& table, const ReportRow& row, const std::string& column) {
    const std::size_t c = columnOf(table, column);
    return c < row.cells.size() ? numberIn(row.cells[c]) : std::nan("");
}

std::vector<std::string> linesOf(const ReportTable& table) {
    std::vector<std::string> lines;
    for (const ReportRow& row : table.rows) {
        lines.push_back(textOf(table, row, "method"));
    }
    return lines;
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
        QVERIFY(noteAbout(table, "came in 4 bits").empty());
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
        QVERIFY(noteAbout(four, "came in 4 bits").find("proves nothing about a model in bf16") !=
                std::string::npos);
        QVERIFY(noteAbout(four, "in the model's own file (Q4_1)").find("312.5 kB") !=
                std::string::npos);
        QVERIFY(noteAbout(four, "number formats").find("gptq (bits 3): integers with 16-bit") !=
                std::string::npos);

        for (const auto& [type, bytes] : {std::pair("BF16", 1'000'000), std::pair("Q8_0", 531'250),
                                          std::pair("Q5_0", 343'750)}) {
            QVERIFY2(noteAbout(tableFor(type, bytes), "came in 4 bits").empty(), type);
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
