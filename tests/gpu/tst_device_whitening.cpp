// Whitening whose factor lives on a device, over the emulation: against Eigen's Cholesky and the
// host's, on Gram matrices of every kind; a full and a lost device.
#include <QtTest>

#include "core/base/error.h"
#include "core/linalg/whitening.h"
#include "gpu/cuda_backend.h"
#include "tests/core/reference_algebra.h"
#include "tests/gpu/emulated_device.h"
#include "tests/registered_test.h"

namespace tst_device_whitening {

using namespace cospadi;
using cospadi::emulation::messageOf;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using emulation::ThreadOrder;

namespace {

// Eigenvalues from 1 down to `smallest`, evenly in their logarithm; negative: down to 0, so that
// half of them vanish.
MatrixXd gramOf(int n, double smallest) {
    std::srand(9);
    const MatrixXd q = reference::orthonormal(MatrixXd::Random(n, n));
    Eigen::VectorXd values(n);
    for (int i = 0; i < n; ++i) {
        const double share = n > 1 ? static_cast<double>(i) / (n - 1) : 0;
        values(i) = smallest > 0 ? std::pow(smallest, share) : (2 * i < n ? 1.0 : 0.0);
    }
    const MatrixXd gram = q * values.asDiagonal() * q.transpose();
    return 0.5 * (gram + gram.transpose());
}

double difference(const MatrixXd& a, const MatrixXd& b) { return (a - b).norm() / b.norm(); }

void leaveRoom(std::size_t bytes) {
    emulation::failAllocationsAbove(emulation::bytesHeld() + bytes);
}

}  // namespace

class TestDeviceWhitening : public QObject {
    Q_OBJECT

  private slots:
    void cleanup() { emulation::restoreDevice(); }

    void agreesWithTheHost_data() {
        QTest::addColumn<int>("n");
        QTest::addColumn<double>("smallest");
        QTest::addColumn<bool>("shifted");
        QTest::newRow("1 × 1") << 1 << 1.0 << false;
        QTest::newRow("well") << 50 << 1e-2 << false;
        QTest::newRow("ill-conditioned") << 90 << 1e-11 << false;
        QTest::newRow("singular") << 64 << -1.0 << true;
    }

    void agreesWithTheHost() {
        QFETCH(int, n);
        QFETCH(double, smallest);
        QFETCH(bool, shifted);
        const MatrixXd gram = gramOf(n, smallest);
        const MatrixXf w = MatrixXf::Random(n, 37);
        CudaBackend backend("emulation");
        const Whitening host(gram, "layer");
        const Whitening device(gram, "layer", backend);
        QCOMPARE(device.shift() > 0, shifted);
        QCOMPARE(device.shift(), host.shift());

        const MatrixXd metric = gram + device.shift() * MatrixXd::Identity(n, n);
        const MatrixXd upper = reference::choleskyFactor(metric);
        const MatrixXf whitened = device.whitenedFromOriginal(w);
        QVERIFY(difference(whitened.cast<double>(), upper * w.cast<double>()) < 1e-7);
        QVERIFY(difference(whitened.cast<double>(), host.whitenedFromOriginal(w).cast<double>()) <
                1e-7);
        // Backward stable: L times the solution gives the right-hand side back, whatever the
        // condition, up to the rounding of the solution to float32.
        const MatrixXf solved = device.originalFromWhitened(w);
        const MatrixXd back = upper * solved.cast<double>();
        const double rounding = 1e-7 * upper.norm() * solved.cast<double>().norm();
        QVERIFY((back - w.cast<double>()).norm() < rounding + 1e-9);
        QVERIFY(difference(device.gram(), metric) < 1e-13);
        QVERIFY(difference(device.gram(), host.gram()) < 1e-13);
        QCOMPARE(device.gram(), device.gram().transpose());
    }

    // On the device throughout, from the device's own matrices; and where a factor of the host, or
    // of another backend, has to cross.
    void staysOnTheBackend() {
        const MatrixXd gram = gramOf(70, 1e-3);
        const MatrixXf w = MatrixXf::Random(70, 41);
        CudaBackend backend("emulation");
        CudaBackend other("emulation, another");
        const Whitening whitening(gram, "layer", backend);
        const Whitening host(gram, "layer");
        const MatrixXf whitened = whitening.whitenedFromOriginal(w);
        for (const auto& [factor, where] :
             {std::pair<const Whitening*, CudaBackend*>{&whitening, &backend},
              {&whitening, &other},
              {&host, &backend}}) {
            const MatrixXf found =
                where->download(factor->whitenedFromOriginal(*where, where->upload(w)));
            QVERIFY(difference(found.cast<double>(), whitened.cast<double>()) < 1e-7);
            const UnitGram unit = factor->unitGram(*where);
            const MatrixXf metric = where->download(unit.gram);
            QVERIFY(std::abs(unit.scale * gram.diagonal().mean() - 1) < 1e-12);
            QVERIFY(difference(metric.cast<double>(), gram / gram.diagonal().mean()) < 2e-7);
            QCOMPARE(metric, metric.transpose());
        }
    }

