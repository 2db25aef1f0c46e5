// Runs that wait and what follows them: a sweep's matrix fills while they go on, each is measured
// before the next, tasks without data start nothing, what waits stands above what is over.
#include <QComboBox>
#include <QSpinBox>
#include <QTableView>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/report/sweep_matrix.h"
#include "tests/registered_test.h"
#include "tests/ui/child_of.h"
#include "tests/ui/window_fixture.h"
#include "ui/engine/activity.h"
#include "ui/engine/perplexity_measurement.h"
#include "ui/engine/task_queue.h"
#include "ui/models/job_table_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/runs/sweep_view.h"

namespace tst_window_queue {

using namespace cospadi;
using namespace cospadi::ui;

class TestWindowQueue : public QObject, WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    // Waiting, then finished, under the name that the plan gave them; the engine is the real one.
    void aSweepFillsWhileItsRunsGoOn() {
        Job job;
        job.specification = planOf(0);
        job.specification.model = kSmallModel.toStdString();
        job.specification.layers = "blk\\.0\\.attn_q";
        job.sweep = "night";
        QList<Job> jobs{job, job};
        jobs[1].specification.cr = 0.4;
        m_window->services().queue->setHeld(true);
        m_window->services().queue->add(jobs);
        const SweepView* view = m_window->pages().runs->sweepView();
        const auto statuses = [view] {
            QStringList words;
            for (const SweepCell& cell : view->model()->matrix().cells) {
                words << QString::fromStdString(cell.run.status);
            }
            return words;
        };
        QTRY_COMPARE(statuses(), (QStringList{"waiting", "waiting"}));
        m_window->services().queue->setHeld(false);
        QTRY_COMPARE_WITH_TIMEOUT(statuses(), (QStringList{"finished", "finished"}), 60000);
        const std::vector<RunRow> stored = m_window->pages().runs->model()->runs();
        QCOMPARE(sweepNames(stored), std::set<std::string>{"night"});
        QCOMPARE(runsOfSweep(stored, "night").size(), std::size_t{2});
        QVERIFY(std::isfinite(view->model()->matrix().cells[1].value));
    }

    // Compressed, measured and asked, run after run, by what the Plan page says; the matrix shows
    // it.
    void whatFollowsARunIsMeasuredBeforeTheNext() {
        constexpr int kPatience = 120'000;  // milliseconds, for a loaded machine
        QSettings().setValue("evaluate/tokens", 512);
        load(modelThatReads());
        m_window->pages().model->selectByRegex("blk\\.0\\.attn_q");
        EvaluatePage* evaluate = m_window->pages().evaluate;
        evaluate->setData(COSPADI_TEST_DATA "/tasks");
        childOf<QSpinBox>(*evaluate, "evaluateLimit")->setValue(4);
        m_window->pages().plan->setSpecification(
            planOf(0), {"0.2 0.4", {}, {}, {}, "night", true, "piqa copa"});
        QStringList order;
        QList<int> waiting;  // whenever a run has been measured
        connect(m_window->services().run, &RunController::runFinished, this,
                [&order](const QString& status) { order << status; });
        connect(m_window->findChild<PerplexityMeasurement*>(), &PerplexityMeasurement::measured,
                this, [&order] { order << "perplexity"; });
        connect(evaluate->queue(), &TaskQueue::recorded, this, [&, this] {
            order << "tasks";
            waiting << m_window->services().queue->waiting();
        });
        m_window->plannedRuns()->start();
        const QStringList each{"finished", "perplexity", "tasks"};
        QTRY_COMPARE_WITH_TIMEOUT(order, each + each, kPatience);
        QCOMPARE(waiting, (QList<int>{1, 0}));
        QTRY_VERIFY(m_window->services().activity->isIdle());

        const SweepView* view = m_window->pages().runs->sweepView();
        auto* metric = childOf<QComboBox>(*view, "sweepMetric");
        const auto isFull = [view] {
            const std::vector<SweepCell>& cells = view->model()->matrix().cells;
            return !view->isBusy() && cells.size() == 2 &&
                   std::all_of(cells.begin(), cells.end(),
                               [](const SweepCell& cell) { return std::isfinite(cell.value); });
        };
        for (const char* name : {"piqa/acc", "copa/acc", "mean-accuracy", "perplexity"}) {
            QTRY_VERIFY2(metric->findData(name) >= 0, name);
            metric->setCurrentIndex(metric->findData(name));
            QTRY_VERIFY2(isFull(), name);
        }
        for (const SweepCell& cell : view->model()->matrix().cells) {
            const auto measured =
                std::find_if(cell.run.evaluations.begin(), cell.run.evaluations.end(),
                             [](const EvaluationRow& row) { return row.kind == "perplexity"; });
            QVERIFY(measured != cell.run.evaluations.end());
            QCOMPARE(cell.value, measured->perplexity);
            QCOMPARE(measured->maxTokens, std::int64_t{512});
            QCOMPARE(cell.run.taskResults[0].samples, std::int64_t{4});
        }
    }

