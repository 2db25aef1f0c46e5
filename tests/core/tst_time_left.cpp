// How long a run still compresses (core/run/time_left.h), and by what it goes: the work of a unit
// and the share of it that is done (core/run/cost_estimate.h).
#include <QtTest>

#include "core/methods/method.h"
#include "core/run/cost_estimate.h"
#include "core/run/time_left.h"
#include "tests/registered_test.h"

namespace tst_time_left {

using namespace cospadi;

namespace {

LayerInfo layerOf(const std::string& kind, std::int64_t d1, std::int64_t d2,
                  std::int64_t block = 0) {
    LayerInfo layer;
    layer.name = "blk." + std::to_string(block) + "." + kind;
    layer.kind = kind;
    layer.block = block;
    layer.d1 = d1;
    layer.d2 = d2;
    return layer;
}

}  // namespace

class TestTimeLeft : public QObject {
    Q_OBJECT

  private slots:
    void nothingIsKnownBeforeSomethingIsDone() {
        TimeLeft left;
        QCOMPARE(left.seconds(0), 0.0);
        left.expect("a", 10);
        QCOMPARE(left.seconds(5), -1.0);
        left.reached("a", 0, 1);
        QCOMPARE(left.seconds(5), -1.0);
        left.reached("another", 0.5, 5);
        QCOMPARE(left.seconds(5), -1.0);
    }

    // A single unit, by its iterations alone.
    void aUnitTellsOnItsWay() {
        TimeLeft left;
        left.expect("a", 10);
        left.reached("a", 0, 0);
        left.reached("a", 0.25, 30);
        QCOMPARE(left.seconds(30), 90.0);
        QCOMPARE(left.seconds(45), 135.0);  // it slows down
        left.reached("a", 1, 120);
        QCOMPARE(left.seconds(120), 0.0);
    }

    // Two side by side at one unit of work a second each.
    void theLastOneHasACoreForItself() {
        TimeLeft left;
        for (const auto& [unit, work] : {std::pair("a", 40), {"b", 60}, {"c", 100}}) {
            left.expect(unit, work);
        }
        left.reached("a", 0, 0);
        left.reached("b", 0, 0);
        left.reached("a", 0.5, 20);
        left.reached("b", 1.0 / 3, 20);
        QCOMPARE(left.seconds(20), 100.0);  // c by itself; all of it, side by side, takes 80
        left.reached("a", 1, 40);
        left.reached("c", 0, 40);
        left.reached("b", 1, 60);
        left.reached("c", 0.2, 60);
        QCOMPARE(left.seconds(60), 80.0);
        left.reached("c", 0.6, 100);
        QCOMPARE(left.seconds(100), 40.0);
        left.reached("c", 1, 140);
        QCOMPARE(left.seconds(150), 0.0);
    }

    // One that takes ten times what was predicted is known by its own pace soon: within a third
    // from a fifth of it on, 10 s having been predicted.
    void aUnitGoesByItsOwnPace() {
        TimeLeft left;
        for (const char* unit : {"a", "b", "c"}) {
            left.expect(unit, 10);
        }
        left.reached("a", 0, 0);
        left.reached("a", 1, 10);
        left.reached("b", 0, 10);
        left.reached("b", 1, 20);
        left.reached("c", 0, 20);
        for (const double share : {0.2, 0.5, 0.9}) {
            const double now = 20 + 100 * share;
            left.reached("c", share, now);
            const double truth = 100 * (1 - share);
            QVERIFY2(qAbs(left.seconds(now) / truth - 1) < 1.0 / 3,
                     qPrintable(QString::number(left.seconds(now))));
        }
    }

    // Of `bench layers` on Qwen3-8B's shapes, two cores of a Xeon with matrix units: processor
    // seconds of each layer, all in all and, of the last, how much of it when its 22 iterations
    // were done (docs/benchmarks.md). Predicted within a third.
    void workIsAsMeasured() {
        const MatrixOptions options;
        const std::vector<std::pair<LayerInfo, double>> measured = {
            {layerOf("attn_q", 4096, 4096), 128.0},
            {layerOf("attn_k", 4096, 1024), 59.1},
            {layerOf("ffn_up", 4096, 12288), 791.3},
            {layerOf("ffn_down", 12288, 4096), 1676.4}};
        double seconds = 0, work = 0;
        for (const auto& [layer, took] : measured) {
            seconds += took;
            work += solverWork(options, layer.d1, layer.d2);
        }
        for (const auto& [layer, took] : measured) {
            const double predicted =
                solverWork(options, layer.d1, layer.d2) / work * seconds / took;
            QVERIFY2(
                predicted > 2.0 / 3 && predicted < 4.0 / 3,
                qPrintable(QString::fromStdString(layer.name) + ": " + QString::number(predicted)));
        }
        const double share = 22 * shareOfAnIteration(options, {{measured.back().first}});
        QVERIFY2(share > 0.55 && share < 0.8, qPrintable(QString::number(share)));
    }

    // Metrics couple the columns of each layer by themselves: a unit over outputs takes for them
    // what its layers would take with as many atoms, not what one layer of all their inputs would.
    void layersOverOutputsAreCoupledOneByOne() {
        MatrixOptions options;
        setOwnOption(options, kGroups, std::string("all-2"));
        LayerUnit unit{{layerOf("attn_output", 512, 512), layerOf("ffn_down", 1024, 512)}, true};
        const MatrixOptions ofUnit = optionsOfUnit(options, unit);
        const LayerInfo whole = unit.shape();
        const double asOne = solverWork(ofUnit, whole.d1, whole.d2);
        const double byParts = solverWork(ofUnit, unit);
        const double uncoupled = asOne - ofUnit.method->metricsWork(ofUnit, whole.d1, whole.d2, {});
        const double expected = (512.0 * 512 + 1024.0 * 1024) / (1536.0 * 1536);
        QVERIFY(qAbs((byParts - uncoupled) / (asOne - uncoupled) / expected - 1) < 1e-9);
    }
};

COSPADI_TEST(TestTimeLeft)

}  // namespace tst_time_left

#include "tst_time_left.moc"
