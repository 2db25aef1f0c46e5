// FWSVD: the row sums of squared weight gradients against differences of the loss, computed forward
// alone, and against one pass in double; the factorisation against Eigen's decomposition of the
// weighted matrix in double; what a run, groups and Explore make of them, and what is refused.
#include <QtTest>
#include <cmath>
#include <map>
#include <random>

#include "core/base/error.h"
#include "core/calibration/weight_gradients.h"
#include "core/explore/explore.h"
#include "core/forms/matrix_file.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/low_rank/fwsvd_method.h"
#include "core/methods/low_rank/svd_method.h"
#include "core/model/forward.h"
#include "core/model/linear_layer.h"
#include "core/model/model_locator.h"
#include "core/run/compression_run.h"
#include "core/run/resolve_specification.h"
#include "following_tokens.h"
#include "message_of.h"
#include "small_runs.h"
#include "tests/core/low_rank_factors.h"
#include "tests/core/one_backward_pass.h"
#include "tests/core/oracle_data.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_layers.h"
#include "tests/core/small_model_fixture.h"
#include "tests/registered_test.h"

namespace tst_fwsvd {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;
namespace fs = std::filesystem;

namespace {

constexpr double kRounding = 1.0 / 256;  // of two factors in bfloat16
constexpr std::int64_t kLength = 16;
constexpr std::int64_t kSequences = 3;

// Over six orders of magnitude.
VectorXd sums(int d1) {
    std::mt19937_64 random(21);
    std::uniform_real_distribution<double> power(-6, 0);
    VectorXd f(d1);
    for (double& value : f) {
        value = std::pow(10.0, power(random));
    }
    return f;
}

struct Best {
    MatrixXd weight;   // (d1, d2)
    double error = 0;  // ‖T (W − W̃)‖ / ‖T W‖
};

// The best of the rank for T = diag(√f).
Best best(const VectorXd& f, const MatrixXf& w, Eigen::Index rank) {
    const VectorXd scales = f.cwiseSqrt();
    const auto [u, values, v] = reference::svd(scales.asDiagonal() * w.cast<double>());
    const MatrixXd leading =
        u.leftCols(rank) * values.head(rank).asDiagonal() * v.leftCols(rank).transpose();
    return {scales.cwiseInverse().asDiagonal() * leading,
            values.tail(values.size() - rank).norm() / values.norm()};
}

double errorIn(const VectorXd& f, const MatrixXf& w, const MatrixXd& other) {
    const VectorXd scales = f.cwiseSqrt();
    return (scales.asDiagonal() * (w.cast<double>() - other)).norm() /
           (scales.asDiagonal() * w.cast<double>()).norm();
}

}  // namespace

class TestFwsvd : public QObject, SmallModelFixture {
    Q_OBJECT

    ThreadPool m_pool;
    CpuBackend m_backend;

    RunSpecification specification() const {
        RunSpecification s;
        s.method = &fwsvdMethod();
        s.model = m_model.string();
        s.calibration = small_runs::onText(kSequences, kLength);
        s.cr = 0.4;
        return s;
    }

    CalibrationOptions calibration() const { return calibrationOptionsOf(specification()); }

    CompressedMatrix compressed(const MatrixXf& w, const VectorXd* f, const Method& method) {
        const Whitening plain = Whitening::ofDiagonal(VectorXd::Ones(w.rows()), "layer");
        MatrixOptions options;
        options.method = &method;
        options.cr = 0.4;
        return compressMatrix(m_backend, w, &plain, options, {}, {}, {}, nullptr, nullptr, f);
    }

    // −Σ log p(next token) of every sequence.
    VectorXd lossesOf(const Model& model, const std::vector<std::int32_t>& ids) {
        ForwardPass pass(model, m_pool);
        const MatrixXf hidden = pass.hiddenStates(ids, kLength);
        VectorXd losses = VectorXd::Zero(kSequences);
        for (std::int64_t s = 0; s < kSequences; ++s) {
            const MatrixXf own = hidden.middleCols(s * kLength, kLength - 1);
            const auto next =
                std::span(ids).subspan(static_cast<std::size_t>(s * kLength + 1), kLength - 1);
            for (const double log : oracle::logProbabilities(pass, own, next)) {
                losses(s) -= log;
            }
        }
        return losses;
    }

  private slots:
    void initTestCase() { makeModel(); }

