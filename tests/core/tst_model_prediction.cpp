// Predictions for a whole model: against enumeration and arithmetic of the test's own, what may
// never rise, and what must be kept.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/allocation/model_curves.h"
#include "core/allocation/model_prediction.h"
#include "core/base/phrase.h"
#include "tests/core/allocation_arithmetic.h"
#include "tests/core/oracle_data.h"
#include "tests/registered_test.h"

namespace tst_model_prediction {

using namespace cospadi;
using allocation_arithmetic::layerOf;
using allocation_arithmetic::lowRank;
using allocation_arithmetic::lowRankBytes;
using allocation_arithmetic::near;

namespace {

// ln e straight over CR, from `least` at CR 0.05 to `most` at 0.64.
LayerCurve curveOf(const std::string& name, std::int64_t block, std::int64_t d1, std::int64_t d2,
                   double least, double most, double cost) {
    LayerCurve curve;
    curve.name = name;
    curve.kind = "ffn_up";
    curve.block = block;
    curve.d1 = d1;
    curve.d2 = d2;
    curve.points = {{0.05, least, cost}, {0.64, most, cost}};
    curve.isTried = curve.isProbed = true;
    return curve;
}

double errorOf(const LayerCurve& curve, double cr) {
    const double share = (cr - 0.05) / (0.64 - 0.05);
    return curve.points[0].error * std::pow(curve.points[1].error / curve.points[0].error, share);
}

ModelCurves someCurves(int layers) {
    ModelCurves curves;
    std::srand(11);
    for (int i = 0; i < layers; ++i) {
        const double least = 0.01 + 0.0001 * (std::rand() % 300);
        curves.layers.push_back(curveOf(
            "blk." + std::to_string(i) + ".ffn_up", i, 64 + 64 * (i % 3), 192 + 64 * (i % 2), least,
            least * (4 + std::rand() % 20), 0.2 + 0.01 * (std::rand() % 300)));
    }
    curves.densePerplexity = 20;
    curves.isComplete = true;
    curves.isSettled = true;
    return curves;
}

double lowRankSize(const LayerCurve& curve, double cr) {
    return lowRankBytes(layerOf(curve.name, curve.d1, curve.d2), cr);
}

double denseSize(const ModelCurves& curves) {
    double bytes = 0;
    for (const LayerCurve& curve : curves.layers) {
        bytes += 2.0 * static_cast<double>(curve.d1) * static_cast<double>(curve.d2);
    }
    return bytes;
}

}  // namespace

class TestModelPrediction : public QObject {
    Q_OBJECT

  private slots:
    // Three matrices, some sixty ratios each: all combinations. What is chosen fits, adds up as it
    // says, and is no worse than the best that fits into a step less.
    void sharesAsEnumerationDoes() {
        const ModelCurves curves = someCurves(3);
        const ModelPredictor predictor(curves, lowRank(0.3));
        for (const double cr : {0.15, 0.3, 0.45}) {
            PredictionTarget target;
            target.cr = cr;
            const Prediction found = predictor.predict(target);
            const double budget = (1 - cr) * denseSize(curves);
            std::vector<std::vector<std::pair<double, double>>> choices(3);
            double widest = 0;
            for (std::size_t i = 0; i < 3; ++i) {
                for (int percent = 5; percent <= 64; ++percent) {
                    const double at = percent / 100.0;
                    choices[i].emplace_back(lowRankSize(curves.layers[i], at),
                                            curves.layers[i].points[0].cost *
                                                std::pow(errorOf(curves.layers[i], at), 2));
                }
                for (std::size_t c = 1; c < choices[i].size(); ++c) {
                    widest = std::max(widest, choices[i][c - 1].first - choices[i][c].first);
                }
            }
            double best = 1e9;
            double bestWithLess = 1e9;
            for (const auto& [bytes0, cost0] : choices[0]) {
                for (const auto& [bytes1, cost1] : choices[1]) {
                    for (const auto& [bytes2, cost2] : choices[2]) {
                        const double bytes = bytes0 + bytes1 + bytes2;
                        const double cost = cost0 + cost1 + cost2;
                        best = bytes <= budget ? std::min(best, cost) : best;
                        bestWithLess = bytes <= budget - 3 * widest ? std::min(bestWithLess, cost)
                                                                    : bestWithLess;
                    }
                }
            }
            double bytes = 0;
            double cost = 0;
            for (std::size_t i = 0; i < 3; ++i) {
                const LayerPrediction& layer = found.layers[i];
                QVERIFY(near(layer.bytes, lowRankSize(curves.layers[i], layer.cr), 0.5));
                QVERIFY(near(layer.error, errorOf(curves.layers[i], layer.cr), 1e-9));
                bytes += layer.bytes;
                cost += curves.layers[i].points[0].cost * layer.error * layer.error;
            }
            QVERIFY(bytes <= budget && near(found.bytes, bytes, 1e-6));
            QVERIFY(near(found.divergence, cost, 1e-12));
            QVERIFY(cost >= best - 1e-12);
            QVERIFY2(cost <= bestWithLess,
                     qPrintable(QString("%1 %2").arg(cost).arg(bestWithLess)));
            QVERIFY(near(found.perplexity, 20 * std::exp(cost), 1e-9));  // nothing else is known
        }
    }

