// Tables of runs that were made of others: the global CR of up and gate by the paper's own
// arithmetic, its UG tables beside one's own runs, and values relative to 16 bits a coefficient.
#include <QtTest>
#include <cmath>
#include <functional>

#include "core/base/error.h"
#include "core/report/bit_width_table.h"
#include "core/report/global_ratio.h"
#include "core/report/paper_table.h"
#include "core/report/report.h"
#include "core/report/run_metrics.h"
#include "core/report/up_gate.h"
#include "core/store/run_settings.h"
#include "tests/core/message_of.h"
#include "tests/core/report_fixture.h"
#include "tests/core/small_runs.h"
#include "tests/registered_test.h"

namespace tst_report_derived {

using namespace cospadi;
using report_fixture::noteAbout;
using report_fixture::storedRun;
using report_fixture::taskResult;
using report_fixture::withSettings;

namespace {

constexpr const char* kUpGate = "ffn_(up|gate)";

int columnOf(const ReportTable& table, const std::string& name) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i].name == name) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

ReportCell cellOf(const ReportTable& table, std::size_t row, const std::string& column) {
    return table.rows.at(row).cells.at(static_cast<std::size_t>(columnOf(table, column)));
}

double numberOf(const ReportTable& table, std::size_t row, const std::string& column) {
    return numberIn(cellOf(table, row, column));
}

std::string textOf(const ReportTable& table, std::size_t row, const std::string& column) {
    return std::get<std::string>(cellOf(table, row, column));
}

// Of the reference model, whose headers are there: 7 layers in each of two blocks.
RunRow ofSmallModel(const std::string& method, const std::string& layers, double cr) {
    RunRow run = storedRun(method, cr, 2, 42, 20);
    run.model = small_runs::kModel.string();
    run.layers = layers;
    run.taskResults = {taskResult("piqa", 0.5 + cr / 10, 100)};
    return withSettings(run, {{"model", run.model}, {"layers", layers}});
}

RunRow shortened(RunRow run, const RunRow& of, int bits, const char* rounding, double perplexity) {
    run.evaluations[0].perplexity = perplexity;
    return withSettings(
        run, {{"derived", {{"from", of.id}, {"coefficient_bits", bits}, {"rounding", rounding}}}});
}

}  // namespace

class TestReportDerived : public QObject {
    Q_OBJECT

  private slots:
    // Linear layers of LLaMA-3-8B: 32 blocks of hidden size 4096, keys and values of 1024, and
    // 14336 in the MLP. The paper prints UG CR 0.4 as global CR 0.22 and 0.5 as 0.27 (table 6).
    void globalRatioIsThePapers_data() {
        QTest::addColumn<double>("upGate");
        QTest::addColumn<double>("global");
        QTest::newRow("0.4") << 0.4 << 0.22;
        QTest::newRow("0.5") << 0.5 << 0.27;
    }

    void globalRatioIsThePapers() {
        QFETCH(double, upGate);
        QFETCH(double, global);
        const std::int64_t attention = 2LL * 4096 * 4096 + 2LL * 4096 * 1024;
        const std::int64_t projection = 4096LL * 14336;
        const std::int64_t all = 2 * 32 * (attention + 3 * projection);
        const std::int64_t dense = 2 * 32 * 2 * projection;
        const auto bytes = static_cast<std::int64_t>((1 - upGate) * static_cast<double>(dense));
        const double found = globalRatio(bytes, dense, all);
        QCOMPARE(std::round(100 * found) / 100, global);
        const double expected = upGate * static_cast<double>(dense) / static_cast<double>(all);
        QVERIFY(std::abs(found - expected) < 1e-9);
    }

    void globalRatioHasItsEnds() {
        QCOMPARE(globalRatio(60, 100, 100), 0.4);
        QCOMPARE(globalRatio(60, 100, 400), 0.1);
        QCOMPARE(globalRatio(150, 100, 200), -0.25);  // larger than before
        QVERIFY(std::isnan(globalRatio(60, 100, 0)));
        QVERIFY(std::isnan(globalRatio(60, 100, 99)));  // of another model
    }

    void runsHaveItFromTheHeaders() {
        RunRow run = ofSmallModel("svd", kUpGate, 0.4);
        run.layerBytes = 600;
        run.denseBytes = 1000;
        const GlobalRatio global = globalRatioOf(run);
        const std::int64_t all = global.allBytes;
        QVERIFY(global.isPartial && all > run.denseBytes);
        QVERIFY(std::abs(global.ratio - 400.0 / static_cast<double>(all)) < 1e-12);
        QCOMPARE(metricOf(run, "global-ratio", {}), global.ratio);
        RunRow whole = run;
        whole.layers = ".*";
        QCOMPARE(globalRatioOf(whole).ratio, 0.4);
        QVERIFY(!globalRatioOf(whole).isPartial);
        run.model = "/nowhere/model.gguf";
        QVERIFY(!globalRatioOf(run).isKnown() && !globalRatioOf(run).isPartial);
        run.method = "dense";
        QCOMPARE(globalRatioOf(run).ratio, 0.0);
        // In the list of runs it stands where some layers were left out.
        RunRow partial = ofSmallModel("svd", kUpGate, 0.4);
        partial.denseBytes = 1000;
        QVERIFY(columnOf(tableOfRuns({whole}), "global cr") < 0);
        QVERIFY(columnOf(tableOfRuns({whole, partial}), "global cr") > 0);
    }

