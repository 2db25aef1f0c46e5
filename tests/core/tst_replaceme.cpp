// ReplaceMe: the map against least squares by QR in double on hidden states that hooks give, the
// choice of blocks against their cosines, and the places of those that stay.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/calibration/block_statistics.h"
#include "core/calibration/calibration.h"
#include "core/forms/removed/removed_weight.h"
#include "core/methods/block_method.h"
#include "core/methods/replaceme/replaceme_method.h"
#include "core/model/forward.h"
#include "core/model/kept_blocks.h"
#include "core/model/linear_layer.h"
#include "core/run/resolve_specification.h"
#include "core/store/run_file.h"
#include "tests/core/message_of.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/replaceme_fixture.h"
#include "tests/registered_test.h"

namespace tst_replaceme {

using namespace cospadi;
using namespace replaceme_fixture;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

namespace {

constexpr std::int64_t kHidden = 64;

// What the model computes on the calibration's tokens, a token a row.
struct Traced {
    std::vector<MatrixXd> hidden;  // behind every block
    std::vector<MatrixXd> inputs;  // of every ffn_down
};

Traced traced(const Model& model, const CalibrationOptions& options) {
    const auto ids = sampleSequences(model.tokenizer(), options);
    Traced traced{std::vector<MatrixXd>(kBlocks), std::vector<MatrixXd>(kBlocks)};
    ForwardHooks hooks;
    hooks.residual = [&](std::int64_t block, const Eigen::Ref<const MatrixXf>& h) {
        if (block >= 0) {
            traced.hidden[static_cast<std::size_t>(block)] = h.transpose().cast<double>();
        }
    };
    hooks.linearInput = [&](const std::string& key, const Eigen::Ref<const MatrixXf>& x) {
        for (std::int64_t block = 0; block < kBlocks; ++block) {
            if (key == gramKeyOf(block, "ffn_down")) {
                traced.inputs[static_cast<std::size_t>(block)] = x.transpose().cast<double>();
            }
        }
    };
    ThreadPool pool(2);
    ForwardPass(model, pool).hiddenStates(ids, options.length, hooks);
    return traced;
}

}  // namespace

class TestReplaceMe : public QObject, ReplaceMeFixture {
    Q_OBJECT

    CalibrationOptions calibration() const { return calibrationOptionsOf(specification(m_model)); }

  private slots:
    void initTestCase() { makeRun(); }

    void blocksOfARatio_data() {
        QTest::addColumn<double>("cr");
        QTest::addColumn<int>("blocks");
        QTest::addColumn<int>("leftOut");
        QTest::newRow("to the block") << 0.2 << 30 << 6;
        QTest::newRow("a rounded product") << 0.1 << 30 << 3;
        QTest::newRow("at least") << 0.25 << 30 << 8;
        QTest::newRow("one") << 0.001 << 30 << 1;
        QTest::newRow("all but one") << 0.8 << 5 << 4;
    }

    void blocksOfARatio() {
        QFETCH(double, cr);
        QFETCH(int, blocks);
        QFETCH(int, leftOut);
        MatrixOptions options;
        options.method = &replaceMeMethod();
        options.cr = cr;
        QCOMPARE(replaceMeMethod().blocksLeftOut(options, blocks), std::int64_t{leftOut});
    }

    // T by QR of M itself, whose error grows with cond(M) and not its square; told in what the map
    // does to M, where that condition has no part. Single precision of the forward pass leaves
    // 1e-6; ridge as rows √α I below M.
    void mapIsThatOfLeastSquares_data() {
        QTest::addColumn<double>("ridge");
        QTest::newRow("none") << 0.0;
        QTest::newRow("ridge") << 0.01;
    }

    void mapIsThatOfLeastSquares() {
        QFETCH(double, ridge);
        const Model model = Model::load(m_model);
        const Traced t = traced(model, calibration());
        constexpr std::size_t kFirst = 3;
        const MatrixXd m = t.inputs[kFirst - 1] * model.weight("blk.2.ffn_down").cast<double>();
        const MatrixXd wanted = t.hidden[kFirst + 1] + m - t.hidden[kFirst - 1];
        MatrixXd rows(m.rows() + kHidden, kHidden);
        MatrixXd right = MatrixXd::Zero(m.rows() + kHidden, kHidden);
        const double alpha = ridge * m.squaredNorm() / kHidden;
        rows << m, std::sqrt(alpha) * MatrixXd::Identity(kHidden, kHidden);
        right.topRows(m.rows()) = wanted;
        const MatrixXd expected = reference::leastSquares(rows, right);

        ThreadPool pool(2);
        const RowSums sums = sumsOfRow(model, pool, calibration(), kFirst, 2).value();
        QCOMPARE(sums.tokens, kSequences * kLength);
        MatrixOptions options;
        options.method = &replaceMeMethod();
        options.ridge = ridge;
        const MatrixXd map = replaceMeMethod().transform(options, sums);
        const double off = relative(m * map, m * expected);
        QVERIFY2(off < 1e-5, QByteArray::number(off));

        // … and it is worth having: the hidden states behind come nearer, as both are told.
        const MatrixXd before = t.hidden[kFirst - 1];
        const double with = relative(before - m + m * expected, t.hidden[kFirst + 1]);
        const double without = relative(before, t.hidden[kFirst + 1]);
        QVERIFY(with < without);
        QVERIFY(std::abs(hiddenError(sums, map) - with) < 1e-4 * with);
        QVERIFY(std::abs(hiddenError(sums, MatrixXd::Identity(kHidden, kHidden)) - without) <
                1e-4 * without);
    }