    void moreBytesAreNeverWorse() {
        const ModelCurves curves = someCurves(40);
        const ModelPredictor predictor(curves, lowRank(0.3));
        for (const bool uniform : {false, true}) {
            for (const bool pinned : {false, true}) {
                PredictionTarget target;
                target.uniform = uniform;
                if (pinned) {
                    target.pins = {{"blk.3.ffn_up", 0.5}, {"blk.4.ffn_up", 0.1}};
                    target.limits = {{"blk.7.ffn_up", 0.12}};
                    target.excluded = {"blk.9.ffn_up"};
                }
                double before = 1e9;
                double bytesBefore = 0;
                for (double cr = 0.6; cr > 0.06; cr -= 0.003) {
                    target.cr = cr;
                    const Prediction found = predictor.predict(target);
                    QVERIFY2(found.loss <= before + 1e-15, qPrintable(QString::number(cr)));
                    QVERIFY(found.bytes >= bytesBefore || !uniform);
                    QVERIFY(found.gainPerMegabyte >= 0);
                    before = found.loss;
                    bytesBefore = found.bytes;
                }
            }
        }
    }

    // What is shared is no worse than one ratio for all in its bytes.
    void sharingIsNoWorseThanUniform() {
        const ModelCurves curves = someCurves(40);
        const ModelPredictor predictor(curves, lowRank(0.3));
        for (const double cr : {0.1, 0.2, 0.3, 0.4, 0.5}) {
            PredictionTarget target;
            target.cr = cr;
            target.uniform = true;
            const Prediction uniform = predictor.predict(target);
            for (const LayerPrediction& layer : uniform.layers) {
                QCOMPARE(layer.cr, cr);
            }
            target.uniform = false;
            QVERIFY(predictor.predict(target).loss <= uniform.loss);
        }
    }

    void pinsLimitsAndExclusionsAreKept() {
        const ModelCurves curves = someCurves(12);
        const ModelPredictor predictor(curves, lowRank(0.3));
        PredictionTarget target;
        target.cr = 0.3;
        target.pins = {{"blk.1.ffn_up", 0.537}};  // between the steps of what is offered
        target.limits = {{"blk.2.ffn_up", 0.08}, {"blk.5.ffn_up", 0.1}};
        target.excluded = {"blk.3.ffn_up", "blk.11.ffn_up"};
        for (const bool uniform : {false, true}) {
            target.uniform = uniform;
            const Prediction found = predictor.predict(target);
            double bytes = 0;
            double dense = 0;
            double model = 0;
            for (std::size_t i = 0; i < 12; ++i) {
                const LayerPrediction& layer = found.layers[i];
                const LayerCurve& curve = curves.layers[i];
                const double own = 2.0 * static_cast<double>(curve.d1 * curve.d2);
                if (i == 3 || i == 11) {
                    QVERIFY(layer.cr == 0 && layer.divergence == 0 && layer.bytes == own);
                    model += own;
                    continue;
                }
                QVERIFY(i != 1 || layer.cr == 0.537);
                QVERIFY(i != 2 || layer.cr <= 0.08);
                QVERIFY(i != 5 || layer.cr <= 0.1);
                bytes += lowRankSize(curve, layer.cr);
                dense += own;
            }
            QVERIFY(near(found.bytes, bytes, 0.5) && near(found.denseBytes, dense, 0.5));
            QVERIFY(near(found.modelBytes, bytes + model, 0.5));
            QVERIFY(uniform || found.bytes <= 0.7 * dense);
        }
        target.pins = {{"blk.1.ffn_up", 0.9}};
        QVERIFY(oracle::errorOf([&] { predictor.predict(target); }).contains("blk.1.ffn_up"));
        target.pins = {{"blk.77.ffn_up", 0.3}};
        QVERIFY(oracle::errorOf([&] { predictor.predict(target); }).contains("no such layer"));
        target.pins.clear();
        for (const LayerCurve& curve : curves.layers) {
            target.excluded.insert(curve.name);
        }
        QVERIFY(oracle::errorOf([&] { predictor.predict(target); }).contains("excluded"));
    }

