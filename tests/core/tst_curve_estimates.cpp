// Curves of a model's matrices as they are estimated from what a store of trials knows: of
// neighbours, of kinds, and of matrices that were measured together.
#include <QtTest>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/allocation/curve_store.h"
#include "core/allocation/curve_tasks.h"
#include "core/allocation/model_curves.h"
#include "core/allocation/trial.h"
#include "core/methods/method.h"
#include "core/model/layer_info.h"
#include "tests/core/allocation_arithmetic.h"
#include "tests/core/own_folder.h"
#include "tests/registered_test.h"

namespace tst_curve_estimates {

using namespace cospadi;
using allocation_arithmetic::layerOf;
using allocation_arithmetic::lowRank;
using allocation_arithmetic::near;

class TestCurveEstimates : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void initTestCase() {
        qputenv("XDG_CACHE_HOME", QByteArray::fromStdString(place("cache").string()));
    }

    // First estimates rest on a few blocks: neither on the first nor on the last.
    void beginsInTheMiddle() {
        std::vector<LayerInfo> layers;
        for (std::int64_t block = 0; block < 10; ++block) {
            for (const char* kind : {"attn_q", "ffn_up"}) {
                LayerInfo layer = layerOf("blk." + std::to_string(block) + "." + kind, 64, 192);
                layer.block = block;
                layer.kind = kind;
                layers.push_back(layer);
            }
        }
        std::vector<std::int64_t> blocks;
        for (const CurveTask& task : levelTasks(layers, lowRank(0.3))) {
            QVERIFY(task.isProbed);
            if (blocks.empty() || blocks.back() != task.layer->block) {
                blocks.push_back(task.layer->block);
            }
        }
        QCOMPARE(blocks, (std::vector<std::int64_t>{3, 6, 0, 9, 1, 2, 4, 5, 7, 8}));
    }

    // A kind says nothing of another: no estimate before each has been tried, and its costs probed.
    void waitsForEveryKind() {
        const MatrixOptions options = lowRank(0.3);
        CurveStore store("model-kinds", "", options);
        std::vector<LayerInfo> layers;
        for (const char* kind : {"attn_q", "ffn_up"}) {
            LayerInfo layer = layerOf(std::string("blk.0.") + kind, 64, 192);
            layer.kind = kind;
            layers.push_back(layer);
        }
        const TrialSetting at{0.4, options.rho, kTrialIterations};
        const auto isEmpty = [&] {
            return estimateCurves(layers, options, store, "w").layers.empty();
        };
        store.setError(layers[0].name, at, 0.1);
        store.setDivergence(layers[0].name, at, "t", 0.01);
        QVERIFY(isEmpty());
        store.setError(layers[1].name, at, 0.3);
        QVERIFY(isEmpty());
        store.setDivergence(layers[1].name, at, "t", 0.2);
        QCOMPARE(estimateCurves(layers, options, store, "w").layers.size(), std::size_t{2});
    }

    // What nobody measured follows from its neighbours and its kind; what was measured is kept.
    void estimatesFollowWhatWasMeasured() {
        const MatrixOptions options = lowRank(0.3);
        CurveStore store("model-a", "", options);
        std::vector<LayerInfo> layers;
        for (const std::int64_t block : {0, 1, 2, 3, 4}) {
            LayerInfo layer = layerOf("blk." + std::to_string(block) + ".ffn_up", 64, 192);
            layer.block = block;
            layer.kind = "ffn_up";
            layers.push_back(layer);
        }
        QVERIFY(estimateCurves(layers, options, store, "w").layers.empty());
        const auto tried = [&](int block, double cr, double error) {
            store.setError(layers[static_cast<std::size_t>(block)].name,
                           {cr, options.rho, kTrialIterations}, error);
        };
        tried(0, 0.4, 0.04);
        tried(0, 0.2, 0.01);
        tried(4, 0.4, 0.64);
        store.setDivergence(layers[0].name, {0.4, options.rho, kTrialIterations}, "t", 0.04 * 0.04);
        store.setDivergence(layers[4].name, {0.4, options.rho, kTrialIterations}, "t",
                            4 * 0.64 * 0.64);
        const ModelCurves curves = estimateCurves(layers, options, store, "w");
        QCOMPARE(curves.layers.size(), std::size_t{5});
        const auto costOf = [&](std::size_t layer) {
            return curves.layers[layer].points.front().cost;
        };
        const auto errorAt = [&](std::size_t layer, double cr) {
            return errorCurve(curves.layers[layer]).errorAt(cr);
        };
        QVERIFY(near(errorAt(0, 0.4), 0.04, 1e-12) && near(errorAt(0, 0.2), 0.01, 1e-12));
        QVERIFY(near(errorAt(4, 0.4), 0.64, 1e-12));
        QVERIFY(near(errorAt(2, 0.4), 0.16, 1e-12));  // the geometric mean, half-way between
        QVERIFY(near(errorAt(4, 0.2), 0.16, 1e-12));  // a quarter, as the other of its kind
        QVERIFY(near(errorAt(2, 0.2), 0.04, 1e-12));
        QVERIFY(near(costOf(0), 1, 1e-9) && near(costOf(4), 4, 1e-9));
        QVERIFY(near(costOf(2), 2, 1e-9));
        QVERIFY(curves.layers[0].isTried && !curves.layers[2].isTried);
        // A trial of its own counts for more than any neighbour.
        tried(2, 0.4, 0.09);
        QVERIFY(near(errorCurve(estimateCurves(layers, options, store, "w").layers[2]).errorAt(0.4),
                     0.09, 1e-12));
        // A whole solve of one matrix takes those of its kind along.
        store.setError(layers[0].name, {0.4, options.rho, options.iterations}, 0.02);
        const ModelCurves settled = estimateCurves(layers, options, store, "w");
        QVERIFY(settled.isSettled && !curves.isSettled);
        QVERIFY(near(errorCurve(settled.layers[4]).errorAt(0.4), 0.32, 1e-12));
    }

