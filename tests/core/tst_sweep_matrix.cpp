// A sweep by two of its settings: which run stands in which cell, and in what state.
#include <QtTest>
#include <cmath>

#include "core/report/sweep_matrix.h"
#include "core/store/run_specification.h"
#include "tests/core/message_of.h"
#include "tests/registered_test.h"

namespace tst_sweep_matrix {

using namespace cospadi;

namespace {

RunRow runOf(const std::string& id, const std::string& status, double cr, double rho,
             double error = unknownNumber, std::int64_t seed = 1) {
    RunRow run;
    run.id = id;
    run.status = status;
    run.model = "/m/a.gguf";
    run.modelSha256 = "abc";
    run.method = "cospadi";
    run.solver = "ksvd";
    run.accounting = "eq11";
    run.cr = cr;
    run.rho = rho;
    run.iterations = 10;
    run.seed = seed;
    run.relativeError = error;
    run.matrices = 1;
    return run;
}

// "id:status" a cell, row after row.
std::vector<std::string> cellsOf(const SweepMatrix& matrix) {
    std::vector<std::string> words;
    for (const SweepCell& cell : matrix.cells) {
        words.push_back(cell.run.id + ":" + cell.run.status);
    }
    return words;
}

using Words = std::vector<std::string>;

}  // namespace

class TestSweepMatrix : public QObject {
    Q_OBJECT

  private slots:
    void everyRunHasItsCell() {
        const SweepMatrix matrix = sweepMatrix(
            {runOf("d", "running", 0.3, 2), runOf("c", "failed", 0.2, 2),
             runOf("b", "finished", 0.3, 1.5, 0.25), runOf("a", "finished", 0.2, 1.5, 0.125)},
            {});
        QCOMPARE(matrix.columns, std::string("cr"));
        QCOMPARE(matrix.rows, std::string("rho"));
        QCOMPARE(matrix.rowNames, (Words{"ρ 1.5", "ρ 2"}));
        QCOMPARE(matrix.columnNames, (Words{"CR 0.2", "CR 0.3"}));
        QCOMPARE(cellsOf(matrix), (Words{"a:finished", "b:finished", "c:failed", "d:running"}));
        QCOMPARE(matrix.at(0, 1).value, 0.25);
        QVERIFY(std::isnan(matrix.at(1, 0).value));
        QCOMPARE(matrix.finished, std::size_t{2});
        QCOMPARE(matrix.count, std::size_t{4});
        QVERIFY(matrix.best == BestValue::Lowest);
        const SweepMatrix turned = sweepMatrix(
            {runOf("b", "finished", 0.3, 1.5, 0.25), runOf("a", "finished", 0.2, 2, 0.125)},
            {"cr", "rho", "error"});
        QCOMPARE(turned.rowNames, (Words{"CR 0.2", "CR 0.3"}));
        QCOMPARE(cellsOf(turned), (Words{":", "a:finished", "b:finished", ":"}));
        QCOMPARE(turned.count, std::size_t{2});
    }

    // A third setting stands in the names of the rows; one that never differs nowhere.
    void otherSettingsMakeRows() {
        const SweepMatrix matrix = sweepMatrix(
            {runOf("a", "finished", 0.2, 2, 0.1, 10), runOf("b", "finished", 0.2, 2, 0.2, 9),
             runOf("c", "finished", 0.3, 3, 0.3, 9)},
            {"rho", "cr", "error"});
        QCOMPARE(matrix.rowNames, (Words{"ρ 2, seed 9", "ρ 2, seed 10", "ρ 3, seed 9"}));
        QCOMPARE(cellsOf(matrix), (Words{"b:finished", ":", "a:finished", ":", ":", "c:finished"}));
        const SweepMatrix one = sweepMatrix(
            {runOf("b", "finished", 0.2, 2, 0.1), runOf("a", "finished", 0.3, 2, 0.2)}, {});
        QCOMPARE(one.columns, std::string("cr"));
        QCOMPARE(one.rows, std::string());
        QCOMPARE(one.rowNames, Words{""});
        QCOMPARE(cellsOf(one), (Words{"b:finished", "a:finished"}));
    }

    // What waits has words where a run has hashes; what is finished counts more than what failed
    // or goes on again.
    void waitingOnesFallIntoPlace() {
        RunSpecification asked;
        asked.model = "default";
        asked.solver = Solver::Ksvd;
        asked.iterations = 10;
        asked.seed = 1;
        asked.accounting = accountingFromName("eq11");
        asked.cr = 0.2;
        asked.rho = 3;
        RunSpecification stored = asked;
        stored.model = "/m/a.gguf";
        stored.modelSha256 = "abc";
        stored.rho = 2;
        RunRow waiting;
        waiting.status = kWaitingStatus;
        waiting.specification = toJson(asked).dump();
        RunRow done = runOf("done", "finished", 0.2, 2, 0.1);
        done.specification = toJson(stored).dump();
        RunRow failed = done;
        failed.id = "failed";
        failed.status = "failed";
        RunRow again = waiting;
        again.status = "running";
        again.specification = toJson(stored).dump();
        for (const auto& runs : {std::vector{failed, done, waiting, again},
                                 std::vector{again, waiting, done, failed}}) {
            const SweepMatrix matrix = sweepMatrix(runs, {});
            QCOMPARE(matrix.settings.front(), std::string("rho"));
            QVERIFY(std::find(matrix.settings.begin(), matrix.settings.end(), "model") ==
                    matrix.settings.end());
            QCOMPARE(matrix.columnNames, (Words{"ρ 2", "ρ 3"}));
            QCOMPARE(cellsOf(matrix), (Words{"done:finished", ":waiting"}));
        }
    }

    void sweepsAreTags() {
        RunRow a = runOf("a", "finished", 0.2, 2);
        a.tags = {"paper", "sweep:night"};
        RunRow b = runOf("b", "finished", 0.2, 2);
        b.tags = {"sweep:day", "sweep:night"};
        QCOMPARE(sweepNames({a, b, runOf("c", "finished", 0.2, 2)}),
                 (std::set<std::string>{"day", "night"}));
        QCOMPARE(runsOfSweep({a, b}, "day").size(), std::size_t{1});
        QCOMPARE(runsOfSweep({a, b}, "night").size(), std::size_t{2});
        QVERIFY(sweepMatrix({}, {}).cells.empty());
        QVERIFY(messageOf([&] {
                    sweepMatrix({a}, {"", "", "speed"});
                }).find("error") != std::string::npos);
    }
};

COSPADI_TEST(TestSweepMatrix)

}  // namespace tst_sweep_matrix

#include "tst_sweep_matrix.moc"
