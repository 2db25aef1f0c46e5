// Which settings make runs of their own: what a method does not read makes none, and earlier runs
// stay what they are.
#include <QtTest>
#include <filesystem>
#include <fstream>

#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/method.h"
#include "core/run/earlier_runs.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"
#include "core/sweep/sweep.h"
#include "core/sweep/sweep_grid.h"
#include "sweep_fixture.h"
#include "tests/core/message_of.h"
#include "tests/registered_test.h"

namespace tst_sweep_settings {

using namespace cospadi;
using namespace cospadi::sweep_fixture;

class TestSweepSettings : public QObject, SweepFixture {
    Q_OBJECT

  private slots:
    void init() { openFolder(); }

    // A ratio that does not count is not told: RTN's bytes follow from its bits.
    void jobsAreDescribedByWhatCounts() {
        std::vector<SweepJob> jobs(2);
        jobs[0].specification.method = &methodFromName("rtn");
        jobs[1].specification.method = &methodFromName("rtn");
        jobs[1].specification.own["bits"] = std::int64_t{3};
        QVERIFY((describeJobs(jobs) == std::vector<std::string>{"rtn, bits 4", "rtn, bits 3"}));
        jobs[0].specification = runSpecificationFromJson({{"method", "wanda"}, {"cr", 0.5}});
        jobs[1].specification = jobs[0].specification;
        setOwnOption(jobs[1].specification, "pattern", "2:4");
        QVERIFY(
            (describeJobs(jobs) == std::vector<std::string>{"wanda, CR 0.5, pattern unstructured",
                                                            "wanda, pattern 2:4"}));
        // ρ is nothing to RTN, and bits that are as usual are no news.
        jobs[0].specification.method = &methodFromName("rtn");
        jobs[1].specification = runSpecificationFromJson({{"cr", 0.5}});
        jobs.push_back(jobs[1]);
        jobs[2].specification.rho = 3;
        jobs[2].specification.accounting = Accounting::Integers;
        QVERIFY((describeJobs(jobs) ==
                 std::vector<std::string>{"rtn", "cospadi, CR 0.5, accounting eq11, rho 2.0",
                                          "cospadi, CR 0.5, accounting integers, rho 3.0"}));
    }

    // ρ and solver are nothing to an SVD: the same run is not done twice.
    void equalRunsAreOneJob() {
        const auto jobs = planSweep(smallGrid({{"rho", {1.5, 2, 3}}}), m_runs);
        QCOMPARE(static_cast<int>(jobs.size()), 2 + 2 * 3);
        QVERIFY(!fs::exists(m_runs));  // planning writes nothing
        for (const std::string& text : describeJobs(jobs)) {
            QVERIFY2(text.find(", CR 0.") != std::string::npos, text.c_str());
            QVERIFY2(text.find("layers") == std::string::npos, text.c_str());
        }
    }

    // A specification of before these fields, and one that names what was done then, are one run.
    void earlierSpecificationsStayWhatTheyAre_data() {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QString>("refit");
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("label");
        const auto row = [](const char* fields, const char* refit, const char* format,
                            const char* label) {
            QTest::newRow(fields) << QByteArray(fields) << QString(refit) << QString(format)
                                  << QString(label);
        };
        row(R"({"method": "cospadi", "solver": "fast"})", "on", "exponent", "cospadi (fast)");
        row(R"({"method": "cospadi", "solver": "fast", "accounting": "packed8"})", "on", "exponent",
            "cospadi (fast, packed8)");
        row(R"({"method": "cospadi", "solver": "ksvd"})", "off", "mantissa", "cospadi (ksvd 60x8)");
        row(R"({"method": "cospadi", "solver": "ksvd", "accounting": "packed"})", "off", "mantissa",
            "cospadi (ksvd 60x8, packed)");
        row(R"({"method": "svd-llm"})", "off", "exponent", "svd-llm");
        row(R"({"method": "svd", "accounting": "eq10"})", "off", "mantissa", "svd");
    }

