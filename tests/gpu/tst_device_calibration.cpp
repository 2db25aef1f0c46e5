// Calibration whose products are computed on a device, over the emulation: layers against
// DenseLayer, Gram sums against sums in double, whole calibrations against the CPU's; which
// products go there; a full and a lost device.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/error.h"
#include "core/calibration/calibration.h"
#include "core/calibration/gram_accumulator.h"
#include "core/calibration/propagated_inputs.h"
#include "core/evaluation/perplexity.h"
#include "core/model/device_products.h"
#include "core/tasks/continuation_scorer.h"
#include "gpu/cuda_backend.h"
#include "tests/gpu/emulated_device.h"
#include "tests/gpu/small_model.h"
#include "tests/registered_test.h"

namespace tst_device_calibration {

using namespace cospadi;
using cospadi::emulation::messageOf;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using emulation::ThreadOrder;

namespace {

constexpr int kCores = 2;
constexpr std::int64_t kLength = 32;

ComputeDevice emulatedDevice(bool cpuMayTakeOver,
                             GramProducts gramProducts = GramProducts::Double) {
    ComputeDevice device;
    device.cpuMayTakeOver = cpuMayTakeOver;
    device.rates.hostOperationsPerCore = 1;  // so that everything pays
    device.open = [gramProducts](int) {
        return std::make_unique<CudaBackend>("emulated", Precision::Float32, gramProducts);
    };
    return device;
}

// Inputs as they are in language models: a few channels are much larger, all have a mean.
MatrixXf activations(int d1, int tokens, unsigned seed) {
    std::srand(seed);
    MatrixXf x = MatrixXf::Random(d1, tokens).array() + 0.3F;
    for (int i = 0; i < d1; i += 17) {
        x.row(i) *= 60;
    }
    return x;
}

MatrixXd gramOf(const MatrixXf& x) { return x.cast<double>() * x.cast<double>().transpose(); }

double difference(const MatrixXd& a, const MatrixXd& b) { return (a - b).norm() / b.norm(); }

// The largest error of an entry against what its rows could hold: √(Gii Gjj).
double worstEntry(const MatrixXd& found, const MatrixXd& truth) {
    const Eigen::VectorXd scale = truth.diagonal().cwiseSqrt().cwiseInverse();
    return (scale.asDiagonal() * (found - truth) * scale.asDiagonal()).cwiseAbs().maxCoeff();
}

std::vector<std::int32_t> someIds(std::int64_t count) {
    std::vector<std::int32_t> ids;
    for (std::int64_t i = 0; i < count; ++i) {
        ids.push_back(static_cast<std::int32_t>((i * i * 7 + 13 * i + 5) % 500));
    }
    return ids;
}

void leaveRoom(std::size_t bytes) {
    emulation::failAllocationsAbove(emulation::bytesHeld() + bytes);
}

}  // namespace

class TestDeviceCalibration : public QObject {
    Q_OBJECT
    ThreadPool m_pool;
    QTemporaryDir m_folder;
    std::filesystem::path m_model;

    CalibrationOptions smallOptions() const {
        CalibrationOptions options;
        options.text = oracle::file("GPL-3.txt");
        options.sequences = 16;
        options.length = 64;
        options.useCache = false;
        return options;
    }

  private slots:
    void initTestCase() {
        qputenv("XDG_CACHE_HOME", m_folder.filePath("cache").toLocal8Bit());
        m_model = makeSmallModel(m_folder.filePath("model").toStdString());
    }

    void cleanup() { emulation::restoreDevice(); }