    void upGateIsToldByItsLayers_data() {
        QTest::addColumn<QString>("layers");
        QTest::addColumn<bool>("is");
        QTest::newRow("as the paper") << "ffn_(up|gate)" << true;
        QTest::newRow("anchored") << "^blk\\.[0-9]+\\.ffn_(gate|up)$" << true;
        QTest::newRow("a slice's") << "^(?=.*(?:ffn))(?=.*(?:up|gate))" << true;
        QTest::newRow("all") << ".*" << false;
        QTest::newRow("up") << "ffn_up" << false;
        QTest::newRow("with down") << "ffn_" << false;
        QTest::newRow("of some blocks") << "blk\\.[0-3]\\.ffn_(up|gate)" << false;
        QTest::newRow("no expression") << "ffn_(up" << false;
    }

    void upGateIsToldByItsLayers() {
        QFETCH(QString, layers);
        QFETCH(bool, is);
        QCOMPARE(isUpGate(layers.toStdString()), is);
    }

    void publishedRowsHaveTheirUpGateRatio() {
        const std::vector<PublishedTable> tables = publishedTables();
        std::vector<double> ratios;
        for (const PublishedRow& row : publishedTable("deployment-quality").rows) {
            if (isUpGate(row)) {
                ratios.push_back(publishedUpGateRatio(row, tables).value_or(-1));
            } else {
                QVERIFY(!publishedUpGateRatio(row, tables));
            }
        }
        QCOMPARE(ratios, (std::vector<double>{0.4, 0.4, 0.5, 0.5}));
    }

