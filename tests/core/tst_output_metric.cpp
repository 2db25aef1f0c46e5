// What errors of outputs cost: the sums of gradients against those of one pass, and compression in
// their metric against arithmetic in double and against what must not change.
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/calibration/output_grams.h"
#include "core/calibration/work_folder.h"
#include "core/forms/matrix_record.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/output_metric.h"
#include "core/model/model_locator.h"
#include "core/run/compression_run.h"
#include "core/run/resolve_specification.h"
#include "core/store/run_file.h"
#include "message_of.h"
#include "small_runs.h"
#include "tests/core/one_backward_pass.h"
#include "tests/core/oracle_data.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_layers.h"
#include "tests/core/small_model_fixture.h"
#include "tests/registered_test.h"

namespace tst_output_metric {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLength = 32;
constexpr std::int64_t kSequences = 40;  // more than gradients are measured on

MatrixXd inputsGram(int d1) {
    const MatrixXd x = randomMatrix(4 * d1, d1, 5).cast<double>();
    return x.transpose() * x;
}

// Of which a few directions count a hundred times as much as the others.
MatrixXd outputsGram(int d2) {
    VectorXd weights = VectorXd::Ones(d2);
    weights.head(d2 / 8).setConstant(1e4);
    const MatrixXd turned = reference::orthonormal(randomMatrix(d2, d2, 9).cast<double>());
    return turned * weights.asDiagonal() * turned.transpose();
}

OutputMetric wholeMetric(const MatrixXd& gram) { return {Whitening(gram, "test"), false, 1}; }

OutputMetric diagonalMetric(const VectorXd& diagonal) {
    return {Whitening::ofDiagonal(diagonal, "test"), true, 1};
}

CompressedMatrix compressed(const MatrixXf& w, const Whitening& inputs,
                            const OutputMetric* outputs) {
    CpuBackend backend(1);
    MatrixOptions options;
    options.cr = 0.4;
    return compressMatrix(backend, w, &inputs, options, {}, {}, {}, nullptr, outputs);
}

// ‖L E Rᵀ‖ by traces in double.
double norm(const MatrixXd& e, const MatrixXd& a, const MatrixXd& b) {
    return std::sqrt((e.transpose() * a * e * b).trace());
}

}  // namespace

class TestOutputMetric : public QObject, SmallModelFixture {
    Q_OBJECT

    ThreadPool m_pool;

    RunSpecification specification() const {
        RunSpecification s;
        s.model = m_model.string();
        s.calibration = small_runs::onText(kSequences, kLength);
        setOwnOption(s, "output_metric", "fisher");
        return s;
    }

    CalibrationOptions calibration() const { return calibrationOptionsOf(specification()); }

    static void forgetGradients() { fs::remove_all(cacheDirectory() / "output-grams"); }

  private slots:
    void initTestCase() { makeModel(); }

    // All sequences in one batch, in memory, and sums in double.
    void sumsAreThoseOfOnePass() {
        const Model model = Model::load(m_model, {&m_pool, {}});
        std::vector<std::int32_t> ids = sampleSequences(model.tokenizer(), calibration());
        ids.resize(kGradientSequences * kLength);
        std::map<std::string, MatrixXd> expected;
        testing::oneBackwardPass(model, m_pool, ids, kLength,
                                 [&](const std::string& layer, const auto& /*X*/, const auto& dY) {
                                     const MatrixXd g = dY.template cast<double>();
                                     expected[layer] = g * g.transpose();
                                 });
        const auto found = measureOutputGrams(model, m_pool, calibration());
        QVERIFY(found);
        QVERIFY(!found->fromCache);
        QCOMPARE(found->sequences, kGradientSequences);
        QCOMPARE(found->tokens, kGradientSequences * kLength);
        for (const LayerInfo& layer : model.layers()) {
            const OutputGram gram = found->of(layer.name);
            const MatrixXd& truth = expected.at(layer.name);
            QCOMPARE(gram.whole.size() > 0, layer.d2 < layer.d1);
            const double difference =
                gram.whole.size() > 0
                    ? (gram.whole - truth).norm() / truth.norm()
                    : (gram.diagonal - truth.diagonal()).norm() / truth.diagonal().norm();
            QVERIFY2(difference < 1e-4, layer.name.c_str());
        }
        QVERIFY(measureOutputGrams(model, m_pool, calibration())->fromCache);
        QVERIFY(messageOf([&] { found->of("blk.9.attn_q"); }).find("blk.9.attn_q") !=
                std::string::npos);
    }

