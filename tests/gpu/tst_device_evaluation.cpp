// Evaluation whose products are computed on a device, over the emulation: the forward pass,
// perplexity and continuations against the host's, also where the device is lost half-way.
#include <QtTest>
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/evaluation/perplexity.h"
#include "core/model/device_products.h"
#include "core/tasks/continuation_scorer.h"
#include "tests/gpu/device_products_fixture.h"
#include "tests/gpu/emulated_device.h"
#include "tests/registered_test.h"

namespace tst_device_evaluation {

using namespace cospadi;

class TestDeviceEvaluation : public QObject, DeviceProductsFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeModel(); }
    void cleanup() { emulation::restoreDevice(); }

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
        const auto expected = *ContinuationScorer(model, m_pool).score(groups);
        const auto agrees = [&](ContinuationScorer& scorer) {
            const auto found = *scorer.score(groups);
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
};

COSPADI_TEST(TestDeviceEvaluation)

}  // namespace tst_device_evaluation

#include "tst_device_evaluation.moc"