    // A night without an answer is told in the evening.
    void tasksWithoutDataStartNothing() {
        m_window->pages().evaluate->setData(m_home.filePath("nowhere"));
        m_window->pages().plan->setSpecification(planOf(0), {{}, {}, {}, {}, {}, false, "piqa"});
        QVERIFY(m_window->pages().plan->problem().isEmpty());
        m_window->plannedRuns()->start();
        QVERIFY(m_window->services().queue->jobs().isEmpty() &&
                !m_window->services().run->isActive());
        QVERIFY2(m_window->pages().messages->text().contains("no data for piqa"),
                 qPrintable(m_window->pages().messages->text()));
    }

    // What goes on and waits stands above what is over, and stays chosen when that changes.
    void waitingRunsStandAboveFinishedOnes() {
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        startRun(planOf(0));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        Job job;
        job.specification = planOf(0);
        m_window->services().queue->setHeld(true);
        m_window->services().queue->add({job, job});
        auto* table = m_window->findChild<QTableView*>("queueTable");
        const auto state = [table](int row) {
            return table->model()->index(row, JobTableModel::StateColumn).data().toString();
        };
        QCOMPARE(state(0), "waiting");
        QCOMPARE(state(1), "waiting");
        QCOMPARE(state(2), "finished");
        table->selectRow(1);
        QTest::mouseClick(m_window->findChild<QPushButton*>("queueEarlier"), Qt::LeftButton);
        QCOMPARE(table->selectionModel()->selectedRows().first().row(), 0);
    }

    // Buttons and menu offer what can be done with the run and with those that wait.
    void onlyWhatCanBeDoneIsOffered() {
        RunQueue* queue = m_window->services().queue;
        auto* table = m_window->findChild<QTableView*>("queueTable");
        const auto offered = [this] {
            QStringList words;
            for (const char* name : {"Earlier", "Later", "Remove", "Hold"}) {
                if (m_window->findChild<QPushButton*>(QString("queue") + name)->isEnabled()) {
                    words << name;
                }
            }
            for (const char* name : {"Pause or", "Cancel the run", "Forget waiting"}) {
                if (action(name)->isEnabled()) {
                    words << name;
                }
            }
            return words.join(", ");
        };
        QCOMPARE(offered(), "");
        Job job;
        job.specification = planOf(0);
        queue->setHeld(true);
        queue->add({job, job});
        table->clearSelection();
        QCOMPARE(offered(), "Hold, Forget waiting");
        table->selectRow(0);
        QCOMPARE(offered(), "Later, Remove, Hold, Forget waiting");
        table->selectRow(1);
        QCOMPARE(offered(), "Earlier, Remove, Hold, Forget waiting");
        action("Forget waiting")->trigger();
        QCOMPARE(offered(), "");
        RunController* run = m_window->services().run;
        startRun(planOf(2000));
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunController::State::Running, 60000);
        table->selectRow(0);
        QCOMPARE(offered(), "Pause or, Cancel the run");
        action("Cancel the run")->trigger();
        QCOMPARE(offered(), "");
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), 60000);
        table->selectRow(0);
        QCOMPARE(offered(), "Remove");
    }
};

COSPADI_TEST(TestWindowQueue)

}  // namespace tst_window_queue

#include "tst_window_queue.moc"
