// What is measured of a model for its curves and for the costs of errors: against own solves and
// own forward passes; and the files that keep it.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "allocation_arithmetic.h"
#include "core/allocation/curve_grid.h"
#include "core/allocation/curve_measurement.h"
#include "core/allocation/curve_store.h"
#include "core/allocation/curve_tasks.h"
#include "core/allocation/error_costs.h"
#include "core/allocation/model_curves.h"
#include "core/allocation/probe_text.h"
#include "core/allocation/trial.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/low_rank/svd_method.h"
#include "core/model/forward.h"
#include "oracle_data.h"
#include "own_folder.h"
#include "tests/registered_test.h"

namespace tst_curve_measurement {

using namespace cospadi;
using allocation_arithmetic::layerOf;
using allocation_arithmetic::lowRank;

namespace {

// Nats a token, from logits, sequence by sequence.
double lossOf(const Model& model, ThreadPool& pool, const std::vector<std::int32_t>& ids) {
    ForwardPass pass(model, pool);
    const Eigen::MatrixXd logits = pass.logits(pass.hiddenStates(ids, kWholeLength)).cast<double>();
    double sum = 0;
    int count = 0;
    for (Eigen::Index t = 0; t + 1 < logits.cols(); ++t) {
        if ((t + 1) % kWholeLength != 0) {
            const double largest = logits.col(t).maxCoeff();
            sum += largest + std::log((logits.col(t).array() - largest).exp().sum()) -
                   logits(ids[static_cast<std::size_t>(t) + 1], t);
            ++count;
        }
    }
    return sum / count;
}

// KL(model ‖ changed), nats a token.
double divergenceOf(const Model& model, const Model& changed, ThreadPool& pool,
                    const std::vector<std::int32_t>& ids) {
    const auto logProbabilities = [&](const Model& of) {
        ForwardPass pass(of, pool);
        Eigen::MatrixXd logits = pass.logits(pass.hiddenStates(ids, kWholeLength)).cast<double>();
        for (auto column : logits.colwise()) {
            const double largest = column.maxCoeff();
            column.array() -= largest + std::log((column.array() - largest).exp().sum());
        }
        return logits;
    };
    const Eigen::MatrixXd p = logProbabilities(model);
    const Eigen::MatrixXd q = logProbabilities(changed);
    return (p.array().exp() * (p - q).array()).sum() / static_cast<double>(p.cols());
}

// Two sequences that no one wrote.
std::vector<std::int32_t> someText() {
    std::vector<std::int32_t> ids(2 * kWholeLength);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        ids[i] = static_cast<std::int32_t>((i * i * 13 + 7 * i) % 512);
    }
    return ids;
}

}  // namespace