    // Stopped on its way there and on its way back, and begun again.
    void interruptedItGoesOn_data() {
        QTest::addColumn<double>("share");
        QTest::newRow("forward") << 0.1;
        QTest::newRow("back") << 0.5;
    }

    void interruptedItGoesOn() {
        QFETCH(const double, share);
        const Model model = Model::load(m_model, {&m_pool, {}});
        forgetGradients();
        const auto whole = measureOutputGrams(model, m_pool, calibration());
        forgetGradients();
        std::stop_source stop;
        std::int64_t stoppedAt = 0;
        const auto stopped = measureOutputGrams(
            model, m_pool, calibration(),
            [&](const Progress& p) {
                if (static_cast<double>(p.done) >= share * static_cast<double>(p.total)) {
                    stoppedAt = p.done;
                    stop.request_stop();
                }
            },
            stop.get_token());
        QVERIFY(!stopped);
        std::int64_t firstDone = 0;
        const auto again = measureOutputGrams(model, m_pool, calibration(), [&](const Progress& p) {
            firstDone = firstDone == 0 ? p.done : firstDone;
        });
        QVERIFY(again);
        QVERIFY(!again->fromCache);
        QVERIFY(firstDone > stoppedAt);
        for (const LayerInfo& layer : model.layers()) {
            QVERIFY(again->of(layer.name).whole == whole->of(layer.name).whole);
            QVERIFY(again->of(layer.name).diagonal == whole->of(layer.name).diagonal);
        }
        QVERIFY(stoppedAt > 0);
    }

    // Killed behind its last block, before the cache had it by its name: nothing is measured again.
    void finishedItIsTaken() {
        const Model model = Model::load(m_model, {&m_pool, {}});
        forgetGradients();
        const auto whole = measureOutputGrams(model, m_pool, calibration());
        QVERIFY(whole);
        const fs::path folder = cacheDirectory() / "output-grams" / whole->cacheKey;
        fs::rename(folder, partialOf(folder));
        bool measures = false;
        const auto again = measureOutputGrams(model, m_pool, calibration(),
                                              [&](const Progress& /*p*/) { measures = true; });
        QVERIFY(again && !measures && fs::exists(folder));
        for (const LayerInfo& layer : model.layers()) {
            QVERIFY(again->of(layer.name).whole == whole->of(layer.name).whole);
            QVERIFY(again->of(layer.name).diagonal == whole->of(layer.name).diagonal);
        }
    }

    // B̄ has mean diagonal 1, and no direction less than λ.
    void directionsKeepSomeWeight() {
        const Model model = Model::load(m_model, {&m_pool, {}});
        const auto grams = measureOutputGrams(model, m_pool, calibration());
        CpuBackend backend(1);
        for (const LayerInfo& layer : model.layers()) {
            const OutputMetric metric = outputMetric(*grams, layer.name, backend);
            QCOMPARE(metric.isDiagonal, layer.d2 >= layer.d1);
            const MatrixXd gram = metric.factor.gram();
            QVERIFY(std::abs(gram.diagonal().mean() - 1) < 1e-9);
            QVERIFY(reference::eigenvalues(gram)(0) > kOutputShrinkage * (1 - 1e-6));
        }
    }

    // The metric that the paper has, said in so many words.
    void identityChangesNothing_data() { shapes(); }

    void identityChangesNothing() {
        QFETCH(const int, d1);
        QFETCH(const int, d2);
        const MatrixXf w = layerWeight(d1, d2, 3);
        const Whitening inputs(inputsGram(d1), "test");
        const OutputMetric same = diagonalMetric(VectorXd::Ones(d2));
        const MatrixXf plain = compressed(w, inputs, nullptr).weight->recomposed();
        QVERIFY(compressed(w, inputs, &same).weight->recomposed() == plain);
    }

    void whatCountsIsNearer_data() { shapes(); }