    void theRuleGoesByBytesAndMemory_data() {
        QTest::addColumn<int>("d1");
        QTest::addColumn<int>("d2");
        QTest::addColumn<int>("tokens");
        QTest::addColumn<double>("available");
        QTest::addColumn<bool>("product");
        QTest::addColumn<bool>("gram");
        // 16 cores: 8e11 operations a second against 8e9 bytes, 100 operations a byte.
        QTest::newRow("Llama-3-8B ffn_up") << 4096 << 14336 << 2048 << 2e10 << true << true;
        QTest::newRow("Llama-3-8B ffn_down") << 14336 << 4096 << 2048 << 2e10 << true << true;
        QTest::newRow("SmolLM2 attn_k") << 576 << 192 << 2048 << 2e10 << false << false;
        QTest::newRow("a token at a time") << 4096 << 14336 << 1 << 2e10 << false << false;
        QTest::newRow("weight does not fit") << 4096 << 14336 << 2048 << 2e8 << false << true;
        QTest::newRow("sum does not fit") << 14336 << 4096 << 2048 << 1e9 << true << false;
    }

    void theRuleGoesByBytesAndMemory() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        QFETCH(int, tokens);
        QFETCH(double, available);
        const auto bytes = static_cast<std::int64_t>(available);
        QTEST(paysOnDevice(productWork(d1, d2, tokens), {}, 16, bytes), "product");
        QTEST(paysOnDevice(gramWork(d1, tokens), {}, 16, bytes), "gram");
    }

    // What does not pay is not sent, and no device is asked for memory.
    void smallLayersStayOnTheHost() {
        ComputeDevice device = emulatedDevice(false);
        device.rates = {};
        DeviceProducts products(device, kCores);
        const DenseLayer layer(activations(12, 20, 1), 0);
        MatrixXf y = MatrixXf::Constant(1, 1, 7);
        QVERIFY(!products.apply(layer, activations(12, 30, 2), y));
        QCOMPARE(y, MatrixXf::Constant(1, 1, 7));
        QVERIFY(products.gramSum(12, 30) == nullptr);
    }

    void layersAgreeWithTheHost_data() {
        QTest::addColumn<int>("d1");
        QTest::addColumn<int>("d2");
        QTest::addColumn<int>("tokens");
        QTest::newRow("1 × 1, a token") << 1 << 1 << 1;
        QTest::newRow("wide") << 40 << 130 << 75;
        QTest::newRow("tall") << 130 << 40 << 75;
    }

