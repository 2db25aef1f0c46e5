// Products that are computed on a device, over the emulation: which of them go there, layers
// against DenseLayer, factors against their product, Gram sums against sums in double; a full and a
// lost device.
#include <QtTest>
#include <limits>

#include "core/base/error.h"
#include "core/calibration/gram_accumulator.h"
#include "core/model/device_products.h"
#include "gpu/cuda_backend.h"
#include "tests/core/oracle_data.h"
#include "tests/gpu/device_products_fixture.h"
#include "tests/gpu/emulated_device.h"
#include "tests/registered_test.h"

namespace tst_device_products {

using namespace cospadi;
using cospadi::emulation::messageOf;
using emulation::ThreadOrder;

namespace {

void leaveRoom(std::size_t bytes) {
    emulation::failAllocationsAbove(emulation::bytesHeld() + bytes);
}

}  // namespace

class TestDeviceProducts : public QObject, DeviceProductsFixture {
    Q_OBJECT

  private slots:
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

    void gramSumsAgreeWithDouble_data() {
        QTest::addColumn<bool>("inDouble");
        QTest::addColumn<double>("tolerance");
        QTest::newRow("products in double") << true << 1e-14;
        QTest::newRow("products in float32") << false << 2e-6;
    }

    void gramSumsAgreeWithDouble() {
        QFETCH(bool, inDouble);
        QFETCH(double, tolerance);
        CudaBackend backend(
            "emulated",
            ProductPrecisions{.grams = inDouble ? GramProducts::Double : GramProducts::Float32});
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
                CudaBackend backend("emulated", ProductPrecisions{.grams = kind});
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
                QVERIFY2(message.contains("not enough memory") && message.contains("--device cpu"),
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
};

COSPADI_TEST(TestDeviceProducts)

}  // namespace tst_device_products

#include "tst_device_products.moc"