    // A target in bytes is that of the whole model; too few are told with what there must be.
    void bytesOfTheWholeModel() {
        ModelCurves curves = someCurves(20);
        curves.otherBytes = 50000;
        const ModelPredictor predictor(curves, lowRank(0.3));
        const double dense = denseSize(curves);
        for (const bool uniform : {false, true}) {
            PredictionTarget target;
            target.uniform = uniform;
            target.bytes = 50000 + 0.75 * dense;
            const Prediction found = predictor.predict(target);
            QVERIFY(found.modelBytes <= *target.bytes);
            QVERIFY(found.modelBytes > 50000 + 0.72 * dense);
            QVERIFY(near(found.modelBytes, found.bytes + 50000, 1e-6));
            target.bytes = 50000 + 0.1 * dense;
            const QString error = oracle::errorOf([&] { predictor.predict(target); });
            QVERIFY2(error.contains("bytes"), qPrintable(error));
        }
    }

    // ln F is straight in ln Σ between anchors, of slope 1 beyond them.
    void wholeTrialsSetTheScale() {
        ModelCurves curves = someCurves(4);
        curves.anchors = {{0.1, 0.08}, {0.4, 0.5}};
        const ModelPredictor predictor(curves, lowRank(0.3));
        QVERIFY(near(predictor.lossOf(0.1), 0.08, 1e-12));
        QVERIFY(near(predictor.lossOf(0.4), 0.5, 1e-12));
        QVERIFY(near(predictor.lossOf(0.2), std::sqrt(0.08 * 0.5), 1e-12));  // half-way in ln
        QVERIFY(near(predictor.lossOf(0.05), 0.04, 1e-12));
        QVERIFY(near(predictor.lossOf(0.8), 1.0, 1e-12));
        QCOMPARE(predictor.lossOf(0), 0.0);
        double before = 0;
        for (double sum = 0.001; sum < 2; sum *= 1.05) {
            QVERIFY(predictor.lossOf(sum) > before);
            before = predictor.lossOf(sum);
        }
        // One that says that more divergence loses less is not believed.
        curves.anchors = {{0.1, 0.08}, {0.4, 0.05}};
        QVERIFY(near(ModelPredictor(curves, lowRank(0.3)).lossOf(0.4), 0.32, 1e-12));
    }

    void saysWhatNotToRelyOn() {
        ModelCurves curves = someCurves(10);
        curves.anchors = {{0.5, 0.5}};
        PredictionTarget target;
        target.cr = 0.1;
        QVERIFY(ModelPredictor(curves, lowRank(0.3)).predict(target).doubts.empty());
        const auto doubtsOf = [&](const ModelCurves& changed) {
            QString all;
            for (const Phrase& d : ModelPredictor(changed, lowRank(0.3)).predict(target).doubts) {
                all += QString::fromStdString(inEnglish(d)) + '\n';
            }
            return all;
        };
        ModelCurves changed = curves;
        changed.layers[2].isTried = changed.layers[2].isProbed = false;
        QVERIFY(doubtsOf(changed).contains("1 of 10"));
        changed = curves;
        changed.anchors.clear();
        QVERIFY(doubtsOf(changed).contains("not been tried"));
        changed = curves;
        changed.densePerplexity = 0;
        QVERIFY(doubtsOf(changed).contains("perplexity"));
        changed = curves;
        changed.anchors = {{1e-9, 1e-9}};
        QVERIFY(doubtsOf(changed).contains("further"));
        // One matrix is told as one.
        changed = someCurves(1);
        target.cr = 0.64;
        target.pins[changed.layers[0].name] = 0.64;
        changed.anchors = {{0.5, 0.5}};
        QVERIFY(doubtsOf(changed).contains("1 matrix is at the largest ratio"));
    }

    void curvesTravelAsJson() {
        ModelCurves curves = someCurves(5);
        curves.anchors = {{0.1, 0.08}};
        curves.otherBytes = 1234;
        curves.densePerplexityText = "wikitext2";
        const ModelCurves back = modelCurvesFromJson(nlohmann::json::parse(toJson(curves).dump()));
        QCOMPARE(back.layers.size(), curves.layers.size());
        for (std::size_t i = 0; i < back.layers.size(); ++i) {
            QCOMPARE(back.layers[i].name, curves.layers[i].name);
            QVERIFY(back.layers[i].points[1].error == curves.layers[i].points[1].error);
            QVERIFY(back.layers[i].points[1].cost == curves.layers[i].points[1].cost);
        }
        QVERIFY(back.otherBytes == 1234 && back.anchors[0].loss == 0.08);
        QVERIFY(oracle::errorOf([&] {
                    nlohmann::json broken = toJson(curves);
                    broken.at("layers").at(0).at("points").at(0).erase(2);
                    modelCurvesFromJson(broken);
                }).contains("points"));
    }
};

COSPADI_TEST(TestModelPrediction)

}  // namespace tst_model_prediction

#include "tst_model_prediction.moc"