    // Where all matrices of a kind were measured at once, their costs grow to what they cost
    // together: of trials at their ratio, and of whole solves where the kind was solved; between
    // them by ratio. Kinds of which that is unknown grow as the others do on average.
    void kindsSayWhatTheSameErrorCostsInCompany() {
        const MatrixOptions options = lowRank(0.3);
        CurveStore store("model-kinds", "", options);
        std::vector<LayerInfo> layers;
        for (const std::int64_t block : {0, 1}) {
            for (const char* kind : {"attn_v", "ffn_up"}) {
                LayerInfo layer = layerOf("blk." + std::to_string(block) + "." + kind, 64, 192);
                layer.block = block;
                layer.kind = kind;
                layers.push_back(layer);
            }
        }
        const auto trial = [&](double cr) {
            return TrialSetting{cr, options.rho, kTrialIterations};
        };
        const TrialSetting end{0.4, options.rho, options.iterations};
        for (const LayerInfo& layer : layers) {
            store.setError(layer.name, trial(0.4), 0.2);
            store.setError(layer.name, trial(0.2), 0.1);
            store.setError(layer.name, end, 0.16);
            store.setDivergence(layer.name, trial(0.4), "t", 3 * 0.2 * 0.2);
        }
        const auto costsOf = [&](const std::string& kind, double cr) {
            std::vector<double> costs;
            for (const LayerCurve& layer : estimateCurves(layers, options, store, "w").layers) {
                for (const LayerPoint& point : layer.points) {
                    if (layer.kind == kind && point.cr == cr) {
                        costs.push_back(point.cost);
                    }
                }
            }
            return costs;
        };
        const auto bothAre = [](const std::vector<double>& costs, double cost) {
            return costs.size() == 2 && near(costs[0], cost, 1e-9) && near(costs[1], cost, 1e-9);
        };
        QVERIFY(bothAre(costsOf("attn_v", 0.4), 3) && bothAre(costsOf("ffn_up", 0.2), 3));
        const std::string values = jointName({layers[0], layers[2]});
        store.setDivergence(values, trial(0.4), "b", 1.25 * 2 * 3 * 0.2 * 0.2);
        store.setDivergence(values, trial(0.2), "b", 1.5 * 2 * 3 * 0.1 * 0.1);
        QVERIFY(bothAre(costsOf("attn_v", 0.4), 3 * 1.25));
        QVERIFY(bothAre(costsOf("attn_v", 0.2), 3 * 1.5));
        QVERIFY(bothAre(costsOf("attn_v", 0.75 * 0.4), 3 * std::sqrt(1.25 * 1.5)));
        QVERIFY(bothAre(costsOf("attn_v", 0.5 * 0.2), 3 * 1.5));  // as at the last that is known
        QVERIFY(bothAre(costsOf("ffn_up", 0.2), 3 * 1.5));
        const std::string ups = jointName({layers[1], layers[3]});
        store.setDivergence(ups, trial(0.2), "b", 2 * 3 * 0.1 * 0.1);
        QVERIFY(bothAre(costsOf("ffn_up", 0.2), 3) && bothAre(costsOf("attn_v", 0.2), 3 * 1.5));
        store.setDivergence(values, end, "b", 2 * 2 * 3 * 0.16 * 0.16);
        QVERIFY(bothAre(costsOf("attn_v", 0.4), 3 * 2) && bothAre(costsOf("ffn_up", 0.2), 3));
        // What the whole model is compared with is its trials.
        store.setWholeLoss(trial(0.2), "w", 0.7);
        const ModelCurves curves = estimateCurves(layers, options, store, "w");
        QCOMPARE(curves.anchors.size(), std::size_t{1});
        QVERIFY(near(curves.anchors[0].divergence, 2 * 3 * (1.5 + 1) * 0.1 * 0.1, 1e-9));
    }
};

COSPADI_TEST(TestCurveEstimates)

}  // namespace tst_curve_estimates

#include "tst_curve_estimates.moc"
