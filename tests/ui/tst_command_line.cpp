// The command line that the window shows.
#include <QtTest>

#include "core/methods/method.h"
#include "tests/registered_test.h"
#include "ui/engine/command_line.h"

namespace tst_command_line {

using namespace cospadi;
using namespace cospadi::ui;

class TestCommandLine : public QObject {
    Q_OBJECT

  private slots:
    void defaultsAreLeftOut() {
        QCOMPARE(compressCommand({}),
                 "cospadi compress default --method cospadi --solver fast --layers '.*' --cr 0.2 "
                 "--rho 2");
    }

    void whatDoesNotCountIsLeftOut() {
        RunSpecification run;
        run.method = &methodFromName("svd");
        run.iterations = 7;
        run.calibration.sequences = 4;
        QCOMPARE(compressCommand(run),
                 "cospadi compress default --method svd --layers '.*' --cr 0.2");
        run.accounting = Accounting::Packed8;
        run.coefficientBits = 9;
        QCOMPARE(compressCommand(run),
                 "cospadi compress default --method svd --layers '.*' --cr 0.2 "
                 "--accounting packed8 --coefficient-bits 9");
    }

    void changesAreShown() {
        RunSpecification run;
        run.solver = Solver::Ksvd;
        run.accounting = Accounting::Eq10;
        run.iterations = 60;
        run.seed = 1;
        run.calibration.sequences = 4;
        run.calibration.length = 64;
        run.allocation = &allocationFromName("knapsack");
        run.propagation = PropagationKind::Target;
        QVERIFY(!compressCommand(run).contains("--held-out"));
        run.heldOut = 0.125;
        const QString command = compressCommand(run);
        for (const char* option : {"--solver ksvd", "--accounting eq10", "--iterations 60",
                                   "--seed 1", "--allocation knapsack", "--propagation target",
                                   "--held-out 0.125", "--sequences 4", "--length 64"}) {
            QVERIFY2(command.contains(option), option);
        }
    }

    void ratiosStandInTheFileOfTheRun() {
        RunSpecification run;
        run.ratios = {{"blk.0.attn_q", 0.3}};
        run.cr = 0.123456789;
        QCOMPARE(compressCommand(run, "/a run/run.json"),
                 "cospadi compress default --method cospadi --solver fast --layers '.*' "
                 "--cr 0.123456789 --rho 2 --ratios '/a run/run.json'");
        run.ratios.clear();
        QVERIFY(!compressCommand(run, "/a run/run.json").contains("--ratios"));
    }

    void wordsAreQuoted() {
        QCOMPARE(shellQuoted("blk.0.attn_k"), "blk.0.attn_k");
        QCOMPARE(shellQuoted("a b"), "'a b'");
        QCOMPARE(shellQuoted("it's"), "'it'\\''s'");
        QCOMPARE(shellQuoted(""), "''");
    }
};

COSPADI_TEST(TestCommandLine)

}  // namespace tst_command_line

#include "tst_command_line.moc"
