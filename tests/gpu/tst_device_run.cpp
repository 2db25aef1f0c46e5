// Whole runs on a device that is emulated: the same model comes out as on the CPU, the record names
// the device, and when it fails in the middle the CPU takes over only where the user said auto.
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/forms/matrix_file.h"
#include "core/methods/method.h"
#include "core/run/compression_run.h"
#include "core/run/evaluate_run.h"
#include "core/store/run_file.h"
#include "gpu/cuda_backend.h"
#include "tests/core/own_folder.h"
#include "tests/gpu/small_model.h"
#include "tests/registered_test.h"

namespace tst_device_run {

using namespace cospadi;
namespace fs = std::filesystem;

namespace {

RunSpecification specification(Solver solver) {
    RunSpecification s;
    s.model = COSPADI_TEST_DATA "/oracle/arch/a_llama_gqa";
    s.method = &methodFromName("cospadi-free");
    s.solver = solver;
    s.iterations = solver == Solver::Ksvd ? 2 : 6;
    s.powerIterations = 2;
    s.layers = R"(blk\.0\.)";
    return s;
}

// With calibration.
RunSpecification calibrated(const fs::path& model) {
    RunSpecification s;
    s.model = model.string();
    s.method = &methodFromName("cospadi");
    s.iterations = 4;
    s.layers = R"(blk\.0\.)";
    s.calibration.text = oracle::file("GPL-3.txt").string();
    s.calibration.sequences = 16;
    s.calibration.length = 64;
    return s;
}

ComputeDevice emulatedDevice(bool cpuMayTakeOver) {
    ComputeDevice device;
    device.description = "cuda:0 emulated";
    device.matricesAtOnce = 1;
    device.cpuMayTakeOver = cpuMayTakeOver;
    device.rates.hostOperationsPerCore = 1;  // so that everything pays
    device.open = [](int) { return std::make_unique<CudaBackend>("emulated"); };
    return device;
}

}  // namespace

class TestDeviceRun : public QObject, OwnFolder {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_cache;
    fs::path m_model;

  private slots:
    void initTestCase() { m_model = makeSmallModel(place("model")); }
    void init() {  // every run calibrates for itself
        m_cache = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CACHE_HOME", m_cache->path().toLocal8Bit());
        qputenv("COSPADI_RUNS", m_cache->filePath("runs").toLocal8Bit());
    }
    void cleanup() { emulation::loseDevice(false); }

    void agreesWithTheCpu_data() {
        QTest::addColumn<QByteArray>("solver");
        QTest::newRow("fast") << QByteArray("fast");
        QTest::newRow("ksvd") << QByteArray("ksvd");
    }

    void agreesWithTheCpu() {
        QFETCH(QByteArray, solver);
        const fs::path onCpu = place((solver + "-cpu").constData());
        const fs::path onDevice = place((solver + "-device").constData());
        RunExecution execution;
        execution.writeModel = false;
        const RunSpecification s = specification(solverFromName(solver.toStdString()));
        executeRun(s, onCpu, execution);
        execution.device = emulatedDevice(false);
        QCOMPARE(executeRun(s, onDevice, execution).termination, Termination::Converged);
        const auto run = readRunJson(onDevice / "run.json", "");
        QCOMPARE(run.at("environment").at("device"), "cuda:0 emulated");
        QCOMPARE(readRunJson(onCpu / "run.json", "").at("environment").at("device"), "cpu");
        const auto expected = readRunJson(onCpu / "result.json", "").at("matrices");
        const auto found = readRunJson(onDevice / "result.json", "").at("matrices");
        QCOMPARE(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            const double error = found[i].at("relative_error");
            const double wanted = expected[i].at("relative_error");
            // Rounding may let a near tie choose another atom; the solvers end within a percent.
            QVERIFY2(std::abs(error - wanted) < 0.01 * wanted,
                     qPrintable(QString("%1 instead of %2").arg(error).arg(wanted)));
        }
    }

    void aLostDeviceEndsTheRunUnlessAuto_data() {
        QTest::addColumn<bool>("mayTakeOver");
        QTest::newRow("cuda") << false;
        QTest::newRow("auto") << true;
    }