    void layersAgreeWithTheHost() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        QFETCH(int, tokens);
        const DenseLayer layer(activations(d1, d2, 3), 0);
        const MatrixXf x = activations(d1, tokens, 4);
        const ComputeDevice device = emulatedDevice(false);
        DeviceProducts products(device, kCores);
        MatrixXf found;
        MatrixXf expected;
        QVERIFY(products.apply(layer, x, found));
        layer.apply(m_pool, x, expected);
        const MatrixXd truth = layer.weight().cast<double>().transpose() * x.cast<double>();
        QVERIFY(difference(found.cast<double>(), truth) < 1e-6);
        QVERIFY(difference(found.cast<double>(), expected.cast<double>()) < 1e-6);
        // A part of a larger matrix, and the same activations presented.
        MatrixXf again;
        products.present(x);
        QVERIFY(products.apply(layer, x, again));
        QCOMPARE(again, found);
        QVERIFY(products.apply(layer, x.leftCols(1), again));  // begins where x does
        QCOMPARE(again.cols(), Eigen::Index{1});
        QVERIFY(difference(again.cast<double>(), truth.leftCols(1)) < 1e-6);
        const MatrixXf larger = activations(d1, tokens + 2, 5);
        QVERIFY(products.apply(layer, larger.middleCols(1, tokens), again));
        const MatrixXd part =
            layer.weight().cast<double>().transpose() * larger.middleCols(1, tokens).cast<double>();
        QVERIFY(difference(again.cast<double>(), part) < 1e-6);
    }

    // Compressed layers are multiplied factor by factor.
    void factorsAgreeWithTheirProduct() {
        const ComputeDevice device = emulatedDevice(false);
        DeviceProducts products(device, kCores);
        // Bfloat16 values, as such layers hold them: multiples of 1/8 up to 16.
        const auto inEighths = [](const MatrixXf& a) {
            return MatrixXf((a.cwiseMin(15.0F).cwiseMax(-15.0F) * 8).array().round() / 8);
        };
        const MatrixXf b = inEighths(activations(40, 9, 8));
        MatrixXf c = inEighths(activations(9, 60, 9));
        c = (c.array() > 0.4F).select(c, 0.0F);
        const LowRankLayer lowRank(b, c, 0);
        const SparseDictionaryLayer inputSide(b, c, false, 0);
        const SparseDictionaryLayer outputSide(c.transpose(), b.transpose(), true, 0);
        const MatrixXf x = activations(40, 30, 10);
        const MatrixXd expected =
            (b.cast<double>() * c.cast<double>()).transpose() * x.cast<double>();
        for (const LinearLayer* layer :
             std::initializer_list<const LinearLayer*>{&lowRank, &inputSide, &outputSide}) {
            MatrixXf y;
            QVERIFY(products.apply(*layer, x, y));
            QVERIFY(difference(y.cast<double>(), expected) < 1e-6);
        }
    }

    // The same text, the same perplexity; a device that is lost on the way is done without where it
    // may be.
    void perplexityAgreesWithTheHost() {
        const Model model = Model::load(m_model);
        PerplexityOptions options;
        options.context = kLength;
        const std::vector<std::int32_t> ids = someIds(8 * kLength);
        const double expected = evaluatePerplexity(model, m_pool, ids, options)->perplexity;
        const ComputeDevice device = emulatedDevice(false);
        DeviceProducts products(device, kCores);
        const std::size_t launches = emulation::launches();
        const double found =
            evaluatePerplexity(model, m_pool, ids, options, {}, {}, &products)->perplexity;
        QVERIFY(std::abs(found - expected) < 1e-5 * expected);
        QVERIFY(emulation::launches() > launches || emulation::bytesHeld() > 0);

        options.context = 4;  // many batches: the first is there before the device is lost
        std::vector<std::int32_t> longer;
        for (int i = 0; i < 12; ++i) {
            longer.insert(longer.end(), ids.begin(), ids.end());
        }
        int told = 0;
        const ComputeDevice replaceable = emulatedDevice(true);
        DeviceProducts careful(replaceable, kCores, [&](const DeviceError&) { ++told; });
        const double host = evaluatePerplexity(model, m_pool, longer, options)->perplexity;
        const auto run = [&](DeviceProducts& onDevice) {
            return evaluatePerplexity(
                       model, m_pool, longer, options,
                       [](const Progress&) { emulation::loseDevice(true); }, {}, &onDevice)
                ->perplexity;
        };
        QVERIFY(std::abs(run(careful) - host) < 1e-5 * host);
        QCOMPARE(told, 1);
        emulation::loseDevice(false);
        DeviceProducts strict(device, kCores);
        QVERIFY_THROWS_EXCEPTION(DeviceError, run(strict));
    }

    // Continuations with a common beginning, as tasks ask for them; alone and after a lost device.
    void continuationsAgreeWithTheHost() {
        const Model model = Model::load(m_model);
        const std::vector<std::int32_t> ids = someIds(3 * kLength);
        const auto request = [&](int first, int count, std::int64_t context) {
            return ContinuationRequest{{ids.begin() + first, ids.begin() + first + count}, context};
        };
        ContinuationRequest other = request(0, kLength, 20);
        other.ids.back() = ids[40];
        const std::vector<ContinuationGroup> groups = {{request(0, kLength, 20), other},
                                                       {request(kLength, kLength, 5)}};
        const auto expected = ContinuationScorer(model, m_pool).score(groups);
        const auto agrees = [&](ContinuationScorer& scorer) {
            const auto found = scorer.score(groups);
            for (std::size_t g = 0; g < groups.size(); ++g) {
                for (std::size_t r = 0; r < groups[g].size(); ++r) {
                    const double known = expected[g][r].logLikelihood;
                    QVERIFY(std::abs(found[g][r].logLikelihood - known) < 1e-5 * std::abs(known));
                    QCOMPARE(found[g][r].isGreedy, expected[g][r].isGreedy);
                }
            }
        };
        const ComputeDevice device = emulatedDevice(true);
        std::string computedBy;
        const auto products = productsOn(device, kCores, computedBy);
        ContinuationScorer scorer(model, m_pool, products.get());
        const std::size_t launches = emulation::launches();
        agrees(scorer);
        QVERIFY(emulation::launches() > launches || emulation::bytesHeld() > 0);
        QCOMPARE(computedBy, device.description);
        emulation::loseDevice(true);
        agrees(scorer);
        emulation::loseDevice(false);
        QVERIFY(computedBy.starts_with(device.description + ", then cpu ("));
    }

    void gramSumsAgreeWithDouble_data() {
        QTest::addColumn<bool>("inDouble");
        QTest::addColumn<double>("tolerance");
        QTest::newRow("products in double") << true << 1e-14;
        QTest::newRow("products in float32") << false << 2e-6;
    }

    void gramSumsAgreeWithDouble() {
        QFETCH(bool, inDouble);
        QFETCH(double, tolerance);
        CudaBackend backend("emulated", Precision::Float32,
                            inDouble ? GramProducts::Double : GramProducts::Float32);
        const MatrixXf x = activations(150, 2000, 9);
        const auto sum = backend.gramSum(150);
        sum->add(backend.upload(x.leftCols(700)));
        sum->add(backend.upload(x.rightCols(1300)));
        const MatrixXd found = sum->take();
        const double worst = worstEntry(found, gramOf(x));
        qInfo("largest error of an entry: %.1e", worst);
        QVERIFY(worst < tolerance);
        QCOMPARE(found, found.transpose());
        QVERIFY(sum->take().isZero(0));  // begun anew
    }

    void sumsDoNotDependOnTheOrderOfThreads() {
        const MatrixXf x = activations(60, 600, 10);
        for (const GramProducts kind : {GramProducts::Double, GramProducts::Float32}) {
            std::vector<MatrixXd> results;
            for (const ThreadOrder order :
                 {ThreadOrder::Forwards, ThreadOrder::Backwards, ThreadOrder::Shuffled}) {
                emulation::setThreadOrder(order);
                CudaBackend backend("emulated", Precision::Float32, kind);
                const auto sum = backend.gramSum(60);
                sum->add(backend.upload(x));
                results.push_back(sum->take());
            }
            QVERIFY(difference(results[0], gramOf(x)) < 1e-6);
            QCOMPARE(results[0], results[1]);
            QCOMPARE(results[0], results[2]);
        }
    }

    void nanNamesLayerAndSequence() {
        const ComputeDevice device = emulatedDevice(false);
        DeviceProducts products(device, kCores);
        GramAccumulator accumulator(m_pool, &products);
        MatrixXf x = activations(5, 300, 11);
        x(2, 210) = std::numeric_limits<float>::quiet_NaN();
        const QString message =
            oracle::errorOf([&] { accumulator.accumulate("blk.3.ffn_down", x, 8, 100); });
        QVERIFY2(message.contains("blk.3.ffn_down") && message.contains("sequence 10"),
                 qPrintable(message));
    }

    void aFullDeviceGetsSmallerPiecesThenAnError() {
        const DenseLayer layer(activations(40, 50, 12), 0);
        const MatrixXf x = activations(40, 300, 13);
        for (const GramProducts kind : {GramProducts::Double, GramProducts::Float32}) {
            const ComputeDevice device = emulatedDevice(false, kind);
            DeviceProducts products(device, kCores);
            MatrixXf whole;
            QVERIFY(products.apply(layer, x, whole));
            const auto sum = products.gramSum(40, 300);
            QVERIFY(sum != nullptr);
            leaveRoom(23000);  // 300 columns of x and y are 108 000 bytes
            MatrixXf pieces;
            QVERIFY(products.apply(layer, x, pieces));
            QVERIFY(difference(pieces.cast<double>(), whole.cast<double>()) < 1e-6);
            products.add(x, *sum);
            QVERIFY(difference(sum->take(), gramOf(x)) < 1e-6);
            leaveRoom(100);
            for (const QString& message : {messageOf([&] { products.apply(layer, x, pieces); }),
                                           messageOf([&] { products.add(x, *sum); })}) {
                QVERIFY2(message.contains("no memory left") && message.contains("--device cpu"),
                         qPrintable(message));
            }
            // A layer that is not there yet, and another sum: by the rule they stay on the host.
            const DenseLayer other(activations(40, 50, 14), 0);
            QVERIFY(!products.apply(other, x, pieces));
            QVERIFY(products.gramSum(40, 300) == nullptr);
            emulation::failAllocationsAbove(0);
        }
    }

    void aLostDeviceIsAnErrorUnlessTheCpuMayTakeOver() {
        const DenseLayer layer(activations(40, 50, 15), 0);
        const MatrixXf x = activations(40, 30, 16);
        for (const bool mayTakeOver : {false, true}) {
            const ComputeDevice device = emulatedDevice(mayTakeOver);
            int told = 0;
            DeviceProducts products(device, kCores, [&](const DeviceError&) { ++told; });
            MatrixXf y;
            QVERIFY(products.apply(layer, x, y));
            const auto sum = products.gramSum(40, 30);
            emulation::loseDevice(true);
            if (mayTakeOver) {
                QVERIFY(!products.apply(layer, x, y));
                QVERIFY(products.gramSum(40, 30) == nullptr);
            } else {
                QVERIFY_THROWS_EXCEPTION(DeviceError, products.apply(layer, x, y));
            }
            const QString message = messageOf([&] { products.add(x, *sum); });  // is lost
            QVERIFY2(message.contains("the device failed"), qPrintable(message));
            QCOMPARE(told, mayTakeOver ? 1 : 0);
            emulation::loseDevice(false);
        }
    }

    void forwardPassAgreesWithTheHost() {
        Model model = Model::load(m_model, {&m_pool, {}});
        const ComputeDevice device = emulatedDevice(false);
        DeviceProducts products(device, kCores);
        ForwardPass onDevice(model, m_pool, &products);
        const auto ids = someIds(3 * kLength);
        const auto compared = [&] {
            const MatrixXf expected = ForwardPass(model, m_pool).hiddenStates(ids, kLength);
            return difference(onDevice.hiddenStates(ids, kLength).cast<double>(),
                              expected.cast<double>());
        };
        QVERIFY(compared() < 1e-5);
        model.replaceLayer("blk.0.ffn_up",
                           std::make_unique<DenseLayer>(2 * model.weight("blk.0.ffn_up"), 0));
        products.forget();
        QVERIFY(compared() < 1e-5);
    }

    void propagatedInputsAgreeWithTheHost_data() {
        QTest::addColumn<bool>("lost");
        QTest::newRow("on the device") << false;
        QTest::newRow("lost in the middle") << true;
    }

    void propagatedInputsAgreeWithTheHost() {
        QFETCH(bool, lost);
        const ComputeDevice device = emulatedDevice(true);
        DeviceProducts products(device, kCores);
        const auto ids = someIds(3 * kLength);
        std::vector<LayerInputs> found;
        for (DeviceProducts* used : {static_cast<DeviceProducts*>(nullptr), &products}) {
            Model model = Model::load(m_model, {&m_pool, {}});
            PropagatedInputs inputs(model, m_pool, ids, kLength, true, used);
            QVERIFY(inputs.begin(0, {}));
            model.replaceLayer("blk.0.attn_v", std::make_unique<DenseLayer>(
                                                   1.1F * model.weight("blk.0.attn_v"), 0));
            QVERIFY(inputs.finish({}));
            QVERIFY(inputs.begin(1, {}));
            emulation::loseDevice(lost && used != nullptr);
            found.push_back(*inputs.inputs(BlockStage::Down, {}));
        }
        QVERIFY(difference(found[1].gram, found[0].gram) < 1e-5);
        QVERIFY(difference(found[1].drift, found[0].drift) < 1e-3);
    }

    // What products in float32 cost, on inputs of the model that people begin with.
    void float32ProductsOnRealInputs() {
        SKIP_WITHOUT_MODEL();
        const Model model = Model::load(*oracle::defaultModel(), {&m_pool, {}});
        CalibrationOptions options = smallOptions();
        options.sequences = 2;
        options.length = 512;
        const auto ids = sampleSequences(model.tokenizer(), options);
        const ComputeDevice device = emulatedDevice(false, GramProducts::Float32);
        DeviceProducts products(device, kCores);
        GramAccumulator onHost(m_pool);
        GramAccumulator onDevice(m_pool, &products);
        ForwardPass pass(model, m_pool);
        MatrixXf residual = pass.embed(ids);
        for (std::int64_t block = 0; block < 4; ++block) {
            pass.runBlock(block, residual, options.length,
                          [&](const std::string& key, const auto& X) {
                              onHost.accumulate(key, X, 0, options.length);
                              onDevice.accumulate(key, X, 0, options.length);
                          });
        }
        const auto expected = onHost.take();
        const auto found = onDevice.take();
        double norm = 0;
        double entry = 0;
        for (const auto& [key, gram] : expected) {
            norm = std::max(norm, difference(found.at(key), gram));
            entry = std::max(entry, worstEntry(found.at(key), gram));
        }
        qInfo("%zu Gram matrices: relative difference up to %.1e, of an entry up to %.1e",
              expected.size(), norm, entry);
        QVERIFY(norm > 0);  // these were other products
        QVERIFY(norm < 1e-6);
        QVERIFY(entry < 2e-6);
    }

    void calibrationAgreesWithTheCpu() {
        const Model model = Model::load(m_model, {&m_pool, {}});
        const auto expected = calibrate(model, m_pool, smallOptions());
        const ComputeDevice device = emulatedDevice(false);
        DeviceProducts products(device, kCores);
        const std::size_t launches = emulation::launches();
        const auto found = calibrate(model, m_pool, smallOptions(), {}, {}, &products);
        QVERIFY(emulation::launches() > launches);
        double worst = 0;
        for (const std::string& key : expected->keys()) {
            worst = std::max(worst, difference(found->gram(key), expected->gram(key)));
        }
        qInfo("largest relative difference of a Gram: %.1e", worst);
        QVERIFY(worst < 1e-4);
    }

    void aLostDeviceEndsCalibrationUnlessAuto_data() {
        QTest::addColumn<bool>("mayTakeOver");
        QTest::newRow("cuda") << false;
        QTest::newRow("auto") << true;
    }

    void aLostDeviceEndsCalibrationUnlessAuto() {
        QFETCH(bool, mayTakeOver);
        const Model model = Model::load(m_model, {&m_pool, {}});
        const ComputeDevice device = emulatedDevice(mayTakeOver);
        DeviceProducts products(device, kCores);
        const auto losing = [&](const Progress& p) { emulation::loseDevice(p.done == 16); };
        const auto run = [&] {
            return calibrate(model, m_pool, smallOptions(), losing, {}, &products);
        };
        if (!mayTakeOver) {
            const QString message = messageOf([&] { run(); });
            QVERIFY2(message.contains("calibration of block 0"), qPrintable(message));
            return;
        }
        const auto found = run();
        const auto expected = calibrate(model, m_pool, smallOptions());
        for (const std::string& key : expected->keys()) {
            QVERIFY(difference(found->gram(key), expected->gram(key)) < 1e-4);
        }
    }
};

COSPADI_TEST(TestDeviceCalibration)

}  // namespace tst_device_calibration

#include "tst_device_calibration.moc"