class TestCurveMeasurement : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void initTestCase() {
        qputenv("XDG_CACHE_HOME", QByteArray::fromStdString(place("cache").string()));
    }

    // Solves to the end are told of as they are done, not a block at once.
    void tellsOfWholeSolves() {
        ThreadPool pool(1);
        Model model = Model::load(oracle::file("arch/a_llama_gqa"), {&pool, {}});
        MatrixOptions options = lowRank(0.3);
        options.method = &cospadiFreeMethod();
        options.iterations = 8;
        const std::vector<LayerInfo> layers = model.layers();
        const std::vector<std::int32_t> ids = someText();
        const CurveProblem problem{model, pool, nullptr, layers, options, ids, ids};
        CurveStore store("solved", "", options);
        const auto solved = [&] {
            std::ptrdiff_t count = 0;
            for (const double cr : kEndRatios) {
                count += std::count_if(layers.begin(), layers.end(), [&](const LayerInfo& layer) {
                    return store.error(layer.name, {cr, options.rho, options.iterations});
                });
            }
            return count;
        };
        std::ptrdiff_t told = 0;
        std::ptrdiff_t most = 0;
        std::int64_t done = 0;
        QVERIFY(measureCurves(problem, store, [&](const Progress& p) {
            const std::ptrdiff_t now = solved();
            most = std::max(most, now - told);
            QVERIFY(now == told || p.done > done);
            told = now;
            done = p.done;
        }));
        QVERIFY(told > static_cast<std::ptrdiff_t>(kLayerKinds.size()));
        QCOMPARE(most, std::ptrdiff_t{1});  // by the thread that tells
    }

    // What is measured is what it says: errors of own solves, losses of own forward passes. The
    // model is as before; asked again, nothing is measured twice.
    void measuresWhatItSays() {
        ThreadPool pool;
        Model model = Model::load(oracle::file("arch/a_llama_gqa"), {&pool, {}});
        MatrixOptions options = lowRank(0.3);
        options.method = &svdMethod();
        const std::vector<LayerInfo> layers = model.layers();
        const std::vector<std::int32_t> ids = someText();
        const CurveProblem problem{model, pool, nullptr, layers, options, ids, ids};
        CurveStore store("measured", "", options);
        std::stop_source stopped;
        stopped.request_stop();
        QVERIFY(!measureCurves(problem, store, {}, stopped.get_token()));
        const Eigen::MatrixXf before = model.weight("blk.1.ffn_up");
        std::int64_t done = 0;
        std::int64_t total = 0;
        QVERIFY(measureCurves(problem, store, [&](const Progress& p) {
            QVERIFY(p.done >= done && p.done <= p.total);
            done = p.done;
            total = p.total;
        }));
        QCOMPARE(done, total);
        QVERIFY(model.weight("blk.1.ffn_up") == before);
        const std::string key = wholeTrialKey(ids, kWholeLength, layers);
        Model changed = Model::load(oracle::file("arch/a_llama_gqa"), {&pool, {}});
        for (const double cr : {0.2, 0.4}) {
            for (const LayerInfo& layer : layers) {
                MatrixOptions at = options;
                at.cr = cr;
                CpuBackend backend(1);
                const CompressedMatrix own =
                    compressMatrix(backend, model.weight(layer.name), nullptr, at);
                const auto told = store.error(layer.name, {cr, at.rho, kTrialIterations});
                QVERIFY(told && std::abs(*told - own.relativeError) < 1e-6);
                changed.replaceLayer(layer.name,
                                     std::make_unique<DenseLayer>(own.weight->recomposed(), 1));
            }
            const auto loss = store.wholeLoss({cr, options.rho, kTrialIterations}, key);
            const double own = lossOf(changed, pool, ids) - lossOf(model, pool, ids);
            QVERIFY2(loss && std::abs(*loss - own) < 1e-4 + 0.01 * std::abs(own),
                     qPrintable(QString("%1 %2").arg(loss.value_or(-1)).arg(own)));
        }
        // All of a kind at once: the divergence of the predictions with its trials.
        Model other = Model::load(oracle::file("arch/a_llama_gqa"), {&pool, {}});
        std::vector<LayerInfo> values;
        for (const LayerInfo& layer : layers) {
            if (layer.kind == "attn_v") {
                MatrixOptions at = options;
                at.cr = 0.2;
                CpuBackend backend(1);
                other.replaceLayer(
                    layer.name, std::make_unique<DenseLayer>(
                                    compressMatrix(backend, model.weight(layer.name), nullptr, at)
                                        .weight->recomposed(),
                                    1));
                values.push_back(layer);
            }
        }
        const auto together = store.layer(jointName(values)).divergences;
        QCOMPARE(together.size(), std::size_t{2});  // at both level ratios
        const double told = together.begin()->second;
        const double own = divergenceOf(model, other, pool, ids);
        QVERIFY2(std::abs(told - own) < 1e-6 + 0.01 * own,
                 qPrintable(QString("%1 %2").arg(told).arg(own)));
        const ModelCurves curves = estimateCurves(layers, options, store, key);
        QCOMPARE(curves.layers.size(), layers.size());
        for (const LayerCurve& layer : curves.layers) {
            QVERIFY(layer.isTried && layer.isProbed && layer.points.front().cost > 0);
        }
        const auto divergences = store.layer("blk.1.ffn_up").divergences;
        QCOMPARE(divergences.size(), std::size_t{1});
        // A probe that is known is not made again: this one says so.
        store.setDivergence("blk.1.ffn_up", divergences.begin()->first.first,
                            divergences.begin()->first.second, 123);
        QVERIFY(measureCurves(problem, store));
        QCOMPARE(store.layer("blk.1.ffn_up").divergences.begin()->second, 123.0);
    }

    // One trial and one probe a layer, on the first sequence; a layer without a form at that ratio
    // costs what the others do in the middle, and none next to nothing. What is known is not
    // measured again.
    void costsOfErrors() {
        ThreadPool pool;
        Model model = Model::load(oracle::file("arch/a_llama_gqa"), {&pool, {}});
        MatrixOptions options = lowRank(0.3);
        options.method = &svdMethod();
        std::vector<LayerInfo> layers = model.layers();
        const std::vector<std::int32_t> ids = someText();
        const std::vector<std::int32_t> first(ids.begin(), ids.begin() + kProbeLength);
        CurveStore store("costs", "", options);
        std::stop_source stopped;
        stopped.request_stop();
        const CurveProblem problem{model, pool, nullptr, layers, options, ids, {}};
        QVERIFY(!measureErrorCosts(problem, store, {}, stopped.get_token()));
        std::int64_t total = 0;
        const auto costs =
            measureErrorCosts(problem, store, [&](const Progress& p) { total = p.total; });
        QVERIFY(costs.has_value());
        QCOMPARE(total, static_cast<std::int64_t>(2 * layers.size()));
        MatrixOptions at = options;
        at.cr = kProbedRatio;
        std::vector<double> all;
        for (const LayerInfo& layer : layers) {
            CpuBackend backend(1);
            const CompressedMatrix own =
                compressMatrix(backend, model.weight(layer.name), nullptr, at);
            Model changed = Model::load(oracle::file("arch/a_llama_gqa"), {&pool, {}});
            changed.replaceLayer(layer.name,
                                 std::make_unique<DenseLayer>(own.weight->recomposed(), 1));
            const double divergence = divergenceOf(model, changed, pool, first);
            const ErrorCost& told = costs->at(layer.name);
            QVERIFY2(std::abs(told.error - own.relativeError) < 1e-6 &&
                         std::abs(told.divergence - divergence) < 1e-6 + 0.01 * divergence,
                     qPrintable(QString("%1 %2, %3 %4")
                                    .arg(told.error)
                                    .arg(own.relativeError)
                                    .arg(told.divergence)
                                    .arg(divergence)));
            all.push_back(told.divergence / (told.error * told.error));
            QVERIFY(told.cost >= all.back());
        }
        std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                         all.end());
        const double median = all[all.size() / 2];
        // Beside them one that four bytes are too many for.
        layers.push_back(layerOf("blk.9.ffn_up", 1, 1));
        const TrialSetting trial = trialAt(kProbedRatio, options);
        const std::string text = probeTextKey(first, kProbeLength);
        const std::string& cheap = layers.front().name;
        store.setDivergence(cheap, trial, text, 0);
        const auto again =
            measureErrorCosts({model, pool, nullptr, layers, options, ids, {}}, store);
        QVERIFY(again.has_value());
        const double least = again->at(cheap).cost;
        const double middle = again->at("blk.9.ffn_up").cost;
        QVERIFY2(std::abs(least / middle - 0.01) < 1e-9,
                 qPrintable(QString("%1 %2").arg(least).arg(middle)));
        QVERIFY2(middle >= median / 2 && middle <= 2 * median,
                 qPrintable(QString("%1 %2").arg(middle).arg(median)));
        QCOMPARE(again->at(layers[1].name).cost, costs->at(layers[1].name).cost);
    }

    void storesKeepNumbersToTheBit() {
        const MatrixOptions options = lowRank(0.3);
        const TrialSetting at{1.6 * 0.4, 2.0, 6};
        const double error = 1.0 / 3;
        {
            CurveStore store("model-b", "grams", options);
            store.setError("blk.0.attn_q", at, error);
            store.setDivergence("blk.0.attn_q", at, "text", error / 7);
            store.setWholeLoss(at, "whole", -error);
            QCOMPARE(store.save(), std::string());
        }
        CurveStore again("model-b", "grams", options);
        QVERIFY(again.error("blk.0.attn_q", at) == error);
        QVERIFY(again.divergence("blk.0.attn_q", at, "text") == error / 7);
        QVERIFY(again.wholeLoss(at, "whole") == -error);
        QVERIFY(!again.error("blk.0.attn_q", {0.64, 2.0, 6}));  // an ulp beside it
        QVERIFY(!again.error("blk.0.attn_q", {1.6 * 0.4, 2.0, 12}));
        // Another model, calibration or storage has nothing of it.
        MatrixOptions packed = options;
        packed.accounting = Accounting::Packed;
        QVERIFY(!CurveStore("model-c", "grams", options).error("blk.0.attn_q", at));
        QVERIFY(!CurveStore("model-b", "", options).error("blk.0.attn_q", at));
        CurveStore other("model-b", "grams", packed);
        QVERIFY(!other.error("blk.0.attn_q", at));
        QVERIFY(other.probeElsewhere("blk.0.attn_q").value().second == error / 7);
        // Two who write at a time keep each other's.
        CurveStore third("model-b", "grams", options);
        again.setError("blk.1.attn_q", at, 0.5);
        third.setError("blk.2.attn_q", at, 0.25);
        QVERIFY(again.save().empty() && third.save().empty());
        const CurveStore both("model-b", "grams", options);
        QVERIFY(both.error("blk.1.attn_q", at) == 0.5 && both.error("blk.2.attn_q", at) == 0.25);
        // A damaged file counts as none.
        std::filesystem::resize_file(both.file(), std::filesystem::file_size(both.file()) / 2);
        QVERIFY(!CurveStore("model-b", "grams", options).error("blk.0.attn_q", at));
    }
};

COSPADI_TEST(TestCurveMeasurement)

}  // namespace tst_curve_measurement

#include "tst_curve_measurement.moc"