    // One row of every layer, weight by weight: Σ_j Σ_sequences ((L(w + h) − L(w − h)) / 2h)².
    // Single precision leaves 1e-5 of a loss, and so 1e-3 of a slope, which is about one here; of
    // the sum over a row less.
    void rowSumsAreThoseOfDifferences() {
        Model model = Model::load(m_model, {&m_pool, {}});
        const std::vector<std::int32_t> ids = sampleSequences(model.tokenizer(), calibration());
        const auto found = measureWeightGradients(model, m_pool, calibration());
        QVERIFY(found);
        constexpr float kStep = 0.01F;
        for (const LayerInfo& layer : model.layers()) {
            const VectorXd f = found->rowSums(layer.name);
            QCOMPARE(f.size(), layer.d1);
            Eigen::Index row = 0;
            f.maxCoeff(&row);
            const MatrixXf w = model.weight(layer.name);
            const auto lossesAt = [&](Eigen::Index column, float step) {
                MatrixXf moved = w;
                moved(row, column) += step;
                model.replaceLayer(layer.name, std::make_unique<DenseLayer>(moved, 1));
                return lossesOf(model, ids);
            };
            double sum = 0;
            for (Eigen::Index column = 0; column < w.cols(); ++column) {
                sum += ((lossesAt(column, kStep) - lossesAt(column, -kStep)) / (2 * kStep))
                           .squaredNorm();
            }
            model.replaceLayer(layer.name, std::make_unique<DenseLayer>(w, 1));
            QVERIFY2(
                std::abs(sum / f(row) - 1) < 1e-3,
                qPrintable(QString("%1: %2, and %3").arg(layer.name.c_str()).arg(f(row)).arg(sum)));
        }
    }

    // All rows, with the backward pass over all sequences in memory.
    void rowSumsAreThoseOfOnePass() {
        const Model model = Model::load(m_model, {&m_pool, {}});
        const std::vector<std::int32_t> ids = sampleSequences(model.tokenizer(), calibration());
        std::map<std::string, VectorXd> expected;
        testing::oneBackwardPass(
            model, m_pool, ids, kLength,
            [&](const std::string& layer, const auto& X, const auto& dY) {
                VectorXd sum = VectorXd::Zero(X.rows());
                for (std::int64_t s = 0; s < kSequences; ++s) {
                    const MatrixXd x = X.middleCols(s * kLength, kLength).template cast<double>();
                    const MatrixXd g = dY.middleCols(s * kLength, kLength).template cast<double>();
                    sum += (x * g.transpose()).rowwise().squaredNorm();
                }
                expected[layer] = sum;
            });
        const auto found = measureWeightGradients(model, m_pool, calibration());
        QVERIFY(found);
        QVERIFY(found->fromCache);  // of the test before
        for (const LayerInfo& layer : model.layers()) {
            const VectorXd& truth = expected.at(layer.name);
            QVERIFY2((found->rowSums(layer.name) - truth).norm() < 1e-4 * truth.norm(),
                     layer.name.c_str());
            const auto alone = readCachedRowSums(model.sha256(), calibration(), layer);
            QVERIFY(alone && *alone == found->rowSums(layer.name));
        }
        QVERIFY(messageOf([&] {
                    static_cast<void>(found->rowSums("blk.9.attn_q"));
                }).find("blk.9.attn_q") != std::string::npos);
    }

    // Stopped on its way back and begun again: the same to the bit.
    void interruptedItGoesOn() {
        const Model model = Model::load(m_model, {&m_pool, {}});
        const fs::path cache = cacheDirectory() / "weight-gradients";
        fs::remove_all(cache);
        const auto whole = measureWeightGradients(model, m_pool, calibration());
        fs::remove_all(cache);
        std::stop_source stop;
        std::int64_t stoppedAt = 0;
        const auto stopped = measureWeightGradients(
            model, m_pool, calibration(),
            [&](const Progress& p) {
                if (2 * p.done >= p.total) {
                    stoppedAt = p.done;
                    stop.request_stop();
                }
            },
            stop.get_token());
        QVERIFY(!stopped);
        std::int64_t firstDone = 0;
        const auto again = measureWeightGradients(
            model, m_pool, calibration(),
            [&](const Progress& p) { firstDone = firstDone == 0 ? p.done : firstDone; });
        QVERIFY(again && !again->fromCache);
        QVERIFY(stoppedAt > 0 && firstDone > stoppedAt);
        for (const LayerInfo& layer : model.layers()) {
            QVERIFY(again->rowSums(layer.name) == whole->rowSums(layer.name));
        }
    }