    // Directions of the outputs in all shapes, then single outputs.
    void whatCountsIsNearer() {
        QFETCH(const int, d1);
        QFETCH(const int, d2);
        const MatrixXf w = layerWeight(d1, d2, 3);
        const MatrixXd a = inputsGram(d1);
        const Whitening inputs(a, "test");
        const MatrixXd b = outputsGram(d2);
        VectorXd lengths = VectorXd::Ones(d2);
        for (int j = 0; j < d2; j += 8) {
            lengths(j) = 1e4;
        }
        const MatrixXd diagonal = lengths.asDiagonal();
        const auto compare = [&](const OutputMetric& metric, const MatrixXd& gram) {
            const auto errorOf = [&](const CompressedMatrix& found) {
                const MatrixXd e = (w - found.weight->recomposed()).cast<double>();
                return norm(e, a, gram) / norm(w.cast<double>(), a, gram);
            };
            const CompressedMatrix found = compressed(w, inputs, &metric);
            QVERIFY(std::abs(*found.outputError - errorOf(found)) < 1e-3 * *found.outputError);
            QVERIFY(errorOf(found) < 0.7 * errorOf(compressed(w, inputs, nullptr)));
            QVERIFY(found.relativeError > compressed(w, inputs, nullptr).relativeError);
        };
        compare(diagonalMetric(lengths), diagonal);
        compare(wholeMetric(b), b);
    }

    // Halves of a text that repeats itself agree in all; of one sequence there are none.
    void trustIsWhatHalvesShare() {
        const Model model = Model::load(m_model, {&m_pool, {}});
        const fs::path text = place("again.txt");
        std::ofstream stream(text);
        for (int i = 0; i < 4000; ++i) {
            stream << "aa";
        }
        stream.close();
        CalibrationOptions same = calibration();
        same.text = text;
        same.sequences = 4;
        CalibrationOptions one = calibration();
        one.sequences = 1;
        const auto repeated = measureOutputGrams(model, m_pool, same);
        const auto real = measureOutputGrams(model, m_pool, calibration());
        const auto single = measureOutputGrams(model, m_pool, one);
        for (const LayerInfo& layer : model.layers()) {
            // Of values that are all alike attention makes the same, whatever queries and keys: no
            // gradient reaches these, only rounding.
            const bool isReached = layer.kind != "attn_q" && layer.kind != "attn_k";
            QVERIFY2(!isReached || repeated->of(layer.name).trust > 0.999,
                     qPrintable(QString("%1 %2")
                                    .arg(QString::fromStdString(layer.name))
                                    .arg(repeated->of(layer.name).trust)));
            const double share = real->of(layer.name).trust;
            QVERIFY(share >= 0 && share < 1);
            QCOMPARE(single->of(layer.name).trust, 0.0);
        }
    }

    // By name, before anything is made.
    void refused() {
        const auto messageFor = [&](const std::function<void(RunSpecification&)>& change) {
            RunSpecification s = specification();
            change(s);
            return messageOf([&] { executeRun(s, place("refused"), {}); });
        };
        QVERIFY(messageFor([](RunSpecification& s) {
                    s.solver = Solver::Ksvd;
                }).find("output_metric") != std::string::npos);
        QVERIFY(messageFor([](RunSpecification& s) {
                    setOwnOption(s, "groups", "pairs");
                    setOwnOption(s, "group_metric", "own");
                }).find("output_metric") != std::string::npos);
        QVERIFY(!fs::exists(place("refused")));
    }

    // A run by the knapsack: what it expects and what it measures of the whole stand beside each
    // other, and none of its layers was probed.
    void aRun() {
        RunSpecification s = specification();
        s.allocation = &allocationFromName("knapsack");
        const RunSummary summary = executeRun(s, place("run"), {});
        QCOMPARE(summary.termination, Termination::Converged);
        const nlohmann::json allocation = readRunJson(place("run") / "allocation.json", "");
        const auto of = [&](const char* field) {
            return allocation.at("model").at(field).get<double>();
        };
        QVERIFY(of("predicted_divergence") > 0);
        QVERIFY(of("divergence") <= of("uniform_divergence"));
    }
};

COSPADI_TEST(TestOutputMetric)

}  // namespace tst_output_metric

#include "tst_output_metric.moc"