    void paperUg() {
        RunRow dense = ofSmallModel("dense", ".*", 0);
        RunRow whole = ofSmallModel("cospadi", ".*", 0.2);
        RunRow own = ofSmallModel("cospadi", kUpGate, 0.4);
        RunRow low = ofSmallModel("svd-llm", kUpGate, 0.4);
        RunRow down = ofSmallModel("cospadi", "ffn_down", 0.4);
        whole.layerBytes = 800;
        whole.denseBytes = 1000;
        for (RunRow* run : {&own, &low}) {
            run->layerBytes = 600;
            run->denseBytes = 1000;
        }
        low.layerBytes = 602;
        const ReportTable table =
            paperTable({dense, whole, own, low, down}, publishedTables(), PaperLayout::UpGate);
        QCOMPARE(textOf(table, 0, "model").substr(0, 3), std::string("Lla"));
        std::map<std::string, std::size_t> rows;
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            rows[textOf(table, i, "method")] = i;
        }
        // Seven printed rows and four of one's own.
        QCOMPARE(table.rows.size(), std::size_t{11});
        const std::size_t printed = rows.at("CoSpaDi^UG (paper, table 14)");
        QVERIFY(numberOf(table, printed, "UG cr") == 0.4 ||
                numberOf(table, printed, "UG cr") == 0.5);
        const double all = static_cast<double>(globalRatioOf(own).allBytes);
        const std::size_t ours = rows.at("cospadi (fast) UG");
        QCOMPARE(numberOf(table, ours, "UG cr"), 0.4);
        QVERIFY(std::abs(numberOf(table, ours, "global cr") - 400 / all) < 1e-12);
        QVERIFY(std::abs(numberOf(table, rows.at("svd-llm UG"), "global cr") - 398 / all) < 1e-12);
        QCOMPARE(numberOf(table, ours, "PIQA"), 54.0);
        const std::size_t full = rows.at("cospadi (fast)");
        QVERIFY(std::isnan(numberOf(table, full, "UG cr")));
        QCOMPARE(numberOf(table, full, "global cr"), 0.2);
        QVERIFY(std::isnan(numberOf(table, rows.at("dense"), "global cr")));
        // The two of one UG CR are compared, the whole one with neither.
        QCOMPARE(table.rows[ours].group, table.rows[rows.at("svd-llm UG")].group);
        QVERIFY(table.rows[ours].group != table.rows[full].group);
        QVERIFY(!noteAbout(table, "1 runs with results are left out").empty());
        for (const ReportFormat format : {ReportFormat::Latex, ReportFormat::Csv}) {
            QVERIFY(render(table, format).find("UG cr") != std::string::npos);
        }
        const std::string message = messageOf([&] {
            paperTable({dense, whole}, publishedTables(), PaperLayout::UpGate);
        });
        QVERIFY2(message.find("runs slice") != std::string::npos, message.c_str());
        // The main layout leaves them out, as ever.
        QCOMPARE(paperTable({whole, own}, {}).rows.size(), std::size_t{1});
    }

    void relativeToSixteenBits() {
        RunRow origin =
            withSettings(storedRun("cospadi", 0.2, 2, 42, 20), {{"coefficient_bits", 16}});
        origin.relativeError = 0.1;
        const RunRow cut12 =
            shortened(storedRun("cospadi", 0.2, 2, 42, 0), origin, 12, "truncate", 25);
        RunRow cut14 = shortened(storedRun("cospadi", 0.2, 2, 42, 0), origin, 14, "truncate", 20.5);
        cut14.relativeError = 0.11;
        const RunRow near12 =
            shortened(storedRun("cospadi", 0.2, 2, 42, 0), origin, 12, "nearest", 22);
        RunRow alone = shortened(storedRun("cospadi", 0.3, 2, 42, 0), origin, 12, "truncate", 9);
        alone = withSettings(alone, {{"derived", {{"from", "gone"}}}});
        const ReportTable table = bitWidthTable({cut12, cut14, near12, alone, origin});
        // Truncated: 16, 14, 12; nearest: 16, 12.
        QCOMPARE(table.rows.size(), std::size_t{5});
        const std::vector<std::int64_t> bits = {16, 12, 16, 14, 12};
        const std::vector<double> perplexities = {20, 22, 20, 20.5, 25};
        for (std::size_t i = 0; i < bits.size(); ++i) {
            QCOMPARE(std::get<std::int64_t>(cellOf(table, i, "bits")), bits[i]);
            QCOMPARE(textOf(table, i, "rounding"), std::string(i < 2 ? "nearest" : "truncate"));
            QCOMPARE(numberOf(table, i, "perplexity"), perplexities[i]);
            QCOMPARE(numberOf(table, i, "relative perplexity"), perplexities[i] / 20);
            QCOMPARE(textOf(table, i, "method"), std::string("cospadi (fast)"));
        }
        QVERIFY(std::abs(numberOf(table, 3, "relative error") - 1.1) < 1e-12);
        QVERIFY(!noteAbout(table, "1 runs are left out").empty());
        QVERIFY(noteAbout(table, "fewer than 16 bits").empty());
        QVERIFY(messageOf([&] { bitWidthTable({origin}); }).find("requantize") !=
                std::string::npos);
        // Of a run of 14 bits the curve begins there, and a note says so.
        RunRow short14 = storedRun("cospadi", 0.2, 2, 42, 21);
        const RunRow cut =
            shortened(storedRun("cospadi", 0.2, 2, 42, 0), short14, 12, "truncate", 42);
        const ReportTable shorter = bitWidthTable({cut, short14});
        QCOMPARE(std::get<std::int64_t>(cellOf(shorter, 0, "bits")), std::int64_t{14});
        QCOMPARE(numberOf(shorter, 1, "relative perplexity"), 2.0);
        QVERIFY(!noteAbout(shorter, "fewer than 16 bits").empty());
    }

    // Layers with ratios of their own have bits of their own: the run stands first, without a
    // number.
    void relativeToGivenRatios() {
        const auto given = [](double perplexity) {
            return withSettings(storedRun("cospadi", 0.2, 2, 42, perplexity),
                                {{"ratios", {{"blk.0.attn_q", 0.3}}}});
        };
        const RunRow origin = given(20);
        const RunRow cut14 = shortened(given(0), origin, 14, "truncate", 22);
        const RunRow cut12 = shortened(given(0), origin, 12, "truncate", 25);
        const ReportTable table = bitWidthTable({cut12, cut14, origin});
        QCOMPARE(table.rows.size(), std::size_t{3});
        QVERIFY(cellOf(table, 0, "bits") == ReportCell());
        QCOMPARE(numberOf(table, 0, "relative perplexity"), 1.0);
        QCOMPARE(std::get<std::int64_t>(cellOf(table, 1, "bits")), std::int64_t{14});
        QCOMPARE(numberOf(table, 2, "relative perplexity"), 1.25);
    }

    // What the runs were made of does not keep them out of one pivot.
    void curvesByBitsInAPivot() {
        const RunRow a = storedRun("cospadi", 0.2, 2, 42, 20);
        const RunRow b = storedRun("cospadi", 0.3, 2, 42, 30);
        const auto settings = [&](const RunRow& of, int bits) {
            return settingsOf(shortened(of, of, bits, "truncate", 1));
        };
        auto first = settings(a, 12);
        auto second = settings(b, 12);
        first.erase("cr");
        second.erase("cr");
        QVERIFY(first == second);
        QCOMPARE(first.at("solved_bits"), std::string("14"));
        QVERIFY(settings(a, 12) != settings(a, 11));
    }
};

COSPADI_TEST(TestReportDerived)

}  // namespace tst_report_derived

#include "tst_report_derived.moc"
