// What becomes of planned runs: their table, what they are predicted to take, the queue, and what
// is measured of each before the next begins.
#include <QAbstractItemModelTester>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QtTest>
#include <cmath>

#include "core/base/thread_pool.h"
#include "core/run/cost_estimate.h"
#include "tests/registered_test.h"
#include "tests/ui/engine_in_shell.h"
#include "tests/ui/plan_fixture.h"
#include "ui/base/theme.h"
#include "ui/engine/run_queue.h"
#include "ui/models/job_table_model.h"

namespace tst_plan_jobs {

using namespace cospadi;
using namespace cospadi::ui;

class TestPlanJobs : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { applyTheme(*qApp); }

    void jobsAreATable() {
        JobTableModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        Job job;
        job.state = "waiting";
        job.bytes = 1.4e6;
        model.setJobs({job, job});
        job.state = "running";
        model.setJobs({job, job});
        QCOMPARE(model.index(0, JobTableModel::StateColumn).data().toString(), "running");
        QCOMPARE(model.index(0, JobTableModel::BytesColumn).data().toString(), "1.40 MB");
        model.setJobs({});
        QCOMPARE(model.rowCount(), 0);
    }

    void predictionsGrowWithTheWork() {
        RunSpecification plan;
        const std::vector<LayerInfo> layers = plannedLayers();
        const double once = solverWork(plan, layers);
        QVERIFY(once > 0);
        QCOMPARE(solverWork(plan, plannedLayers(4)), 2 * once);
        plan.iterations = 100;
        QVERIFY(solverWork(plan, layers) > 2 * once);
        plan.solver = Solver::Ksvd;
        QVERIFY(solverWork(plan, layers) > 20 * once);
    }

    // A block at a time is enough, but for what tries layers in the model.
    void memoryDoesNotGrowWithDepth() {
        RunSpecification plan;
        const auto bytes = [&](int blocks) {
            const std::vector<LayerInfo> layers = plannedLayers(blocks);
            return memoryEstimate(plan, layers, layers, 3.0 * 576 * 1536 * blocks, 2);
        };
        QVERIFY(bytes(2) > 1e8);
        QCOMPARE(bytes(200), bytes(2));
        plan.allocation = &allocationFromName("knapsack");
        QVERIFY(bytes(200) - bytes(2) >= 4.0 * 3 * 576 * 1536 * 198);
    }

    // What was measured with this machine's runs is what is predicted for them.
    void predictionsLearnFromFinishedRuns() {
        PlanPanel panel;
        chooseAllLayers(panel);
        const double assumed = panel.jobs().first().seconds;
        const RunSpecification plan = panel.jobs().first().specification;
        std::vector<MatrixRow> matrices;
        for (const LayerInfo& layer : plannedLayers()) {
            MatrixRow& matrix = matrices.emplace_back();
            matrix.d1 = layer.d1;
            matrix.d2 = layer.d2;
            matrix.iterations = 22;  // the solver's own
            matrix.coreSeconds = 1234.0 * ThreadPool::availableCores() / 6;
        }
        QCOMPARE(matrices.size(), std::size_t{6});
        MeasuredRates rates;
        rates.learn(plan, matrices);
        panel.setRates(rates);
        const double measured = panel.jobs().first().seconds;
        QVERIFY2(std::abs(measured - 1234) < 1e-6 * 1234, qPrintable(QString::number(measured)));
        // Layers that share a dictionary tell nothing of one matrix.
        RunSpecification shared = plan;
        setOwnOption(shared, kGroups, "pairs");
        MeasuredRates none;
        none.learn(shared, matrices);
        panel.setRates(none);
        QCOMPARE(panel.jobs().first().seconds, assumed);
    }

    // Of the settings, which the engine and the command line take as well.
    void predictionsAreOfTheThreadsThatARunMayUse() {
        const QByteArray before = qgetenv("COSPADI_THREADS");
        const auto restore = qScopeGuard([&] {
            before.isNull() ? qunsetenv("COSPADI_THREADS") : qputenv("COSPADI_THREADS", before);
        });
        PlanPanel panel;
        const auto secondsOn = [&](const char* threads) {
            qputenv("COSPADI_THREADS", threads);
            chooseAllLayers(panel);
            return panel.jobs().first().seconds;
        };
        const double onTwo = secondsOn("2");
        const double onSix = secondsOn("6");
        QVERIFY2(std::abs(onTwo - 3 * onSix) < 1e-9 * onTwo, qPrintable(QString::number(onSix)));
    }

    void queueRunsOneAfterAnother() {
        EngineClient client;
        useScript(client, kFinishesAtOnce);
        RunController run(&client);
        RunQueue queue(&run);
        QSignalSpy finished(&run, &RunController::runFinished);
        queue.setHeld(true);
        Job job;
        job.specification.cr = 0.3;
        queue.add({job, job, job});
        QCOMPARE(queue.waiting(), 3);
        const QString waiting = queue.waitingAsText();
        QCOMPARE(waiting.count('\n'), 2);
        const int first = queue.jobs()[0].id;
        queue.move(first, 1);
        QCOMPARE(queue.jobs()[1].id, first);
        queue.remove(first);
        QCOMPARE(queue.waiting(), 2);
        queue.setHeld(false);
        QTRY_COMPARE(finished.count(), 2);
        QTRY_COMPARE(queue.waiting(), 0);
        for (const Job& done : queue.jobs()) {
            QCOMPARE(done.state, "finished");
            QVERIFY(!done.run.isEmpty());
        }
        queue.restore(waiting + "\nnot json");
        QCOMPARE(queue.waiting(), 3);
        QVERIFY(queue.isHeld());  // the user says when
        QCOMPARE(queue.jobs().last().specification.cr, 0.3);
        queue.clear();
        QCOMPARE(queue.waiting(), 0);
    }