    // Gradients are summed where the method asks for them, and nowhere else.
    void onlyWhereTheyAreNeeded() {
        const Model model = Model::load(m_model, {&m_pool, {}});
        fs::remove_all(cacheDirectory() / "weight-gradients");
        RunSpecification s = specification();
        QVERIFY(calibrate(model, m_pool, calibrationOptionsOf(s))->weightGradients);
        fs::remove_all(cacheDirectory() / "weight-gradients");
        s.method = &methodFromName("svd-llm");
        QVERIFY(!calibrate(model, m_pool, calibrationOptionsOf(s))->weightGradients);
        QVERIFY(!fs::exists(cacheDirectory() / "weight-gradients"));
        QVERIFY(!fs::exists(cacheDirectory() / "output-grams"));
    }

    void theBestOfTheWeightedMatrix_data() { shapes(); }
    void theBestOfTheWeightedMatrix() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        const MatrixXf w = layerWeight(d1, d2, 3);
        const VectorXd f = sums(d1);
        const CompressedMatrix found = compressed(w, &f, fwsvdMethod());
        const Best least = best(f, w, lowRankFactors(found.weight)->left.cols());
        const MatrixXd stored = found.weight->recomposed().cast<double>();
        const double error = errorIn(f, w, stored);
        QVERIFY2(error >= least.error * (1 - 1e-6) && error < std::hypot(least.error, kRounding),
                 qPrintable(QString("%1, at best %2").arg(error).arg(least.error)));
        QVERIFY((f.cwiseSqrt().asDiagonal() * (stored - least.weight)).norm() <
                kRounding * (f.cwiseSqrt().asDiagonal() * w.cast<double>()).norm());
        // Not by chance that of the weight as it is.
        const MatrixXd plain =
            compressed(w, nullptr, svdMethod()).weight->recomposed().cast<double>();
        QVERIFY(errorIn(f, w, plain) > 1.5 * error);
    }

    // Whatever their size.
    void uniformSumsAreSvd() {
        const MatrixXf w = layerWeight(48, 112, 5);
        const MatrixXf plain = compressed(w, nullptr, svdMethod()).weight->recomposed();
        for (const double size : {1e-12, 1.0, 3e7}) {
            const VectorXd f = VectorXd::Constant(48, size);
            QVERIFY(compressed(w, &f, fwsvdMethod()).weight->recomposed() == plain);
        }
    }

    // Rows without a gradient cost nothing, and what is stored is finite.
    void rowsWithoutGradients() {
        const MatrixXf w = layerWeight(48, 112, 7);
        VectorXd f = sums(48);
        f.head(6).setZero();
        const CompressedMatrix found = compressed(w, &f, fwsvdMethod());
        QVERIFY(found.weight->recomposed().allFinite());
        const VectorXd scales = f.cwiseSqrt();
        const auto values = reference::svd(scales.asDiagonal() * w.cast<double>()).values;
        const Eigen::Index rank = lowRankFactors(found.weight)->left.cols();
        const double least = values.tail(values.size() - rank).norm() / values.norm();
        const double error = errorIn(f, w, found.weight->recomposed().cast<double>());
        QVERIFY2(error >= least * (1 - 1e-6) && error < std::hypot(least, kRounding),
                 qPrintable(QString("%1, at best %2").arg(error).arg(least)));
        f.setZero();
        QVERIFY(messageOf([&] { compressed(w, &f, fwsvdMethod()); }).find("gradient") !=
                std::string::npos);
    }

    // A run weighs every layer by its own sums, layers that share by those of all.
    void aRun_data() {
        QTest::addColumn<QString>("groups");
        QTest::newRow("alone") << "none";
        QTest::newRow("pairs") << "pairs";
    }

