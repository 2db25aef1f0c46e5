// --device against every state a machine can be in, played by a driver that is made up; libraries
// that are there, that lack something, and that are nowhere.
#include <dlfcn.h>

#include <QtTest>
#include <algorithm>
#include <functional>

#include "core/base/error.h"
#include "gpu/device/device_choice.h"
#include "gpu/device/device_monitor.h"
#include "gpu/device/shared_library.h"
#include "tests/registered_test.h"

namespace tst_device_choice {

using namespace cospadi;

namespace {

struct MadeUpDriver final : CudaDriver {
    std::optional<int> supported = 13000;
    std::string trouble;
    std::vector<DeviceInfo> list = {{0, "NVIDIA H200", 9, 0, 132, 143'000'000'000},
                                    {1, "NVIDIA A100", 8, 0, 108, 80'000'000'000}};
    std::map<int, std::int64_t> free = {{0, 140'000'000'000}, {1, 79'000'000'000}};

    std::optional<int> version() override { return supported; }
    std::string problem() override { return trouble; }
    std::vector<DeviceInfo> devices() override { return trouble.empty() ? list : decltype(list){}; }
    std::optional<std::int64_t> freeBytes(int index) override {
        const auto found = free.find(index);
        return found == free.end() ? std::nullopt : std::optional(found->second);
    }
};

using Change = std::function<void(MadeUpDriver&, CudaRequirements&)>;

}  // namespace

class TestDeviceChoice : public QObject {
    Q_OBJECT

    static CudaRequirements requirements() {
        CudaRequirements needed;
        needed.built = true;
        needed.toolkitVersion = 13010;
        return needed;
    }

  private slots:
    void aGoodDeviceIsTaken_data() {
        QTest::addColumn<QString>("request");
        QTest::addColumn<int>("index");  // -1: the CPU
        QTest::addColumn<bool>("mayFall");
        QTest::newRow("auto") << "auto" << 0 << true;
        QTest::newRow("cpu") << "cpu" << -1 << false;
        QTest::newRow("cuda") << "cuda" << 0 << false;
        QTest::newRow("cuda:1") << "cuda:1" << 1 << false;
    }

    void aGoodDeviceIsTaken() {
        QFETCH(QString, request);
        QFETCH(int, index);
        QFETCH(bool, mayFall);
        MadeUpDriver driver;
        const DeviceChoice choice = chooseDevice(request.toStdString(), requirements(), driver);
        QCOMPARE(choice.device ? choice.device->index : -1, index);
        QCOMPARE(choice.freeBytes, index < 0 ? 0 : driver.free.at(index));
        QCOMPARE(choice.cpuMayTakeOver, mayFall);
        QCOMPARE(choice.reason, std::string());
    }

    // auto goes on on the CPU and says why; whoever names a device gets an error with the same
    // words.
    void everyObstacleHasItsReason_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("reason");
        QTest::newRow("built without CUDA")
            << Change([](MadeUpDriver&, CudaRequirements& n) { n.built = false; })
            << "built without CUDA";
        QTest::newRow("no driver")
            << Change([](MadeUpDriver& d, CudaRequirements&) { d.supported.reset(); })
            << "no NVIDIA driver";
        QTest::newRow("old driver")
            << Change([](MadeUpDriver& d, CudaRequirements&) { d.supported = 12040; })
            << "supports CUDA 12.4, but this program was built with 13.1 and needs 13.0 or newer";
        QTest::newRow("driver does not start")
            << Change([](MadeUpDriver& d, CudaRequirements&) { d.trouble = "unknown error"; })
            << "cannot be initialised: unknown error";
        QTest::newRow("no device")
            << Change([](MadeUpDriver& d, CudaRequirements&) { d.list.clear(); })
            << "lists no device";
        QTest::newRow("old devices") << Change([](MadeUpDriver& d, CudaRequirements&) {
            d.list = {{0, "Tesla T4", 7, 5, 40, 16'000'000'000}};
        }) << "Tesla T4 has compute capability 7.5; this program has code for 8.0 and newer";
        QTest::newRow("memory taken") << Change([](MadeUpDriver& d, CudaRequirements&) {
            d.list.resize(1);
            d.free[0] = 300'000'000;
        }) << "has only 0.3 GB of its 143.0 GB free";
        QTest::newRow("held by another program") << Change([](MadeUpDriver& d, CudaRequirements&) {
            d.list.resize(1);
            d.free.clear();
        }) << "cannot be opened";
    }

    void everyObstacleHasItsReason() {
        QFETCH(Change, change);
        QFETCH(QString, reason);
        MadeUpDriver driver;
        CudaRequirements needed = requirements();
        change(driver, needed);
        const DeviceChoice choice = chooseDevice("auto", needed, driver);
        QVERIFY(!choice.device && choice.cpuMayTakeOver);
        QVERIFY2(QString::fromStdString(choice.reason).contains(reason), choice.reason.c_str());
        try {
            chooseDevice("cuda:0", needed, driver);
            QFAIL("was accepted");
        } catch (const DeviceError& error) {
            const QString message = error.what();
            QVERIFY2(message.contains(reason) && message.contains("--device cuda:0") &&
                         message.contains("--device cpu"),
                     error.what());
        }
        QVERIFY(!chooseDevice("cpu", needed, driver).device);
    }

    // Memory and load as a management library tells them, played by one that is made up.
    void memoryAndLoadOfADevice() {
        const auto state = [](const char* word) { qputenv("COSPADI_MADE_UP_NVML", word); };
        DeviceMonitor monitor("0000:65:00.0", COSPADI_MADE_UP_NVML);
        state("");
        QVERIFY(monitor.load().has_value());
        QCOMPARE(monitor.load()->usedBytes, std::int64_t{30'000'000'000});
        QCOMPARE(monitor.load()->totalBytes, std::int64_t{141'000'000'000});
        QCOMPARE(monitor.load()->load, 0.87);
        state("mig");  // a part of a device has memory, but no load of its own
        QCOMPARE(monitor.load()->usedBytes, std::int64_t{30'000'000'000});
        QVERIFY(monitor.load()->load < 0);
        state("lost");
        QVERIFY(!monitor.load());
        state("");
        QVERIFY(!DeviceMonitor("0000:17:00.0", COSPADI_MADE_UP_NVML).load());
        QVERIFY(!DeviceMonitor("0000:65:00.0", "libnosuchnvml.so.1").load());
        QVERIFY(!DeviceMonitor("", COSPADI_MADE_UP_NVML).load());
    }

    void aDriverOfTheSameMajorVersionWillDo_data() {
        QTest::addColumn<int>("driver");
        QTest::addColumn<int>("toolkit");
        QTest::addColumn<bool>("accepted");
        QTest::newRow("older minor") << 13000 << 13010 << true;
        QTest::newRow("the same") << 13010 << 13010 << true;
        QTest::newRow("newer minor") << 13020 << 13010 << true;
        QTest::newRow("newer major") << 13000 << 12040 << true;
        QTest::newRow("older major") << 12090 << 13000 << false;
    }

    void aDriverOfTheSameMajorVersionWillDo() {
        QFETCH(int, driver);
        QFETCH(int, toolkit);
        QFETCH(bool, accepted);
        MadeUpDriver installed;
        installed.supported = driver;
        CudaRequirements needed = requirements();
        needed.toolkitVersion = toolkit;
        QCOMPARE(chooseDevice("auto", needed, installed).device.has_value(), accepted);
    }

    void withoutAnIndexTheFirstThatWillDoIsTaken() {
        MadeUpDriver driver;
        driver.free[0] = 0;
        QCOMPARE(chooseDevice("auto", requirements(), driver).device->index, 1);
        QCOMPARE(chooseDevice("cuda", requirements(), driver).device->index, 1);
        QVERIFY_THROWS_EXCEPTION(DeviceError, chooseDevice("cuda:0", requirements(), driver));
    }

    void whatIsNoDeviceIsRefused_data() {
        QTest::addColumn<QString>("request");
        QTest::addColumn<QString>("message");
        QTest::newRow("out of range") << "cuda:9"
                                      << "there is no device 9";
        for (const char* wrong :
             {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CUDA", "cuda:99999999999"}) {
            QTest::newRow(wrong[0] == 0 ? "empty" : wrong) << wrong << "is not a device";
        }
    }

    void whatIsNoDeviceIsRefused() {
        QFETCH(QString, request);
        QFETCH(QString, message);
        MadeUpDriver driver;
        try {
            chooseDevice(request.toStdString(), requirements(), driver);
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains(message), error.what());
        }
    }

    void aLibraryIsFoundInAToolkit_data() {
        QTest::addColumn<QString>("variable");
        QTest::newRow("CUDA_PATH") << "CUDA_PATH";
        QTest::newRow("CUDA_HOME") << "CUDA_HOME";
    }

    void aLibraryIsFoundInAToolkit() {
        QFETCH(QString, variable);
        const QTemporaryDir toolkit;
        const QString name = "libmade_up_of_" + variable + ".so";
        QVERIFY(QDir(toolkit.path()).mkdir("lib64"));
        QVERIFY(QFile::copy(COSPADI_MADE_UP_NVML, toolkit.filePath("lib64/" + name)));
        QVERIFY(!SharedLibrary(name.toStdString()));
        qputenv(variable.toUtf8(), toolkit.path().toUtf8());
        SharedLibrary library(name.toStdString());
        qunsetenv(variable.toUtf8());
        QVERIFY(library);
        QCOMPARE(library.problem(), std::string());
        int (*init)() = nullptr;
        QVERIFY(library.find("nvmlInit_v2", init));
        QVERIFY(!library.find("nvmlShutDownTwice", init));
        QVERIFY2(library.problem().find("nvmlShutDownTwice") != std::string::npos,
                 library.problem().c_str());
    }

    // The words of the place where it lies, not of one where it does not.
    void aLibraryThatNeedsAnotherNamesIt() {
        qputenv("CUDA_PATH", COSPADI_MADE_UP_TOOLKIT);
        const SharedLibrary library("libmade_up_in_need.so");
        qunsetenv("CUDA_PATH");
        QVERIFY(!library);
        QVERIFY2(library.problem().starts_with(COSPADI_MADE_UP_TOOLKIT
                                               "/lib64/libmade_up_in_need.so: libmade_up_need.so:"),
                 library.problem().c_str());
    }

    void aLibraryThatIsNoneSaysWhere() {
        const QTemporaryDir toolkit;
        QVERIFY(QDir(toolkit.path()).mkdir("lib64"));
        QFile empty(toolkit.filePath("lib64/libmade_up_empty.so"));
        QVERIFY(empty.open(QFile::WriteOnly));
        qputenv("CUDA_PATH", toolkit.path().toUtf8());
        const SharedLibrary library("libmade_up_empty.so");
        qunsetenv("CUDA_PATH");
        QVERIFY(!library);
        QVERIFY2(library.problem().starts_with(empty.fileName().toStdString() + ": "),
                 library.problem().c_str());
    }

    void aLibraryThatIsNowhereWasLookedForEverywhere() {
        const SharedLibrary library("libnosuchlibrary.so.1");
        QVERIFY(!library);
        QVERIFY2(library.problem().starts_with("libnosuchlibrary.so.1: "),
                 library.problem().c_str());
        for (const char* folder :
             {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/targets/x86_64-linux/lib/",
              "/opt/cuda/lib64/", "/usr/lib/x86_64-linux-gnu/"}) {
            const std::string place = std::string(folder) + "libnosuchlibrary.so.1";
            QVERIFY2(std::any_of(library.failures().begin(), library.failures().end(),
                                 [&](const SharedLibrary::Failure& failure) {
                                     return failure.place == place && !failure.said.empty();
                                 }),
                     place.c_str());
        }
    }

    void aLibraryStaysLoaded() {
        QVERIFY(SharedLibrary(COSPADI_MADE_UP_NVML));
        QVERIFY(::dlopen(COSPADI_MADE_UP_NVML, RTLD_NOW | RTLD_NOLOAD) != nullptr);
    }

    // Whatever this machine has, asking must not fail, and the two answers must agree.
    void theInstalledDriverAnswers() {
        const auto driver = installedDriver();
        if (!driver->version()) {
            QVERIFY(driver->devices().empty());
            QVERIFY(!driver->freeBytes(0));
            return;
        }
        for (const DeviceInfo& device : driver->devices()) {
            QVERIFY(!device.name.empty() && device.totalBytes > 0 && device.major > 0);
        }
    }
};

COSPADI_TEST(TestDeviceChoice)

}  // namespace tst_device_choice

#include "tst_device_choice.moc"