    void earlierSpecificationsStayWhatTheyAre() {
        QFETCH(QByteArray, before);
        QFETCH(QString, refit);
        QFETCH(QString, format);
        QFETCH(QString, label);
        json fields = json::parse(before.toStdString());
        const RunSpecification old = runSpecificationFromJson(fields);
        fields["refit"] = refit.toStdString();
        fields["coefficient_format"] = format.toStdString();
        const RunSpecification named = runSpecificationFromJson(fields);
        QCOMPARE(runKey(named), runKey(old));
        QVERIFY(settingsOf(named) == settingsOf(old));
        for (const RunSpecification& s : {old, named}) {
            QCOMPARE(QString::fromStdString(methodLabel(s)), label);
        }
        fields["refit"] = refit == "on" ? "off" : "on";
        QVERIFY(runKey(runSpecificationFromJson(fields)) != runKey(old));
    }

    // What a method does not read makes no run of its own; what it reads does.
    void idleSettingsMakeNoRuns_data() {
        QTest::addColumn<QByteArray>("fields");
        QTest::addColumn<int>("runs");
        const auto row = [](const char* name, const json& fields, int runs) {
            QTest::newRow(name) << QByteArray::fromStdString(fields.dump()) << runs;
        };
        const json seeds = {1, 2, 3};
        row("seeds of an SVD", {{"method", "svd"}, {"seed", seeds}}, 1);
        row("seeds of fast on the shorter side", {{"seed", seeds}}, 1);
        row("seeds of fast with more atoms than inputs", {{"rho", 6}, {"seed", seeds}}, 1);
        row("seeds of fast on the longer side, more atoms than the shorter has",
            {{"rho", 6}, {"side", "output"}, {"accounting", "packed8"}, {"seed", seeds}}, 3);
        row("seeds of ksvd", {{"solver", "ksvd"}, {"seed", seeds}}, 3);
        row("seeds of ksvd from an SVD", {{"solver", "ksvd"}, {"init", "svd"}, {"seed", seeds}}, 1);
        row("updates of fast", {{"update", {"ksvd", "mod", "ksvd-exact"}}}, 1);
        row("updates of ksvd", {{"solver", "ksvd"}, {"update", {"ksvd", "mod", "ksvd-exact"}}}, 3);
        row("no power iterations are an exact update",
            {{"solver", "ksvd"}, {"update", {"ksvd", "ksvd-exact"}}, {"power_iterations", 0}}, 1);
        row("power iterations of mod",
            {{"solver", "ksvd"}, {"update", "mod"}, {"power_iterations", {2, 4}}}, 1);
        row("beginnings and dead atoms of fast",
            {{"init", {"random", "weight"}}, {"dead_atoms", {"replace", "keep"}}}, 1);
        row("dead atoms of ksvd", {{"solver", "ksvd"}, {"dead_atoms", {"replace", "keep"}}}, 2);
        row("columns of W are those of W_L without whitening",
            {{"solver", "ksvd"}, {"init", {"random", "weight", "svd"}}}, 2);
        row("columns of W with whitening",
            {{"method", "cospadi"}, {"solver", "ksvd"}, {"init", {"random", "weight"}}}, 2);
        row("rounding of ksvd's coefficients",
            {{"solver", "ksvd"}, {"coefficient_rounding", {"nearest", "truncate"}}}, 2);
        row("rounding of coefficients of fast", {{"coefficient_rounding", {"nearest", "truncate"}}},
            1);
        row("rounding of whole bfloat16",
            {{"solver", "ksvd"},
             {"accounting", "eq10"},
             {"coefficient_rounding", {"nearest", "truncate"}}},
            1);
        row("ksvd's own iterations", {{"solver", "ksvd"}, {"iterations", {0, 60}}}, 1);
        row("the accounting's own bits", {{"coefficient_bits", {0, 14}}}, 1);
        row("accountings of an SVD",
            {{"method", "svd"}, {"accounting", {"eq10", "eq11", "packed", "packed8"}}}, 3);
        row("bits of an SVD in bf16", {{"method", "svd"}, {"coefficient_bits", {0, 9, 10}}}, 1);
        row("bits of a packed SVD",
            {{"method", "svd"}, {"accounting", "packed"}, {"coefficient_bits", {0, 9, 10}}}, 2);
        row("the usual refit of fast", {{"refit", {"auto", "on", "off"}}}, 2);
        row("the usual refit of ksvd", {{"solver", "ksvd"}, {"refit", {"auto", "on", "off"}}}, 2);
        row("the usual refit of an SVD", {{"method", "svd"}, {"refit", {"auto", "on", "off"}}}, 2);
        row("the usual refit of a packed SVD",
            {{"method", "svd"}, {"accounting", "packed"}, {"refit", {"auto", "on", "off"}}}, 2);
        const json formats = {"auto", "mantissa", "exponent"};
        row("the usual format of fast", {{"coefficient_format", formats}}, 2);
        row("the usual format of ksvd", {{"solver", "ksvd"}, {"coefficient_format", formats}}, 2);
        row("formats of 16 bits", {{"accounting", "eq10"}, {"coefficient_format", formats}}, 1);
        row("formats of an SVD in bf16", {{"method", "svd"}, {"coefficient_format", formats}}, 1);
        row("the usual format of a packed SVD",
            {{"method", "svd"}, {"accounting", "packed"}, {"coefficient_format", formats}}, 2);
        row("draws of the calibration of an SVD",
            {{"method", "svd"}, {"calibration", {{"seed", seeds}}}}, 1);
        row("sides of ksvd without calibration",
            {{"method", "cospadi-free"}, {"solver", "ksvd"}, {"side", {"auto", "input", "output"}}},
            2);
        row("ratios of the dense model", {{"method", "dense"}, {"cr", {0.2, 0.3}}}, 1);
    }

