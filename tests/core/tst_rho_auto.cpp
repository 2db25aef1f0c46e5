// Runs whose ρ is "auto": what a specification says of it, and runs that choose, and that are gone
// on with.
#include <QtTest>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "core/model/layer_info.h"
#include "core/run/compression_run.h"
#include "core/store/method_label.h"
#include "core/store/named_settings.h"
#include "core/store/run_settings.h"
#include "core/store/run_specification.h"
#include "core/store/run_store.h"
#include "core/sweep/sweep_grid.h"
#include "tests/core/eq11_sizes.h"
#include "tests/core/matrix_contents.h"
#include "tests/core/oracle_data.h"
#include "tests/core/own_folder.h"
#include "tests/core/small_runs.h"
#include "tests/registered_test.h"

namespace tst_rho_auto {

using namespace cospadi;
using namespace eq11;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::string bytesOf(const fs::path& file) { return oracle::text(file); }

// What a run computed: k, s and errors of its matrices.
json matricesOf(const fs::path& run) {
    json matrices = json::parse(bytesOf(run / "result.json")).at("matrices");
    for (json& matrix : matrices) {
        matrix.erase("seconds");
        matrix.erase("core_seconds");
        matrix.erase("coding_seconds");
        matrix.erase("dictionary_seconds");
        matrix.erase("bytes");  // of the file, in which seconds stand
    }
    return matrices;
}

}  // namespace

