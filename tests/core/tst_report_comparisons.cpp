// Which runs a table sets side by side: unlike ones never share a cell, what cannot be compared is
// not ranked, and what differs behind the rows (bytes, number formats) stands in the notes; in
// pivots and in the paper's table.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/methods/method.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/report/equal_bytes.h"
#include "core/report/paper_table.h"
#include "core/report/pivot.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_metrics.h"
#include "core/report/source_note.h"
#include "core/report/storage_notes.h"
#include "core/store/run_settings.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_report_comparisons {

using namespace cospadi;
using namespace report_fixture;
using nlohmann::json;

class TestReportComparisons : public QObject {
    Q_OBJECT

  private slots:
    // Two sizes of calibration: shown is the one that fills more cells, the other named, nothing
    // mixed; alone in the table with a cell that has only the other, nothing is ranked.
    void unlikeRunsAreNotMixed() {
        std::vector<RunRow> runs = {
            storedRun("cospadi", 0.2, 2, 1, 50.0, 64), storedRun("cospadi", 0.2, 2, 1, 90.0, 16),
            storedRun("cospadi", 0.3, 2, 1, 70.0, 16), storedRun("svd-llm", 0.2, 2, 1, 80.0, 16)};
        ReportTable table = pivot(runs, {});
        QCOMPARE(numberIn(table.rows[1].cells[1]), 90.0);
        QVERIFY(noteAbout(table, "cells also differ").empty());
        QCOMPARE(rankCells(table)[0][1], 1);  // svd-llm's 80, against the run that is like it
        runs.pop_back();
        runs.push_back(storedRun("svd-llm", 0.3, 2, 1, 99.0, 64));
        runs.push_back(storedRun("svd-llm", 0.2, 2, 1, 98.0, 64));
        table = pivot(runs, {});
        QCOMPARE(numberIn(table.rows[1].cells[1]), 50.0);
        QCOMPARE(numberIn(table.rows[1].cells[2]), 70.0);  // of the other kind
        QVERIFY(noteAbout(table, "nothing is ranked").find("calibration.sequences") !=
                std::string::npos);
        for (const auto& row : rankCells(table)) {
            QVERIFY(std::all_of(row.begin(), row.end(), [](int rank) { return rank == 0; }));
        }
        runs.erase(runs.end() - 2, runs.end());
        table = pivot(runs, {});
        QCOMPARE(numberIn(table.rows[0].cells[1]), 90.0);
        QCOMPARE(static_cast<int>(std::get<MeanCell>(table.rows[0].cells[1]).count), 1);
        QVERIFY(!noteAbout(table, "1 runs are left out").empty());
        QVERIFY(noteAbout(table, "left out").find("calibration.sequences") != std::string::npos);
        PivotOptions options;
        options.columns = {"cr", "calibration.sequences"};
        table = pivot(runs, options);
        QCOMPARE(static_cast<int>(table.columns.size()), 4);
        QVERIFY(noteAbout(table, "differ").empty());
    }

    // Plain errors beside whitened ones, and perplexities of another text.
    void whatCannotBeComparedIsNotRanked() {
        std::vector<RunRow> runs = {storedRun("cospadi", 0.2, 2, 1, 50.0),
                                    storedRun("svd", 0.2, 2, 1, 90.0)};
        PivotOptions options;
        options.metric = "error";
        ReportTable table = pivot(runs, options);
        QVERIFY(!noteAbout(table, "nothing is ranked").empty());
        QCOMPARE(rankCells(table)[0][1], 0);
        QCOMPARE(rankCells(table)[1][1], 0);
        table = pivot(runs, {});  // perplexities can be
        QVERIFY(noteAbout(table, "ranked").empty());
        QCOMPARE(rankCells(table)[1][1], 1);

        runs.push_back(storedRun("svd-llm", 0.2, 2, 1, 60.0));
        runs.back().evaluations.front().textSha256 = "another text";
        table = pivot(runs, {});
        QCOMPARE(static_cast<int>(table.rows.size()), 2);
        QVERIFY(
            !noteAbout(table, "1 runs are left out: they have perplexity of another text").empty());
    }