    void doesNotDependOnTheOrderOfThreads() {
        const MatrixXd gram = gramOf(70, -1);  // with a shift: every kernel is at work
        const MatrixXf w = MatrixXf::Random(70, 30);
        std::vector<MatrixXf> results;
        for (const ThreadOrder order :
             {ThreadOrder::Forwards, ThreadOrder::Backwards, ThreadOrder::Shuffled}) {
            emulation::setThreadOrder(order);
            CudaBackend backend("emulation");
            const Whitening whitening(gram, "layer", backend);
            results.push_back(whitening.whitenedFromOriginal(w));
            results.push_back(whitening.originalFromWhitened(w));
            results.push_back(whitening.gram().cast<float>());
        }
        for (std::size_t i = 0; i < 3; ++i) {
            QVERIFY(results[i].allFinite());
            QCOMPARE(results[i], results[i + 3]);
            QCOMPARE(results[i], results[i + 6]);
        }
    }

    void outlivesItsBackendAndGivesMemoryBack() {
        const std::size_t before = emulation::bytesHeld();
        {
            auto backend = std::make_unique<CudaBackend>("emulation");
            const MatrixXd gram = gramOf(20, 1e-2);
            const Whitening whitening(gram, "layer", *backend);
            backend.reset();
            QVERIFY(difference(whitening.gram(), gram) < 1e-13);
        }
        QCOMPARE(emulation::bytesHeld(), before);
    }

    void aFullDeviceGetsFewerColumnsThenAnError() {
        const int n = 60;
        const MatrixXd gram = gramOf(n, 1e-3);
        const MatrixXf w = MatrixXf::Random(n, 90);
        CudaBackend backend("emulation");
        const Whitening whitening(gram, "layer", backend);
        const MatrixXf whole = whitening.whitenedFromOriginal(w);
        const MatrixXf solved = whitening.originalFromWhitened(w);
        leaveRoom(20 * 20 * n);  // a column takes 4 + 8 + 8 bytes an entry
        const std::size_t launches = emulation::launches();
        QVERIFY(difference(whitening.whitenedFromOriginal(w).cast<double>(), whole.cast<double>()) <
                1e-7);
        QVERIFY(emulation::launches() - launches >= 2 * 5);  // 90 columns, at most 20 at once
        QVERIFY(difference(whitening.originalFromWhitened(w).cast<double>(),
                           solved.cast<double>()) < 1e-7);
        QVERIFY(difference(whitening.gram(), gram) < 1e-13);
        leaveRoom(100);
        for (const QString& message : {messageOf([&] { whitening.whitenedFromOriginal(w); }),
                                       messageOf([&] { whitening.gram(); }), messageOf([&] {
                                           const Whitening another(gram, "layer", backend);
                                       })}) {
            QVERIFY2(message.contains("not enough memory") && message.contains("--device cpu"),
                     qPrintable(message));
        }
    }

    void aLostDeviceIsAnErrorInWords() {
        CudaBackend backend("emulation");
        const MatrixXd gram = gramOf(20, 1e-2);
        const Whitening whitening(gram, "layer", backend);
        emulation::loseDevice(true);
        QVERIFY(messageOf([&] { whitening.gram(); }).contains("the device failed"));
        QVERIFY_THROWS_EXCEPTION(DeviceError, Whitening(gram, "layer", backend));
    }

    void refusesWhatIsNoGram() {
        CudaBackend backend("emulation");
        QVERIFY_THROWS_EXCEPTION(Error, Whitening(MatrixXd::Zero(3, 3), "blk.0.attn_q", backend));
        MatrixXd nan = MatrixXd::Identity(3, 3);
        nan(0, 2) = std::nan("");
        QVERIFY_THROWS_EXCEPTION(Error, Whitening(nan, "blk.0.attn_q", backend));
    }
};

COSPADI_TEST(TestDeviceWhitening)

}  // namespace tst_device_whitening

#include "tst_device_whitening.moc"
