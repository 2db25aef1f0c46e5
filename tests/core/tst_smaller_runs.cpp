// A matrix whose error stands above what a run with fewer bytes left of it.
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/run/smaller_runs.h"
#include "tests/registered_test.h"

namespace tst_smaller_runs {

using namespace cospadi;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

struct Stored {
    const char* name;
    double error;
    int bytes;
};

MatrixRecord record(const Stored& stored) {
    MatrixRecord made;
    made.name = stored.name;
    made.relativeError = stored.error;
    made.bytes = stored.bytes;
    return made;
}

}  // namespace

class TestSmallerRuns : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    int m_runs = 0;

    fs::path runs() const { return m_folder.path().toStdString(); }

    void store(const RunSpecification& specification, const std::vector<Stored>& matrices) {
        const fs::path run = runs() / ("run-" + std::to_string(++m_runs));
        fs::create_directories(run);
        std::ofstream(run / "run.json")
            << json::object({{"specification", toJson(specification)}}).dump();
        json list = json::array();
        for (const Stored& matrix : matrices) {
            list.push_back(
                {{"name", matrix.name}, {"relative_error", matrix.error}, {"bytes", matrix.bytes}});
        }
        std::ofstream(run / "result.json") << json::object({{"matrices", list}}).dump();
    }

  private slots:
    void cleanup() {
        for (const auto& entry : fs::directory_iterator(runs())) {
            fs::remove_all(entry.path());
        }
        m_runs = 0;
    }

    void onlyFewerBytesWithASmallerErrorCount() {
        RunSpecification smaller;
        smaller.cr = 0.4;
        smaller.layers = "blk";
        smaller.accounting = Accounting::Packed;  // which implies other bits at another ratio
        store(smaller, {{"beaten", 0.05, 80},
                        {"same", 0.099, 80},
                        {"larger", 0.05, 100},
                        {"tiny", 0.001, 80},
                        {"worse", 0.2, 80}});
        smaller.cr = 0.5;
        store(smaller, {{"beaten", 0.04, 70}});
        fs::create_directories(runs() / "no run");
        RunSpecification ours = smaller;
        ours.cr = 0.1;
        ours.layers = ".*";
        const auto beaten =
            beatenBySmallerRuns(ours,
                                {record({"beaten", 0.1, 100}), record({"same", 0.1, 100}),
                                 record({"larger", 0.1, 100}), record({"tiny", 0.009, 100}),
                                 record({"worse", 0.1, 100}), record({"nowhere", 0.1, 100})},
                                runs());
        QCOMPARE(beaten.size(), std::size_t{1});
        QCOMPARE(beaten[0].matrix, std::string("beaten"));
        QCOMPARE(beaten[0].otherError, 0.04);
        QCOMPARE(beaten[0].otherRun, std::string("run-2"));
    }

    void otherSettingsDoNotCount() {
        RunSpecification other;
        other.cr = 0.4;
        for (const char* field : {"rho", "seed", "calibration"}) {
            RunSpecification s = other;
            s.rho = std::string(field) == "rho" ? 3 : s.rho;
            s.propagation = std::string(field) == "seed" ? PropagationKind::Target : s.propagation;
            s.calibration.sequences = std::string(field) == "calibration" ? 8 : 64;
            store(s, {{"a", 0.01, 50}});
        }
        RunSpecification ours;
        QVERIFY(beatenBySmallerRuns(ours, {record({"a", 0.1, 100})}, runs()).empty());
        store(other, {{"a", 0.01, 50}});
        QCOMPARE(beatenBySmallerRuns(ours, {record({"a", 0.1, 100})}, runs()).size(),
                 std::size_t{1});
    }
};

COSPADI_TEST(TestSmallerRuns)

}  // namespace tst_smaller_runs

#include "tst_smaller_runs.moc"