class TestRhoAuto : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    // ---- specifications

    void specificationsSayAuto() {
        const RunSpecification s = runSpecificationFromJson({{"rho", "auto"}});
        QVERIFY(s.autoRho && isAllocated(s));
        QCOMPARE(rhoCandidatesOf(s), kCandidates);
        QCOMPARE(toJson(s).at("rho"), json("auto"));
        QCOMPARE(toJson(runSpecificationFromJson(toJson(s))), toJson(s));
        validate(s);
        QCOMPARE(methodLabel(s), std::string("cospadi (fast, ρ auto)"));
        QCOMPARE(methodLabel(s, {"rho"}), std::string("cospadi (fast)"));
        QCOMPARE(shortLabel(s), std::string("cospadi-fast-rho-auto-cr0.20"));
        QCOMPARE(settingsOf(s).at("rho"), std::string("auto"));
        QCOMPARE(settingsOf(s).at("coefficient_bits"), std::string("usual"));

        // A number is what it was, with the fields that there were.
        const RunSpecification number = runSpecificationFromJson({{"rho", 2.5}});
        QVERIFY(!number.autoRho && !isAllocated(number) && rhoCandidatesOf(number).empty());
        QCOMPARE(toJson(number).at("rho"), json(2.5));
        QCOMPARE(toJson(RunSpecification()).at("rho").dump(), std::string("2.0"));
        QVERIFY(!toJson(number).contains("auto_rho"));
        QCOMPARE(toJson(number).size(), toJson(s).size());
        QCOMPARE(shortLabel(number), std::string("cospadi-fast-cr0.20"));
        QVERIFY(!labelledSettings().contains("rho"));
        RunSpecification back = s;
        setSetting(back, "rho", 3);
        QVERIFY(!back.autoRho && back.rho == 3);
    }

    void wrongChoicesAreRefusedByName_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("field");
        QTest::newRow("another word") << R"({"rho": "best"})"
                                      << "rho";
        for (const char* method : {"svd", "svd-llm", "rtn", "gptq", "wanda"}) {
            QTest::newRow(method) << QString(R"({"rho": "auto", "method": "%1"})").arg(method)
                                  << "rho";
        }
        QTest::newRow("groups") << R"({"rho": "auto", "groups": "pairs"})"
                                << "rho";
        QTest::newRow("fixed bits") << R"({"rho": "auto", "coefficient_bits": 14})"
                                    << "coefficient_bits";
    }

    void wrongChoicesAreRefusedByName() {
        QFETCH(QString, text);
        QFETCH(QString, field);
        try {
            validate(runSpecificationFromJson(json::parse(text.toStdString())));
            QFAIL("was accepted");
        } catch (const Error& error) {
            QCOMPARE(QString::fromStdString(error.where()), field);
        }
    }

    void autoIsAValueOfASweep() {
        const auto runs = expandGrid({{"rho", {2, "auto"}}, {"cr", {0.2, 0.3}}});
        QCOMPARE(runs.size(), std::size_t{4});
        std::multiset<bool> automatic;
        for (const RunSpecification& run : runs) {
            automatic.insert(run.autoRho);
        }
        QCOMPARE(automatic.count(true), std::size_t{2});
    }

    // ---- runs

    void runsChooseAndGoOn() {
        RunSpecification s = small_runs::specification();
        s.layers = "blk\\.0\\.";
        s.autoRho = true;
        s.cr = 0.3;
        RunExecution execution;
        execution.writeModel = false;
        execution.threads = 1;
        const fs::path whole = place("whole");
        QCOMPARE(executeRun(s, whole, execution).termination, Termination::Converged);

        const json record = json::parse(bytesOf(whole / "allocation.json"));
        QCOMPARE(record.at("rule"), json("uniform"));
        const json matrices = matricesOf(whole);
        QVERIFY(!matrices.empty());
        for (const json& matrix : matrices) {
            const json& own = record.at(matrix.at("name").get<std::string>());
            LayerInfo layer;
            layer.d1 = matrix.at("d1").get<std::int64_t>();
            layer.d2 = matrix.at("d2").get<std::int64_t>();
            const Eq11Sizes sizes = eq11Sizes(layer, 0.3, own.at("rho").get<double>());
            QCOMPARE(own.at("cr").get<double>(), 0.3);
            QCOMPARE(matrix.at("k").get<double>(), sizes.k);
            QCOMPARE(matrix.at("s").get<double>(), sizes.s);
        }

        // Stopped after the first matrix, it goes on with what it chose.
        const fs::path stopped = place("stopped");
        std::stop_source stop;
        RunExecution first = execution;
        first.onEvent = [&](const json& event) {
            if (event.at("event") == "matrix_finished") {
                stop.request_stop();
            }
        };
        QCOMPARE(executeRun(s, stopped, first, stop.get_token()).termination,
                 Termination::Cancelled);
        const std::string chosen = bytesOf(stopped / "allocation.json");
        QCOMPARE(chosen, bytesOf(whole / "allocation.json"));
        int allocations = 0;
        RunExecution second = execution;
        second.onEvent = [&](const json& event) {
            allocations += event.at("event") == "preparation" ? 1 : 0;
        };
        QCOMPARE(executeRun(s, stopped, second).termination, Termination::Converged);
        QCOMPARE(allocations, 0);
        QCOMPARE(bytesOf(stopped / "allocation.json"), chosen);
        QCOMPARE(matricesOf(stopped), matrices);
        QVERIFY(matrix_contents::ofRun(stopped) == matrix_contents::ofRun(whole));

        // The index tells it apart from any number.
        RunStore store = RunStore::open(place("index.sqlite"));
        const RunRow row = store.find(store.importRun(whole));
        QVERIFY(row.hasAutoRho());
        QVERIFY(specificationOf(row)->autoRho);
        QCOMPARE(store.group({"rho"}, {}).at(0).values.at(0), std::string("auto"));
    }

    void aChoiceThatIsDamagedIsNamed() {
        RunSpecification s = small_runs::specification();
        s.layers = "blk\\.0\\.attn_q";
        s.autoRho = true;
        const fs::path directory = place("damaged");
        executeRun(s, directory, {});
        const fs::path file = directory / "allocation.json";
        json record = json::parse(bytesOf(file));
        record.at("blk.0.attn_q").erase("rho");
        std::ofstream(file) << record;
        fs::remove(directory / "matrices" / "blk.0.attn_q.safetensors");
        const QString problem = oracle::errorOf([&] { executeRun(s, directory, {}); });
        QVERIFY2(problem.contains("rho"), qPrintable(problem));
    }
};

COSPADI_TEST(TestRhoAuto)

}  // namespace tst_rho_auto

#include "tst_rho_auto.moc"