    void idleSettingsMakeNoRuns() {
        QFETCH(QByteArray, fields);
        QFETCH(int, runs);
        json grid = json::parse(fields.toStdString());
        grid["model"] = kModel.string();
        grid["layers"] = "ffn_up";
        if (!grid.contains("method")) {
            grid["method"] = "cospadi-free";
        }
        QCOMPARE(static_cast<int>(planSweep(expandGrid(grid), m_runs).size()), runs);
    }

    // The claim behind it: files of different seeds are equal to the byte where the seed is idle,
    // and not where it counts.
    void anIdleSeedMovesNothing() {
        CpuBackend backend(1);
        std::srand(5);
        const Eigen::MatrixXf w = Eigen::MatrixXf::Random(48, 96);
        const auto dictionaryOf = [&](std::uint64_t seed, DictionarySide side) {
            MatrixOptions options;
            options.method = &cospadiFreeMethod();
            options.accounting = Accounting::Packed8;
            options.rho = 6;
            options.side = side;
            options.seed = seed;
            const auto made = compressMatrix(backend, w, nullptr, options);
            return sparseFactors(made.weight)->dictionary;
        };
        // k 91 of 48 rows, grown; k 65 of 96, where there are but 48 singular vectors
        QVERIFY(dictionaryOf(1, DictionarySide::Input) == dictionaryOf(2, DictionarySide::Input));
        QVERIFY(dictionaryOf(1, DictionarySide::Output) != dictionaryOf(2, DictionarySide::Output));
    }

    void unknownWordsAreRefusedWhereTheyDoNotCount() {
        for (const char* field :
             {"init", "update", "solver", "side", "dead_atoms", "coefficient_rounding"}) {
            const std::string message = messageOf([&] {
                smallGrid({{"method", "svd"}, {field, "nonsense"}});
            });
            QVERIFY2(message.find("nonsense") != std::string::npos, message.c_str());
        }
    }

    // A run that was begun before such settings were dropped is found again.
    void earlierRunsWithIdleSettingsCount() {
        auto grid = smallGrid({{"method", "svd"}, {"cr", 0.2}});
        RunExecution execution;
        execution.writeModel = false;
        const fs::path run = executeRun(grid[0], m_runs / "old", execution).directory;
        std::ifstream file(run / "run.json");
        json record = json::parse(file);
        record["specification"]["update"] = "mod";
        record["specification"]["seed"] = 7;
        for (const char* newer : {"dead_atoms", "coefficient_rounding"}) {
            record["specification"].erase(newer);
        }
        std::ofstream(run / "run.json") << record;
        QCOMPARE(planSweep(grid, m_runs)[0].state, JobState::Finished);
    }
};

COSPADI_TEST(TestSweepSettings)

}  // namespace tst_sweep_settings

#include "tst_sweep_settings.moc"