    void aLostDeviceEndsTheRunUnlessAuto() {
        QFETCH(bool, mayTakeOver);
        const fs::path directory = place(mayTakeOver ? "auto" : "cuda");
        RunExecution execution;
        execution.writeModel = false;
        execution.device = emulatedDevice(mayTakeOver);
        int finished = 0;
        std::string warning;
        execution.onEvent = [&](const nlohmann::json& event) {
            if (event.at("event") == "matrix_finished" && ++finished == 2) {
                emulation::loseDevice(true);
            }
            if (event.at("event") == "warning") {
                warning = event.at("message");
            }
        };
        const RunSpecification s = specification(Solver::Fast);
        if (mayTakeOver) {
            QCOMPARE(executeRun(s, directory, execution).termination, Termination::Converged);
            QCOMPARE(finished, 7);
            QVERIFY2(warning.find("continue on the CPU") != std::string::npos, warning.c_str());
            return;
        }
        QVERIFY_THROWS_EXCEPTION(DeviceError, executeRun(s, directory, execution));
        QCOMPARE(finished, 2);
        QVERIFY(!fs::exists(directory / "result.json"));
        // What was finished stays, and the run goes on on whatever there is then.
        execution.device = {};
        QCOMPARE(executeRun(s, directory, execution).termination, Termination::Converged);
        QCOMPARE(finished, 7);
    }

    // Calibration, whitening and the solver on the device.
    void calibratedRunsAgreeWithTheCpu() {
        RunExecution execution;
        execution.writeModel = false;
        executeRun(calibrated(m_model), place("calibrated-cpu"), execution);
        init();  // not the Gram matrices of the CPU
        execution.device = emulatedDevice(false);
        QCOMPARE(executeRun(calibrated(m_model), place("calibrated-device"), execution).termination,
                 Termination::Converged);
        const auto run = readRunJson(place("calibrated-device") / "run.json", "");
        QCOMPARE(run.at("environment").at("device"), "cuda:0 emulated");
        const auto expected =
            readRunJson(place("calibrated-cpu") / "result.json", "").at("matrices");
        const auto found =
            readRunJson(place("calibrated-device") / "result.json", "").at("matrices");
        QCOMPARE(found.size(), std::size_t{7});
        for (std::size_t i = 0; i < found.size(); ++i) {
            const double error = found[i].at("relative_error");
            const double wanted = expected[i].at("relative_error");
            QVERIFY2(std::abs(error - wanted) < 0.01 * wanted,
                     qPrintable(QString("%1 instead of %2").arg(error).arg(wanted)));
        }
    }

    void aDeviceLostInCalibrationEndsTheRunUnlessAuto_data() {
        aLostDeviceEndsTheRunUnlessAuto_data();
    }

    void aDeviceLostInCalibrationEndsTheRunUnlessAuto() {
        QFETCH(bool, mayTakeOver);
        const fs::path directory = place(mayTakeOver ? "lost-auto" : "lost-cuda");
        RunExecution execution;
        execution.writeModel = false;
        execution.device = emulatedDevice(mayTakeOver);
        QStringList warnings;
        execution.onEvent = [&](const nlohmann::json& event) {
            if (event.at("event") == "progress" && event.at("stage") == "calibration" &&
                event.at("done") == 16) {
                emulation::loseDevice(true);
            }
            if (event.at("event") == "warning") {
                warnings.append(QString::fromStdString(event.at("message")));
            }
        };
        if (!mayTakeOver) {
            QVERIFY_THROWS_EXCEPTION(DeviceError,
                                     executeRun(calibrated(m_model), directory, execution));
            QVERIFY(!fs::exists(directory / "result.json"));
            return;
        }
        QCOMPARE(executeRun(calibrated(m_model), directory, execution).termination,
                 Termination::Converged);
        QCOMPARE(warnings.filter("calibration and the rest continue on the CPU").size(), 1);
    }

    // The record of an evaluation names what computed it, to the end.
    void anEvaluationNamesItsDevices() {
        EvaluationRequest request;
        request.model = m_model.string();
        request.text = oracle::file("GPL-3.txt");
        request.options.context = 16;
        request.options.maxTokens = 5000;  // several batches: the device is lost after the first
        request.device = emulatedDevice(true);
        QCOMPARE(evaluateAndRecord(request)->device, std::string("cuda:0 emulated"));
        int told = 0;
        request.cpuTakesOver = [&](const DeviceError&) { ++told; };
        const auto outcome =
            evaluateAndRecord(request, [](const Progress&) { emulation::loseDevice(true); });
        QCOMPARE(told, 1);
        QVERIFY2(outcome->device.starts_with("cuda:0 emulated, then cpu ("),
                 outcome->device.c_str());
    }

    void whereAutoFoundNoneTheRunSaysWhy() {
        RunExecution execution;
        execution.writeModel = false;
        execution.device.reason = "there is no NVIDIA driver on this machine";
        std::string warning;
        execution.onEvent = [&](const nlohmann::json& event) {
            if (event.at("event") == "warning") {
                warning = event.at("message");
            }
        };
        executeRun(specification(Solver::Fast), place("reason"), execution);
        QVERIFY(warning.find("no NVIDIA driver") != std::string::npos);
    }
};

COSPADI_TEST(TestDeviceRun)

}  // namespace tst_device_run

#include "tst_device_run.moc"
