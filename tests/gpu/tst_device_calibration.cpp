// Calibration whose products are computed on a device, over the emulation: propagated inputs and
// whole calibrations against the CPU's, products in float32 on real inputs, a device that is lost.
#include <QtTest>
#include <algorithm>

#include "core/calibration/calibration.h"
#include "core/calibration/gram_accumulator.h"
#include "core/calibration/propagated_inputs.h"
#include "core/model/device_products.h"
#include "gpu/cuda_backend.h"
#include "tests/core/oracle_data.h"
#include "tests/gpu/device_products_fixture.h"
#include "tests/gpu/emulated_device.h"
#include "tests/registered_test.h"

namespace tst_device_calibration {

using namespace cospadi;
using cospadi::emulation::messageOf;

class TestDeviceCalibration : public QObject, DeviceProductsFixture {
    Q_OBJECT

    CalibrationOptions smallOptions() const {
        CalibrationOptions options;
        options.text = oracle::file("GPL-3.txt");
        options.sequences = 16;
        options.length = 64;
        options.useCache = false;
        return options;
    }

  private slots:
    void initTestCase() { makeModel(); }
    void cleanup() { emulation::restoreDevice(); }

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
