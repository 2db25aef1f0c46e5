// The memory that a run is said to need: by what has to be held at once, counted here by hand
// (core/run/cost_estimate.h), on layers that no file holds.
#include <QtTest>
#include <string>
#include <vector>

#include "core/allocation/allocation_rule.h"
#include "core/methods/method.h"
#include "core/run/cost_estimate.h"
#include "tests/core/small_runs.h"
#include "tests/registered_test.h"

namespace tst_memory_estimate {

using namespace cospadi;
using small_runs::specification;

namespace {

LayerInfo layerOf(std::int64_t block, const std::string& kind, std::int64_t d1, std::int64_t d2) {
    LayerInfo layer;
    layer.name = "blk." + std::to_string(block) + "." + kind;
    layer.block = block;
    layer.kind = kind;
    layer.gramKey = layer.name;
    layer.d1 = d1;
    layer.d2 = d2;
    return layer;
}

double weightsOf(const std::vector<LayerInfo>& layers) {
    double weights = 0;
    for (const LayerInfo& layer : layers) {
        weights += static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
    }
    return weights;
}

// Of a model of these layers, all of which are compressed, and `rest` other parameters.
double bytesOf(const RunSpecification& s, const std::vector<LayerInfo>& layers, int cores,
               double rest = 0) {
    return memoryEstimate(s, layers, layers, weightsOf(layers) + rest, cores);
}

bool isBetween(double bytes, double least, double most) { return bytes >= least && bytes <= most; }

}  // namespace

class TestMemoryEstimate : public QObject {
    Q_OBJECT

  private slots:
    // One matrix a core, as long as there are matrices.
    void matricesStandSideBySide() {
        const RunSpecification s = specification("svd");
        std::vector<LayerInfo> layers;
        for (int block = 0; block < 6; ++block) {
            layers.push_back(layerOf(block, "ffn_up", 1024, 2048));
        }
        const double one = bytesOf(s, layers, 2) - bytesOf(s, layers, 1);
        QVERIFY(one >= 2 * 4 * 1024 * 2048);  // W and what stands for it, as float32
        for (int cores = 2; cores < 6; ++cores) {
            QCOMPARE(bytesOf(s, layers, cores + 1) - bytesOf(s, layers, cores), one);
        }
        QCOMPARE(bytesOf(s, layers, 7), bytesOf(s, layers, 6));
        QCOMPARE(bytesOf(s, layers, 100), bytesOf(s, layers, 6));
    }

    // Small ones beside large ones: two cores never hold two of the large ones.
    void onlyNeighboursStandSideBySide() {
        const RunSpecification s = specification("svd");
        std::vector<LayerInfo> small, large, both;
        for (int block = 0; block < 4; ++block) {
            small.push_back(layerOf(block, "attn_k", 1024, 256));
            large.push_back(layerOf(block, "ffn_up", 1024, 4096));
            both.push_back(small.back());
            both.push_back(large.back());
        }
        const auto second = [&](const std::vector<LayerInfo>& layers) {
            return bytesOf(s, layers, 2) - bytesOf(s, layers, 1);
        };
        QCOMPARE(bytesOf(s, both, 1), bytesOf(s, large, 1));
        QCOMPARE(second(both), second(small));
        QVERIFY(second(small) < second(large));
    }

    void followedLayersNeedTheWholeModel_data() {
        QTest::addColumn<QString>("setting");
        QTest::newRow("along the forward pass") << "propagation";
        QTest::newRow("trials") << "allocation";
    }

    // All weights as float32, besides; a quarter more for what the allocator keeps.
    void followedLayersNeedTheWholeModel() {
        QFETCH(QString, setting);
        const std::vector<LayerInfo> layers{layerOf(0, "ffn_up", 512, 1024)};
        constexpr double kRest = 5e8;  // that no layer holds
        const RunSpecification alone = specification("cospadi");
        RunSpecification followed = alone;
        if (setting == "propagation") {
            followed.propagation = PropagationKind::Input;
        } else {
            followed.allocation = &allocationFromName("knapsack");
        }
        const double model = 4 * (weightsOf(layers) + kRest);
        const double besides =
            bytesOf(followed, layers, 2, kRest) - bytesOf(alone, layers, 2, kRest);
        QVERIFY2(isBetween(besides, model, 1.25 * model), qPrintable(QString::number(besides)));
    }

    // Embedding and head lie there as float32 and as they are stored while they are written.
    void whatIsWrittenIsHeld() {
        const RunSpecification s = specification("svd");
        const std::vector<LayerInfo> layers{layerOf(0, "attn_k", 64, 32)};
        constexpr double kRest = 3e8;
        const double more = bytesOf(s, layers, 1, 2 * kRest) - bytesOf(s, layers, 1, kRest);
        QVERIFY2(isBetween(more, (4 + 2) * kRest, 1.25 * (4 + 4 + 2) * kRest),
                 qPrintable(QString::number(more)));
        const double dense = bytesOf(specification("dense"), {}, 1, 2 * kRest) -
                             bytesOf(specification("dense"), {}, 1, kRest);
        QVERIFY(isBetween(dense, 4 * kRest, 1.25 * 4 * kRest));  // measured, not written
    }

    // Sums are of one block at a time: Grams in double, one for all layers of the same inputs.
    void sumsAreOfOneBlock() {
        const RunSpecification s = specification("cospadi");
        const auto model = [](int blocks, bool isShared) {
            std::vector<LayerInfo> layers;
            for (int block = 0; block < blocks; ++block) {
                for (const char* kind : {"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate",
                                         "ffn_up", "ffn_down"}) {
                    layers.push_back(layerOf(block, kind, 4096, 512));
                    if (isShared) {
                        layers.back().gramKey = std::to_string(block);
                    }
                }
            }
            return layers;
        };
        constexpr double kGram = 8.0 * 4096 * 4096;
        const double own = bytesOf(s, model(2, false), 1);
        const double shared = bytesOf(s, model(2, true), 1);
        QVERIFY2(own >= 7 * kGram, qPrintable(QString::number(own)));
        QVERIFY2(shared < own && shared >= kGram, qPrintable(QString::number(shared)));
        QCOMPARE(bytesOf(s, model(9, false), 1), own);
    }
};

COSPADI_TEST(TestMemoryEstimate)

}  // namespace tst_memory_estimate

#include "tst_memory_estimate.moc"