    void aRun() {
        QFETCH(const QString, groups);
        RunSpecification s = specification();
        s.layers = "ffn_up";
        setOwnOption(s, "groups", groups.toStdString());
        const fs::path directory = place("run-" + groups.toStdString());
        QCOMPARE(executeRun(s, directory, {}).termination, Termination::Converged);
        const Model model = Model::load(m_model, {&m_pool, {}});
        const auto gradients = measureWeightGradients(model, m_pool, calibration());
        const auto stored = [&](const std::string& layer) {
            return readMatrixFile(directory / "matrices" / (layer + ".safetensors"));
        };
        const MatrixXf w0 = model.weight("blk.0.ffn_up");
        const MatrixXf w1 = model.weight("blk.1.ffn_up");
        const VectorXd f0 = gradients->rowSums("blk.0.ffn_up");
        const VectorXd f1 = gradients->rowSums("blk.1.ffn_up");
        const StoredMatrix first = stored("blk.0.ffn_up");
        const StoredMatrix second = stored("blk.1.ffn_up");
        const auto verify = [&](const VectorXd& f, const MatrixXf& w, const MatrixXf& found) {
            const Best least = best(f, w, first.record.rank);
            const double error = errorIn(f, w, found.cast<double>());
            QVERIFY2(
                error >= least.error * (1 - 1e-6) && error < std::hypot(least.error, kRounding),
                qPrintable(QString("%1, at best %2").arg(error).arg(least.error)));
        };
        if (groups == "none") {
            verify(f0, w0, first.weight->recomposed());
            verify(f1, w1, second.weight->recomposed());
            return;
        }
        MatrixXf whole(w0.rows(), w0.cols() + w1.cols());
        whole << w0, w1;
        MatrixXf found(w0.rows(), w0.cols() + w1.cols());
        found << first.weight->recomposed(), second.weight->recomposed();
        verify(f0 + f1, whole, found);
    }

    // Trials of the knapsack have the sums as well.
    void aRunByTheKnapsack() {
        RunSpecification s = specification();
        s.allocation = &allocationFromName("knapsack");
        s.heldOut = 0.3;
        QCOMPARE(executeRun(s, place("knapsack"), {}).termination, Termination::Converged);
    }

    // Explore reads them where a calibration for this method has been, and says so where not.
    void explored() {
        fs::remove_all(cacheDirectory());
        const Model model = Model::load(m_model, {&m_pool, {}});
        const RunSpecification s = specification();
        CalibrationOptions inputsAlone = calibrationOptionsOf(s);
        inputsAlone.weightGradients = false;
        QVERIFY(calibrate(model, m_pool, inputsAlone));
        ExploreRequest request;
        request.options = s;
        MatrixExplorer without(readMatrixAtHand(s, "blk.0.ffn_up"), 1);
        QVERIFY(without.isWhitened());
        const std::string message = messageOf([&] { without.explore(request, {}); });
        QVERIFY2(message.find("fwsvd") != std::string::npos &&
                     message.find("gradients") != std::string::npos,
                 message.c_str());
        QVERIFY(calibrate(model, m_pool, calibrationOptionsOf(s)));
        MatrixExplorer with(readMatrixAtHand(s, "blk.0.ffn_up"), 1);
        double told = 0;
        ExploreCallbacks callbacks;
        callbacks.point = [&](const ExplorePoint& point) { told = point.relativeError; };
        QCOMPARE(with.explore(request, callbacks), Termination::Converged);
        const MatrixAtHand& matrix = with.matrix();
        QCOMPARE(told, compressMatrix(m_backend, matrix.weight, &*matrix.whitening, s, {}, {}, {},
                                      nullptr, nullptr, &*matrix.rowFisher)
                           .relativeError);
    }

    // By name, before anything is made.
    void refused() {
        const auto messageFor = [&](const std::function<void(RunSpecification&)>& change) {
            RunSpecification s = specification();
            change(s);
            return messageOf([&] { executeRun(s, place("refused"), {}); });
        };
        QVERIFY(messageFor([](RunSpecification& s) {
                    setOwnOption(s, "output_metric", "fisher");
                }).find("output_metric") != std::string::npos);
        QVERIFY(messageFor([](RunSpecification& s) {
                    s.propagation = PropagationKind::Target;
                }).find("propagation") != std::string::npos);
        QVERIFY(!fs::exists(place("refused")));
        const MatrixXf w = layerWeight(48, 112, 9);
        QVERIFY(messageOf([&] { compressed(w, nullptr, fwsvdMethod()); }).find("fwsvd") !=
                std::string::npos);
    }
};

COSPADI_TEST(TestFwsvd)

}  // namespace tst_fwsvd

#include "tst_fwsvd.moc"