    // Rounded to bfloat16, half a unit in the last of eight bits, twice as much at the most.
    void foldedIntoTheLayerBefore() {
        const json choice = readRunJson(m_run / "blocks.json", "");
        const auto first = choice.at("first").get<std::int64_t>();
        const Model model = Model::load(m_model);
        ThreadPool pool(2);
        const RowSums sums = sumsOfRow(model, pool, calibration(), first, 2).value();
        MatrixOptions options;
        options.method = &replaceMeMethod();
        const std::string last = layerName(first - 1, "ffn_down");
        const MatrixXd w = model.weight(last).cast<double>();
        const MatrixXd wanted = w * replaceMeMethod().transform(options, sums);
        const MatrixXd stored = weightIn(m_run, last)->recomposed().cast<double>();
        QVERIFY(relative(stored, wanted) < 1.0 / 256);
        QVERIFY(relative(stored, w) > 0.01);  // it is another weight
    }

    void leastDistantBlocksAreLeftOut() {
        const Model model = Model::load(m_model);
        const Traced t = traced(model, calibration());
        std::vector<double> distances;
        for (std::size_t first = 1; first + 2 <= kBlocks; ++first) {
            double sum = 0;
            for (Eigen::Index i = 0; i < t.hidden[0].rows(); ++i) {
                sum += 1 - t.hidden[first - 1].row(i).normalized().dot(
                               t.hidden[first + 1].row(i).normalized());
            }
            distances.push_back(sum / static_cast<double>(t.hidden[0].rows()));
        }
        const json choice = readRunJson(m_run / "blocks.json", "");
        const auto told = choice.at("distances").get<std::vector<double>>();
        QCOMPARE(told.size(), distances.size());
        for (std::size_t i = 0; i < told.size(); ++i) {
            QVERIFY(std::abs(told[i] - distances[i]) < 1e-5 * distances[i]);
        }
        const auto least = std::min_element(distances.begin(), distances.end());
        const std::int64_t first = 1 + (least - distances.begin());
        QCOMPARE(choice.at("first").get<std::int64_t>(), first);
        QCOMPARE(leftOutBlocks(m_run / "matrices"), (std::vector<std::int64_t>{first, first + 1}));
    }

    // Whatever is behind the states is no number either: the first row that ends with them is told.
    void statesThatAreNoNumbers() {
        Model model = Model::load(m_model);
        const LayerInfo& down = model.layerInfo("blk.3.ffn_down");
        const MatrixXf none =
            MatrixXf::Constant(down.d1, down.d2, std::numeric_limits<float>::quiet_NaN());
        model.replaceLayer(down.name, std::make_unique<DenseLayer>(none, 1));
        ThreadPool pool(2);
        const std::string message =
            messageOf([&] { static_cast<void>(blockDistances(model, pool, calibration(), 2)); });
        QVERIFY2(message.find("after block 3") != std::string::npos, message.c_str());
    }

    // One layer by itself stays where it is, and gives out nothing.
    void removedLayerOfABlockThatStays() {
        const RemovedWeight weight(3, 2);
        const auto layer = weight.makeLayer(7);
        ThreadPool pool(1);
        MatrixXf y = MatrixXf::Ones(5, 5);
        layer->apply(pool, MatrixXf::Ones(3, 4), y);
        QVERIFY(y == MatrixXf::Zero(2, 4));
        QVERIFY(layer->denseWeight() == weight.recomposed());
        QVERIFY(weight.equals(RemovedWeight(3, 2)) && !weight.equals(RemovedWeight(2, 3)));
    }

    void placesAndNamesOfBlocks() {
        const KeptBlocks kept(5, {1, 2}, "");
        QCOMPARE(kept.countOf(5), std::int64_t{3});
        QCOMPARE(kept.original(1), std::int64_t{3});
        QVERIFY(kept.placeOf(4) == std::int64_t{2} && !kept.placeOf(2));
        QCOMPARE(kept.originalName("blk.2.ffn_up"), std::string("blk.4.ffn_up"));
        QCOMPARE(kept.placedName("model.layers.3.mlp.up_proj.weight").value_or(""),
                 std::string("model.layers.1.mlp.up_proj.weight"));
        QVERIFY(!kept.placedName("blk.1.attn_q"));
        QCOMPARE(kept.placedName("model.norm.weight").value_or(""),
                 std::string("model.norm.weight"));
        const std::vector<std::vector<std::int64_t>> wrong{{5}, {-1}, {1, 1}, {0, 1, 2, 3, 4}};
        for (const auto& blocks : wrong) {
            QVERIFY_THROWS_EXCEPTION(Error, KeptBlocks(5, blocks, "here"));
        }
    }
};

COSPADI_TEST(TestReplaceMe)

}  // namespace tst_replaceme

#include "tst_replaceme.moc"
