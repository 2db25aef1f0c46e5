// From lists to runs: lists and ranges as they are typed, the grid they make, what is measured of
// each run.
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QUndoStack>
#include <QtTest>
#include <algorithm>

#include "core/methods/method.h"
#include "tests/registered_test.h"
#include "tests/ui/plan_fixture.h"
#include "ui/base/theme.h"
#include "ui/models/job_table_model.h"
#include "ui/models/sweep.h"

namespace tst_plan_sweep {

using namespace cospadi;
using namespace cospadi::ui;

class TestPlanSweep : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { applyTheme(*qApp); }

    void readsLists_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QList<double>>("values");
        QTest::newRow("nothing") << "" << QList<double>{};
        QTest::newRow("blanks") << "0.1  0.2 0.3" << QList<double>{0.1, 0.2, 0.3};
        QTest::newRow("commas") << "0.1,0.2;0.3," << QList<double>{0.1, 0.2, 0.3};
        QTest::newRow("a range") << "0.1:0.5:0.1" << QList<double>{0.1, 0.2, 0.3, 0.4, 0.5};
        QTest::newRow("a range that does not meet its end")
            << "0.1:0.35:0.1" << QList<double>{0.1, 0.2, 0.3};
        QTest::newRow("twice the same") << "0.2 0.2" << QList<double>{0.2};
        QTest::newRow("of both kinds") << "0.9 0.1:0.2:0.1" << QList<double>{0.9, 0.1, 0.2};
    }

    void readsLists() {
        QFETCH(QString, text);
        QFETCH(QList<double>, values);
        const SweepValues read = parseValues(text, 0.01, 0.99, false);
        QVERIFY2(read.problem.isEmpty(), qPrintable(read.problem));
        QCOMPARE(read.values, values);
    }

    // A list takes the place of the single value: no run has that.
    void sizesAreThoseOfARun() {
        const auto sizes = [](PlanPanel& panel) {
            return panel.findChild<QLabel*>("totalFigures")->text();
        };
        PlanPanel single;
        chooseAllLayers(single);
        RunSpecification half;
        half.cr = 0.5;
        single.setSpecification(half);
        PlanPanel panel;
        chooseAllLayers(panel);
        QVERIFY(sizes(panel) != sizes(single));
        panel.findChild<QLineEdit*>("sweepCr")->setText("0.5");
        QCOMPARE(sizes(panel), sizes(single));
        panel.findChild<QLineEdit*>("sweepCr")->setText("0.5 0.3");
        QCOMPARE(sizes(panel), sizes(single));
    }

    void refusesWhatIsNoList_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("whole");
        QTest::newRow("a word") << "many" << false;
        QTest::newRow("out of range") << "0.5 1.5" << false;
        QTest::newRow("not a number") << "nan" << false;
        QTest::newRow("infinite") << "inf" << false;
        QTest::newRow("half a range") << "0.1:0.5" << false;
        QTest::newRow("backwards") << "0.5:0.1:0.1" << false;
        QTest::newRow("no step") << "0.1:0.5:0" << false;
        QTest::newRow("too many") << "0.1:0.5:0.0000001" << false;
        QTest::newRow("a fraction where whole numbers are") << "0.5" << true;
    }

    void refusesWhatIsNoList() {
        QFETCH(QString, text);
        QFETCH(bool, whole);
        const SweepValues read = parseValues(text, 0.01, 0.99, whole);
        QVERIFY(!read.problem.isEmpty());
        QVERIFY(read.values.isEmpty());
    }

    void makesEveryCombination() {
        RunSpecification plan;
        plan.seed = 7;
        const Sweep sweep = expandSweep(plan, {"0.2 0.4", "1.5 2 3", {}, {}});
        QVERIFY(sweep.problem.isEmpty());
        QCOMPARE(sweep.jobs.size(), std::size_t{6});
        QSet<QPair<double, double>> pairs;
        for (const RunSpecification& job : sweep.jobs) {
            pairs.insert({job.cr, job.rho});
            QCOMPARE(job.seed, std::uint64_t{7});
        }
        QCOMPARE(pairs.size(), 6);
        QCOMPARE(expandSweep(plan, {}).jobs.size(), std::size_t{1});
        QVERIFY(!expandSweep(plan, {"0.1:0.9:0.01", "1:4:0.1", {}, {}}).problem.isEmpty());
        const Sweep withAuto = expandSweep(plan, {"0.2 0.4", "2, auto", {}, {}});
        QVERIFY(withAuto.problem.isEmpty());
        QCOMPARE(withAuto.jobs.size(), std::size_t{4});
        QCOMPARE(std::count_if(withAuto.jobs.begin(), withAuto.jobs.end(),
                               [](const RunSpecification& job) { return job.autoRho; }),
                 std::ptrdiff_t{2});
        QVERIFY(!expandSweep(plan, {{}, "2 automatic", {}, {}}).problem.isEmpty());
        plan.autoRho = true;
        QVERIFY(expandSweep(plan, {}).jobs.front().autoRho);
        QVERIFY(!expandSweep(plan, {{}, "3", {}, {}}).jobs.front().autoRho);
        plan.autoRho = false;
        plan.method = &methodFromName("svd");  // ρ does not count: no run is made twice
        QCOMPARE(expandSweep(plan, {"0.2 0.4", "1.5 2 3", {}, {}}).jobs.size(), std::size_t{2});
        plan.method = &methodFromName("wanda");
        QCOMPARE(expandSweep(plan, {"0.2 0.4", {}, {}, {}}).jobs.size(), std::size_t{2});
        setOwnOption(plan, "pattern", "2:4");  // neither does CR, whatever stands in its field
        for (const char* list : {"0.2 0.4", "much"}) {
            const Sweep one = expandSweep(plan, {list, {}, {}, {}});
            QVERIFY2(one.problem.isEmpty(), qPrintable(one.problem));
            QCOMPARE(one.jobs.size(), std::size_t{1});
            QCOMPARE(one.jobs.front().cr, plan.cr);
        }
    }

    void tasksAreKnownByTheirNames() {
        const AfterRun after =
            expandSweep({}, {{}, {}, {}, {}, {}, true, " piqa,arc_easy  piqa "}).after;
        QVERIFY(after.perplexity);
        QCOMPARE(after.tasks, (QStringList{"piqa", "arc_easy"}));
        QVERIFY(expandSweep({}, {}).after.isNothing());
        const Sweep subject = expandSweep({}, {{}, {}, {}, {}, {}, false, "mmlu_anatomy mmlu"});
        QVERIFY2(subject.problem.isEmpty(), qPrintable(subject.problem));
        QCOMPARE(subject.after.tasks, (QStringList{"mmlu_anatomy", "mmlu"}));
        QVERIFY(expandSweep({}, {{}, {}, {}, {}, {}, false, "mmlu_pro"}).jobs.empty());
        const Sweep none = expandSweep({}, {{}, {}, {}, {}, {}, false, "piqa arc"});
        QVERIFY(none.jobs.empty());
        QVERIFY2(none.problem.contains("“arc”") && none.problem.contains("arc_easy"),
                 qPrintable(none.problem));
    }

    void whatFollowsARunIsPartOfThePlan() {
        PlanPanel panel;
        chooseAllLayers(panel);
        auto* perplexity = panel.findChild<QCheckBox*>("thenPerplexity");
        auto* tasks = panel.findChild<QLineEdit*>("thenTasks");
        QVERIFY(panel.jobs().first().after.isNothing());
        perplexity->click();
        tasks->setText("piqa");
        QCOMPARE(panel.jobs().size(), 1);  // of a single run, too
        QVERIFY(panel.jobs()[0].after.perplexity);
        QCOMPARE(panel.jobs()[0].after.tasks, QStringList{"piqa"});
        panel.findChild<QPushButton*>("paperSettings")->click();
        QVERIFY(panel.jobs()[0].after.perplexity && tasks->text() == "piqa");
        tasks->setText("piq");
        QVERIFY(panel.problem().contains("piq") && panel.jobs().isEmpty());
        panel.undoStack()->undo();
        panel.undoStack()->undo();
        panel.undoStack()->undo();
        QVERIFY(perplexity->isChecked() && tasks->text().isEmpty());
        panel.undoStack()->undo();
        QVERIFY(!perplexity->isChecked());
    }

    void showsTheGridAndItsProblems() {
        PlanPanel panel;
        QVERIFY(!panel.problem().isEmpty());  // nothing is selected
        chooseAllLayers(panel);
        QVERIFY2(panel.problem().isEmpty(), qPrintable(panel.problem()));
        auto* list = panel.findChild<QLineEdit*>("sweepCr");
        list->setText("0.2 0.3 0.4");
        QCOMPARE(panel.jobs().size(), 3);
        QVERIFY(panel.jobs()[0].bytes > panel.jobs()[2].bytes);
        QVERIFY(panel.jobs()[0].seconds > 0);
        list->setText("0.2 much");
        QVERIFY(panel.problem().contains("much"));
        QVERIFY(panel.jobs().isEmpty());
        // The empty table says what it is for.
        const auto* words =
            panel.findChild<QTableView*>("jobTable")->viewport()->findChild<QLabel*>("muted");
        QVERIFY(words != nullptr && !words->isHidden());
        list->setText("0.2 0.3");
        QVERIFY(words->isHidden());
    }

    // Beside what always stands there: what all have in common stands in the form.
    void runsShowWhereTheyDiffer() {
        PlanPanel panel;
        chooseAllLayers(panel);
        const auto* table = panel.findChild<QTableView*>("jobTable");
        QVERIFY(table->isColumnHidden(JobTableModel::SeedColumn));
        QVERIFY(table->isColumnHidden(JobTableModel::IterationsColumn));
        panel.findChild<QLineEdit*>("sweepSeed")->setText("1 2");
        QVERIFY(!table->isColumnHidden(JobTableModel::SeedColumn));
        QVERIFY(table->isColumnHidden(JobTableModel::IterationsColumn));
        QVERIFY(!table->isColumnHidden(JobTableModel::CrColumn));
    }
};

COSPADI_TEST(TestPlanSweep)

}  // namespace tst_plan_sweep

#include "tst_plan_sweep.moc"