    // All have both: that over most of the text is shown, and the whole text is more than any part
    // of it. What more runs have comes first.
    void ofEquallyCommonMeasuresTheLongestIsShown() {
        const auto measuredOn = [](const std::vector<std::int64_t>& tokens) {
            RunRow run = storedRun("cospadi", 0.2, 2, 1, 50.0);
            const EvaluationRow one = run.evaluations.front();
            run.evaluations.clear();
            for (const std::int64_t count : tokens) {
                run.evaluations.push_back(one);
                run.evaluations.back().maxTokens = count;
            }
            return run;
        };
        const auto shown = [](const std::vector<RunRow>& runs) {
            return commonMeasure(runs).maxTokens;
        };
        QCOMPARE(shown({measuredOn({512, 65'536}), measuredOn({65'536, 512})}),
                 std::int64_t{65'536});
        QCOMPARE(shown({measuredOn({65'536, 0}), measuredOn({0, 65'536})}), std::int64_t{0});
        QCOMPARE(shown({measuredOn({512, 65'536}), measuredOn({512})}), std::int64_t{512});
    }

    // Where both are there, the ablation shows what takes the same bytes; else all that there is.
    void equalBytesArePreferred() {
        const auto run = [](const char* accounting, int bits, double rho, double measured) {
            RunRow row = withSettings(storedRun("cospadi", 0.2, rho, 1, 50.0),
                                      {{"accounting", accounting}, {"coefficient_bits", bits}});
            row.layerBytes = std::llround(1e6 * (1 - measured));
            return row;
        };
        const std::vector<RunRow> unequal = {run("eq11", 0, 1.5, 0.22), run("eq11", 0, 2, 0.2),
                                             run("eq11", 0, 3, 0.2)};
        const std::vector<RunRow> equal = {run("packed", 14, 1.5, 0.2005),
                                           run("packed", 14, 2, 0.2)};
        PivotOptions byRho;
        byRho.columns = {"rho"};
        std::vector<RunRow> runs = unequal;
        QCOMPARE(static_cast<int>(preferEqualBytes(runs)), 0);
        QVERIFY2(!noteAbout(pivot(runs, byRho), "bytes are not the same").empty(),
                 "unequal rows say so");
        runs.insert(runs.end(), equal.begin(), equal.end());
        QCOMPARE(static_cast<int>(preferEqualBytes(runs)), 3);
        QCOMPARE(static_cast<int>(runs.size()), 2);
        QVERIFY(noteAbout(pivot(runs, byRho), "bytes are not the same").empty());
        // One run at equal bytes is no ablation; nor is one on other layers, or at another CR.
        runs = unequal;
        runs.push_back(equal[1]);
        QCOMPARE(static_cast<int>(preferEqualBytes(runs)), 0);
        runs = unequal;
        for (RunRow row : equal) {
            runs.push_back(withSettings(row, {{"layers", "ffn"}}));
        }
        QCOMPARE(static_cast<int>(preferEqualBytes(runs)), 0);
    }

    // Another model's measures take no cells away, unlike runs are not mixed, seeds are a mean.
    void paperTableKeepsKindsApart() {
        std::vector<RunRow> runs;
        const auto add = [&](RunRow run, std::vector<TaskResultRow> results) {
            run.taskResults = std::move(results);
            runs.push_back(std::move(run));
        };
        add(storedRun("cospadi", 0.2, 2, 1, 0), {taskResult("piqa", 0.60, 100)});
        add(storedRun("cospadi", 0.2, 2, 2, 0), {taskResult("piqa", 0.70, 100)});
        runs.back().relativeError += 0.001;
        add(storedRun("cospadi", 0.2, 3, 1, 0), {taskResult("piqa", 0.99, 100)});
        add(storedRun("cospadi", 0.3, 2, 1, 0), {taskResult("piqa", 0.55, 100)});
        add(storedRun("svd-llm", 0.2, 2, 1, 0), {taskResult("piqa", 0.40, 100)});
        RunRow partial = storedRun("cospadi", 0.2, 2, 1, 0);
        partial.layers = "ffn";
        partial.specification = withSettings(partial, {{"layers", "ffn"}}).specification;
        add(partial, {taskResult("piqa", 0.98, 100)});
        for (int seed = 1; seed <= 3; ++seed) {
            RunRow other = withSettings(storedRun("cospadi", 0.2, 2, seed, 0),
                                        {{"model_sha256", "other"}, {"model", "/m/other.gguf"}});
            other.model = "/m/other.gguf";
            add(other, {taskResult("piqa", 0.5, 1838)});
        }
        std::vector<RunRow> newestFirst(runs.rbegin(), runs.rend());
        const ReportTable table = paperTable(newestFirst, {});
        QCOMPARE(table.rows.size(), 4u);
        QVERIFY(noteAbout(table, "also differ").empty());
        const auto cellOf = [&](const std::string& model) {
            for (const ReportRow& row : table.rows) {
                if (std::get<std::string>(row.cells[0]) == model && numberIn(row.cells[1]) == 0.2 &&
                    std::get<std::string>(row.cells[2]) != "svd-llm") {
                    return std::get<MeanCell>(row.cells[3]);
                }
            }
            return MeanCell();
        };
        QCOMPARE(cellOf("smol").count, 2);
        QVERIFY(std::abs(cellOf("smol").mean - 65) < 1e-9);
        QVERIFY(std::abs(cellOf("smol").deviation - 10 / std::sqrt(2.0)) < 1e-9);
        QVERIFY(std::abs(cellOf("other").mean - 50) < 1e-9);
        QVERIFY(noteAbout(table, "left out: they share a row").find("rho") != std::string::npos);
        QVERIFY(!noteAbout(table, "1 runs with results are left out: they compress").empty());
    }

    void paperTableMarksWhatIsImported() {
        RunRow own = storedRun("svd-llm", 0.2, 2, 1, 0);
        own.taskResults = {taskResult("piqa", 0.40, 100)};
        RunRow theirs = importedRun({{"method", "svd-llm"}, {"cr", 0.2}, {"source", "its paper"}});
        theirs.taskResults = {taskResult("piqa", 0.45, 100)};
        RunRow more = theirs;  // other tasks of the same model
        more.taskResults = {taskResult("sciq", 0.75, 100)};
        RunRow other = importedRun({{"method", "LLM-Pruner"}, {"cr", 0.2}, {"bytes", 123}});
        other.taskResults = {taskResult("piqa", 0.35, 100)};
        const ReportTable table = paperTable({own, theirs, more, other}, {});
        QCOMPARE(table.rows.size(), 3u);
        std::map<std::string, double> piqa;
        for (const ReportRow& row : table.rows) {
            QCOMPARE(numberIn(row.cells[1]), 0.2);
            QVERIFY(!row.baseline);
            piqa[std::get<std::string>(row.cells[2])] = numberIn(row.cells[3]);
            if (std::get<std::string>(row.cells[2]) == "svd-llm (imported)") {
                QCOMPARE(numberIn(row.cells[8]), 75.0);
            }
        }
        QCOMPARE(piqa, (std::map<std::string, double>{{"svd-llm", 40.0},
                                                      {"svd-llm (imported)", 45.0},
                                                      {"LLM-Pruner (imported)", 35.0}}));
        QVERIFY(
            noteAbout(table, "as stated, not as measured").find("svd-llm (imported), its paper") !=
            std::string::npos);
        QVERIFY(noteAbout(table, "also differ").empty());
        // A name alone does not make it the same model.
        theirs.specification = withSettings(theirs, {{"model_sha256", nullptr}}).specification;
        QVERIFY(noteAbout(paperTable({own, theirs}, {}), "also differ").find("model") !=
                std::string::npos);
    }

    // At ρ below 2 eq 11 leaves bytes unused; and rows of other number formats say so.
    void storageBehindRowsIsTold() {
        RunRow thin = storedRun("cospadi", 0.2, 1.5, 1, 50.0);
        thin.layerBytes = 773'000;  // CR 0.227
        std::vector<RunRow> runs = {storedRun("cospadi", 0.2, 2, 1, 45.0), thin};
        PivotOptions options;
        options.columns = {"rho"};
        const std::string bytes = noteAbout(pivot(runs, options), "bytes are not the same");
        QCOMPARE(bytes, std::string("bytes are not the same at cr 0.2: as measured rho 2 0.2000; "
                                    "rho 1.5 0.2270"));
        runs[1].layerBytes = 800'000;
        QVERIFY(noteAbout(pivot(runs, options), "bytes are not").empty());
        QVERIFY(noteAbout(pivot(runs, options), "number formats").empty());
        runs.push_back(
            withSettings(storedRun("cospadi", 0.2, 2, 1, 40.0), {{"accounting", "packed"}}));
        runs.push_back(storedRun("svd-llm", 0.2, 2, 1, 300.0));
        QCOMPARE(
            noteAbout(pivot(runs, options), "number formats"),
            std::string("rows of different number formats are compared: cospadi (fast): 16-bit "
                        "dictionary, 14-bit coefficients (short exponents); cospadi (fast, "
                        "packed): 16-bit dictionary, 9-bit coefficients (short exponents); "
                        "svd-llm: 16-bit factors"));
        runs.erase(runs.begin(), runs.end() - 1);
        options.columns = {"cr"};
        for (const char* accounting : {"packed", "packed8"}) {
            runs.push_back(
                withSettings(storedRun("svd-llm", 0.2, 2, 1, 90.0), {{"accounting", accounting}}));
        }
        QCOMPARE(noteAbout(pivot(runs, options), "number formats"),
                 std::string("rows of different number formats are compared: svd-llm: 16-bit "
                             "factors; svd-llm (packed): 16-bit left factor, 9-bit right factor "
                             "(short exponents); svd-llm (packed8): 8-bit left factor, 10-bit "
                             "right factor (short exponents)"));
        // K-SVD's coefficients lose mantissa, as published, those of fast exponent.
        runs = {storedRun("cospadi", 0.2, 2, 1, 45.0),
                withSettings(storedRun("cospadi", 0.2, 2, 1, 45.0), {{"solver", "ksvd"}})};
        QVERIFY(
            noteAbout(pivot(runs, options), "number formats")
                .find("(ksvd 60x8): 16-bit dictionary, 14-bit coefficients (short mantissas)") !=
            std::string::npos);
        runs[1] = withSettings(runs[1], {{"coefficient_format", "exponent"}});
        QVERIFY(noteAbout(pivot(runs, options), "number formats").empty());
    }

    // Of layers with ratios of their own eq 10 and eq 11 leave 16 bits and 16 − ρ all the same;
    // only the ρ of each matrix, and packing, make them differ.
    void numberFormatsOfAllocatedRuns_data() {
        QTest::addColumn<QByteArray>("fields");
        QTest::addColumn<QString>("format");
        const auto row = [](const char* name, const json& fields, const char* format) {
            QTest::newRow(name) << QByteArray::fromStdString(fields.dump()) << QString(format);
        };
        row("eq 11", {{"allocation", "knapsack"}},
            "16-bit dictionary, 14-bit coefficients (short exponents)");
        row("eq 11, given ratios", {{"ratios", {{"blk.0.attn_q", 0.3}}}, {"rho", 3}},
            "16-bit dictionary, 13-bit coefficients (short exponents)");
        row("eq 10", {{"allocation", "knapsack"}, {"accounting", "eq10"}},
            "16-bit dictionary, 16-bit coefficients");
        row("eq 11, each its ρ", {{"rho", "auto"}},
            "16-bit dictionary, coefficients in bits by the matrix (short exponents)");
        row("packed", {{"allocation", "knapsack"}, {"accounting", "packed"}},
            "16-bit dictionary, 8- to 10-bit coefficients (short exponents)");
    }

    void numberFormatsOfAllocatedRuns() {
        QFETCH(QByteArray, fields);
        QFETCH(QString, format);
        const RunRow run =
            withSettings(storedRun("cospadi", 0.2, 2, 1, 45.0), json::parse(fields.toStdString()));
        QVERIFY(specificationOf(run));
        QCOMPARE(QString::fromStdString(numberFormat(run)), format);
    }

    // A model lies elsewhere on another machine, and two may have files of one name.
    void modelsAreToldByWhatTheyHold() {
        const auto of = [](RunRow run, const char* path, const char* sha256) {
            run.model = path;
            run.modelSha256 = sha256;
            run.sourceType = "Q4_1";
            run.sourceBytes = 300'000;
            return run;
        };
        const RunRow run = storedRun("cospadi", 0.2, 2, 1, 45.0);
        const RunRow here = of(run, "/here/m.gguf", "ab");
        const RunRow there = of(run, "/there/m.gguf", "ab");
        const RunRow other = of(run, "/there/m.gguf", "cd");
        QCOMPARE(sourceNotes({here, there}).size(), 1u);
        QCOMPARE(sourceNotes({here, there, other}).size(), 2u);
        RunRow dense = of(storedRun("dense", 0, 2, 1, 33.8), "/there/m.gguf", "ab");
        dense.layerBytes = dense.denseBytes = 0;
        QVERIFY(bytesCell(dense, {here}) == ReportCell(std::int64_t{1'000'000}));
        dense.modelSha256 = "ef";
        QVERIFY(bytesCell(dense, {other}) == ReportCell());
    }

    // Every method says what its files hold, and none another's.
    void everyMethodHasItsNumberFormat() {
        const std::map<std::string, std::string> weights = {
            {"rtn", "integers with 16-bit scales"},
            {"gptq", "integers with 16-bit scales"},
            {"wanda", "16-bit weights where they are kept"},
            {"sparsegpt", "16-bit weights where they are kept"},
            {"replaceme", "16-bit weights in the blocks that are kept"},
            {"dense", ""}};
        for (const Method* method : methods()) {
            const std::string format = numberFormat(storedRun(method->name(), 0.2, 2, 1, 45.0));
            if (const auto known = weights.find(method->name()); known != weights.end()) {
                QCOMPARE(format, known->second);
            } else if (isSparse(*method)) {
                QVERIFY2(format.rfind("16-bit dictionary, ", 0) == 0, format.c_str());
            } else {
                QCOMPARE(format, std::string("16-bit factors"));
            }
        }
    }
};

COSPADI_TEST(TestReportComparisons)

}  // namespace tst_report_comparisons

#include "tst_report_comparisons.moc"