    // Once a run is finished; the next waits for it.
    void aQueueWaitsForWhatIsMeasured() {
        EngineClient client;
        useScript(client, kFinishesAtOnce);
        RunController run(&client);
        RunQueue queue(&run);
        QSignalSpy finished(&run, &RunController::runFinished);
        QStringList due;
        connect(&queue, &RunQueue::measuresDue, this,
                [&](const QString& directory, const AfterRun& after) {
                    due << directory + ' ' + after.tasks.join(' ');
                    queue.setMeasuring(true);
                });
        Job job;
        job.after.tasks = QStringList{"piqa"};
        queue.add({job, job, Job(), job});
        QTRY_COMPARE(finished.count(), 1);
        QCOMPARE(due, QStringList{"/tmp/r piqa"});
        QVERIFY(queue.jobs()[0].after.isNothing());  // it is not asked for twice
        QTest::qWait(20);
        QCOMPARE(queue.waiting(), 3);
        QVERIFY(queue.goesOn() && !run.isActive());
        queue.setMeasuring(false);
        QTRY_COMPARE(finished.count(), 2);
        QTRY_COMPARE(due.size(), 2);
        queue.remove(queue.jobs().last().id);
        queue.setMeasuring(false);
        QTRY_COMPARE(finished.count(), 3);  // after which nothing follows
        QTRY_COMPARE(queue.waiting(), 0);
        queue.add({job});
        QTRY_COMPARE(due.size(), 3);
        queue.add({job});
        queue.clear();
        queue.setMeasuring(false);
        QTest::qWait(20);
        QCOMPARE(finished.count(), 4);
        QVERIFY(!run.isActive());
    }

    // A finished run waits to be measured on, before those that are still to be made.
    void aRestartAsksForWhatIsLeftToMeasure() {
        EngineClient client;
        useScript(client, kFinishesAtOnce);
        RunController run(&client);
        RunQueue queue(&run);
        QSignalSpy due(&queue, &RunQueue::measuresDue);
        connect(&queue, &RunQueue::measuresDue, this, [&] { queue.setMeasuring(true); });
        Job job;
        job.after.perplexity = true;
        job.after.tasks = QStringList{"piqa"};
        job.sweep = "night";
        queue.add({job, Job()});
        QTRY_COMPARE(due.count(), 1);
        queue.endMeasures(RunQueue::Measure::Perplexity);
        queue.remove(queue.jobs()[0].id);  // from the list alone
        const QString left = queue.waitingAsText();

        EngineClient other;
        useScript(other, kFinishesAtOnce);
        RunController nextRun(&other);
        RunQueue next(&nextRun);
        QSignalSpy nextDue(&next, &RunQueue::measuresDue);
        QSignalSpy finished(&nextRun, &RunController::runFinished);
        next.restore(left);
        QCOMPARE(next.waiting(), 2);
        QCOMPARE(next.waitingAsText(), left);  // nobody said when
        QCOMPARE(nextDue.count(), 0);
        next.setHeld(false);
        QCOMPARE(nextDue.count(), 1);
        QVERIFY(next.goesOn());
        QCOMPARE(nextDue[0][0].toString(), "/tmp/r");
        const auto after = nextDue[0][1].value<AfterRun>();
        QVERIFY(!after.perplexity);
        QCOMPARE(after.tasks, QStringList{"piqa"});
        QCOMPARE(next.jobs()[0].state, "finished");
        QCOMPARE(next.jobs()[0].sweep, "night");
        QTRY_COMPARE(finished.count(), 1);  // nobody measures here: the next one begins
        QTRY_COMPARE(next.waiting(), 0);

        queue.setMeasuring(false);  // however it ended
        QVERIFY(!queue.waitingAsText().contains("/tmp/r"));
    }

    // Of a run that was cancelled, and went on, as well; not of one that only was cancelled.
    void onlyFinishedRunsAreMeasured() {
        EngineClient client;
        useScript(
            client,
            "for status in cancelled finished; do read -r line; "
            "id=$(echo \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/'); "
            "echo \"{\\\"id\\\":$id,\\\"result\\\":{\\\"run\\\":\\\"r\\\",\\\"directory\\\":"
            "\\\"/tmp/r\\\"}}\"; "
            "echo \"{\\\"event\\\":\\\"run_finished\\\",\\\"request\\\":$id,\\\"run\\\":\\\"r\\\","
            "\\\"status\\\":\\\"$status\\\"}\"; done; cat > /dev/null");
        RunController run(&client);
        RunQueue queue(&run);
        QSignalSpy finished(&run, &RunController::runFinished);
        QSignalSpy due(&queue, &RunQueue::measuresDue);
        Job job;
        job.after.perplexity = true;
        queue.add({job});
        QTRY_COMPARE(finished.count(), 1);
        QCOMPARE(due.count(), 0);
        run.resumeInterrupted();
        QTRY_COMPARE(finished.count(), 2);
        QCOMPARE(due.count(), 1);
    }
};

COSPADI_TEST(TestPlanJobs)

}  // namespace tst_plan_jobs

#include "tst_plan_jobs.moc"
