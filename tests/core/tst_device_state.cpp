// Every reason why there is no GPU has its own words; the driver is a made-up folder.
#include <QtTest>
#include <filesystem>
#include <fstream>

#include "core/base/device_state.h"

using namespace cospadi;
namespace fs = std::filesystem;

class TestDeviceState : public QObject {
    Q_OBJECT

  private slots:
    void saysWhyThereIsNoGpu_data() {
        QTest::addColumn<bool>("withCuda");
        QTest::addColumn<bool>("driver");
        QTest::addColumn<bool>("device");
        QTest::addColumn<QString>("computesOn");
        QTest::addColumn<QString>("reason");
        QTest::newRow("built without") << false << true << true << "cpu"
                                       << "built without CUDA";
        QTest::newRow("no driver") << true << false << false << "cpu"
                                   << "no NVIDIA driver";
        QTest::newRow("no device") << true << true << false << "cpu"
                                   << "shows no device";
        QTest::newRow("there") << true << true << true << "cuda"
                               << "";
    }

    void saysWhyThereIsNoGpu() {
        QFETCH(bool, withCuda);
        QFETCH(bool, driver);
        QFETCH(bool, device);
        QTemporaryDir folder;
        const fs::path root = folder.path().toStdString();
        if (driver) {
            fs::create_directories(root / "proc/driver/nvidia");
            std::ofstream(root / "proc/driver/nvidia/version") << "580.1\n";
        }
        if (device) {
            fs::create_directories(root / "dev");
            std::ofstream(root / "dev/nvidia0") << "";
        }
        const DeviceState state = deviceState(withCuda, root);
        QTEST(QString::fromStdString(state.device), "computesOn");
        QFETCH(QString, reason);
        QCOMPARE(state.reason.empty(), reason.isEmpty());
        QVERIFY2(QString::fromStdString(state.reason).contains(reason), state.reason.c_str());
    }
};

QTEST_GUILESS_MAIN(TestDeviceState)
#include "tst_device_state.moc"
