// What a restart brings back: plan, ticks and filter, the cursor, the page and the selected runs,
// runs and evaluations that still wait; what it does not tick, and the models that were open.
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <filesystem>

#include "tests/registered_test.h"
#include "tests/ui/child_of.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/recent_models.h"
#include "ui/engine/activity.h"
#include "ui/engine/perplexity_measurement.h"
#include "ui/engine/task_queue.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/whole/whole_page.h"
#include "ui/widgets/slider_spin.h"
#include "ui/window_session.h"

namespace tst_window_restart {

using namespace cospadi;
using namespace cospadi::ui;
namespace fs = std::filesystem;

namespace {

constexpr int kPatience = 180'000;  // milliseconds, for a loaded machine and for sanitizers

}  // namespace

class TestWindowRestart : public QObject, WindowFixture {
    Q_OBJECT

    QPushButton* barButton(const char* text) const {
        return buttonOf(*m_window->pages().runBar, text);
    }

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    void aRestartBringsTheSessionBack() {
        m_window->pages().plan->setSpecification(planOf(0), {"0.2 0.3", "1.5 2", {}, "1 2"});
        m_window->pages().model->selectByRegex("attn_(k|v)");
        const QVector<bool> ticks = m_window->pages().model->tree()->checked();
        QVERIFY(ticks.contains(true) && ticks.contains(false));
        m_window->pages().runs->list()->showFilter("cr=0.2 ffn", true);
        QVERIFY(m_window->close());
        m_window = std::make_unique<MainWindow>();
        QCOMPARE(WindowSession::model(), kSmallModel);
        QVERIFY(!barButton("Run 8 jobs") || !barButton("Run 8 jobs")->isEnabled());
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->openModel()->load(WindowSession::model());
        QTRY_COMPARE(loaded.count(), 1);
        QCOMPARE(m_window->pages().model->tree()->checked(), ticks);
        QCOMPARE(m_window->pages().plan->sweep().cr, "0.2 0.3");
        QCOMPARE(m_window->pages().plan->sweep().rho, "1.5 2");
        QCOMPARE(m_window->pages().plan->sweep().seed, "1 2");
        QCOMPARE(m_window->pages().plan->jobs().size(), 8);
        QCOMPARE(m_window->pages().runs->list()->filter(), "cr=0.2 ffn");
        QVERIFY(m_window->pages().runs->list()->showsArchived());
        // None ticked stays none.
        m_window->pages().model->selectByRegex("");
        QVERIFY(m_window->close());
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QCOMPARE(m_window->pages().model->tree()->checkedCount(), 0);
        QVERIFY(!m_window->pages().plan->problem().isEmpty());
        QVERIFY(!barButton("Run 8 jobs") || !barButton("Run 8 jobs")->isEnabled());
    }

    // With the plan, and with the runs that wait.
    void aRestartBringsBackWhatFollowsRuns() {
        PlanPanel* plan = m_window->pages().plan;
        plan->setSpecification(planOf(0), {"0.2 0.3", {}, {}, {}, "night", true, "piqa, copa"});
        QList<Job> jobs = plan->jobs();
        QCOMPARE(jobs.size(), 2);
        jobs[0].after.data = "/some/data";
        jobs[0].after.limit = 50;
        jobs[1].after = {};
        m_window->services().queue->setHeld(true);
        m_window->services().queue->add(jobs);
        QVERIFY(m_window->close());
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        const SweepText sweep = m_window->pages().plan->sweep();
        QVERIFY(sweep.perplexity);
        QCOMPARE(sweep.tasks, "piqa, copa");
        QCOMPARE(sweep.name, "night");
        QCOMPARE(m_window->services().queue->waiting(), 2);
        QVERIFY(m_window->services().queue->jobs()[0].after == jobs[0].after);
        QVERIFY(m_window->services().queue->jobs()[1].after.isNothing());
    }

    // Nothing was evaluated; but tasks that follow a run are asked of the same data.
    void aRestartBringsBackWhatTasksAreAskedOf() {
        EvaluatePage* evaluate = m_window->pages().evaluate;
        evaluate->setData("/some/data");
        evaluate->chooseTasks({"copa"});
        childOf<QSpinBox>(*evaluate, "evaluateLimit")->setValue(7);
        QVERIFY(m_window->close());
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        const TaskJob question = m_window->pages().evaluate->question();
        QCOMPARE(question.data, "/some/data");
        QCOMPARE(question.tasks, QStringList{"copa"});
        QCOMPARE(question.limit, 7.0);
    }

    void aRestartBringsBackTheWholeModelsTarget() {
        auto* cr = childOf<SliderSpin>(*m_window->pages().whole, "wholeCr");
        cr->setValue(0.35);
        QVERIFY(m_window->close());
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        cr = childOf<SliderSpin>(*m_window->pages().whole, "wholeCr");
        QCOMPARE(cr->value(), 0.35);
        // It was chosen for that model.
        QVERIFY(QSettings().value("whole/targets").toString().contains(kSmallModel));
    }

    // Evaluations that the window did not come to wait for a word; those that follow a run wait
    // with it.
    void aRestartBringsBackWaitingTasks() {
        Preferences preferences = Preferences::load();
        preferences.closing = Preferences::Closing::Stop;
        preferences.save();
        for (const char* answer : {"Forget them", "Start them"}) {
            TaskQueue* tasks = m_window->pages().evaluate->queue();
            m_window->services().engine->stop();
            m_window->services().engine->setProgram(
                "sh", {"-c", "read -r line; echo '{\"id\":1,\"result\":{}}'; cat > /dev/null"});
            TaskJob job;
            job.model = kSmallModel;
            job.label = "small";
            job.tasks = QStringList{"piqa", "copa"};
            job.limit = 7;
            TaskJob second = job;
            second.model = "/nowhere";
            TaskJob following = job;
            following.followsRun = true;
            tasks->add({job, second, following});  // the first is asked for ever
            QCOMPARE(tasks->held(), 0);
            QVERIFY(m_window->close());
            m_window = openWindow();
            QVERIFY(m_window != nullptr);
            tasks = m_window->pages().evaluate->queue();
            QTRY_VERIFY(offered(answer) != nullptr);
            QVERIFY2(m_window->pages().messages->text().contains(
                         "2 task evaluations were still waiting"),
                     qPrintable(m_window->pages().messages->text()));
            QCOMPARE(tasks->held(), 2);
            QVERIFY(!tasks->isActive() && m_window->services().activity->isIdle());
            QCOMPARE(tasks->jobs()[0].model, kSmallModel);
            QCOMPARE(tasks->jobs()[0].tasks, job.tasks);
            QCOMPARE(tasks->jobs()[0].limit, 7.0);
            QCOMPARE(tasks->jobs()[1].model, "/nowhere");
            QTest::mouseClick(offered(answer), Qt::LeftButton);
            QCOMPARE(tasks->held(), 0);
            QCOMPARE(tasks->jobs().size(), answer == QLatin1String("Start them") ? 2 : 0);
            QCOMPARE(tasks->isActive(), answer == QLatin1String("Start them"));
        }
    }

    // Also where nobody has the message about them any more.
    void thePageStartsAndForgetsWaitingTasks() {
        m_window->services().engine->stop();
        m_window->services().engine->setProgram(
            "sh", {"-c", "read -r line; echo '{\"id\":1,\"result\":{}}'; cat > /dev/null"});
        const EvaluatePage* page = m_window->pages().evaluate;
        TaskQueue* tasks = page->queue();
        const auto* words = childOf<QLabel>(*page, "evaluateHeld");
        const QString left = "{\"model\":\"m\",\"label\":\"m\",\"tasks\":[\"piqa\"]}\n";
        QVERIFY(words->parentWidget()->isHidden());
        tasks->restore(left + left);
        QVERIFY(!words->parentWidget()->isHidden());
        QVERIFY2(words->text().contains('2'), qPrintable(words->text()));
        childOf<QPushButton>(*page, "evaluateHeldForget")->click();
        QVERIFY(tasks->jobs().isEmpty() && words->parentWidget()->isHidden());
        tasks->restore(left);
        childOf<QPushButton>(*page, "evaluateHeldStart")->click();
        QVERIFY(tasks->isActive() && words->parentWidget()->isHidden());
    }

    // A finished run waits for what was still to be measured of it, beside those that are still to
    // be made; what is recorded is not measured again.
    void aRestartGoesOnMeasuring() {
        QSettings().setValue("evaluate/tokens", 512);
        Preferences preferences = Preferences::load();
        preferences.closing = Preferences::Closing::Stop;
        preferences.save();
        load(modelThatReads());
        m_window->pages().model->selectByRegex("blk\\.0\\.attn_q");
        m_window->pages().evaluate->setData(COSPADI_TEST_DATA "/tasks");
        childOf<QSpinBox>(*m_window->pages().evaluate, "evaluateLimit")->setValue(4);
        m_window->pages().plan->setSpecification(planOf(0),
                                                 {"0.2 0.4", {}, {}, {}, "night", true, "piqa"});
        QString first;  // directory of the run that is closed upon
        connect(m_window->findChild<PerplexityMeasurement*>(), &PerplexityMeasurement::measured,
                this, [&](const QString& directory) {
                    first = directory;
                    m_window->services().queue->setHeld(
                        true);          // else the next begins in a closed window
                    m_window->close();  // its tasks have not ended
                });
        m_window->plannedRuns()->start();
        QTRY_VERIFY_WITH_TIMEOUT(!first.isEmpty(), kPatience);
        QVERIFY(!m_window->isVisible());
        m_window.reset();

        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QTRY_VERIFY(offered("Start them") != nullptr && offered("Forget them") != nullptr);
        QVERIFY2(m_window->pages().messages->text().contains("2 runs were still waiting"),
                 qPrintable(m_window->pages().messages->text()));
        QCOMPARE(m_window->services().queue->waiting(), 2);
        QVERIFY(m_window->services().activity->isIdle());
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QSignalSpy measured(m_window->findChild<PerplexityMeasurement*>(),
                            &PerplexityMeasurement::measured);
        QStringList asked;
        connect(m_window->pages().evaluate->queue(), &TaskQueue::recorded, this,
                [&](const QString& directory) { asked << directory; });
        QTest::mouseClick(offered("Start them"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(asked.size(), 2, kPatience);
        QCOMPARE(asked[0], first);
        QCOMPARE(finished.count(), 1);
        QCOMPARE(asked[1], m_window->services().run->directory());
        QCOMPARE(measured.count(), 1);
        QCOMPARE(measured[0][0].toString(), asked[1]);
        QTRY_VERIFY(m_window->services().activity->isIdle());
        // Nothing is left to be offered.
        QVERIFY(m_window->close());
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QCOMPARE(m_window->services().queue->waiting(), 0);
    }

    // Without its plan a session is not whole: the defaults are not armed with its layers.
    void aPlanOfAnotherVersionTicksNothing() {
        m_window->pages().model->selectByRegex("attn_(k|v)");
        QVERIFY(m_window->close());
        m_window.reset();
        QSettings().setValue("plan/specification", R"({"method": "of another version"})");
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QCOMPARE(m_window->pages().model->tree()->checkedCount(), 0);
        QVERIFY(!barButton("Run")->isEnabled());
    }

    // Its lists of settings return, which would all be armed with every layer there is.
    void aSessionOfAnotherModelTicksNothing() {
        const QString other = COSPADI_TEST_DATA "/arch/llama_biases/model.gguf";
        for (const bool isGone : {false, true}) {  // what the session had open
            m_window->pages().plan->setSpecification(planOf(0), {"0.2 0.3", {}, {}, {}});
            m_window->pages().model->selectByRegex("attn_(k|v)");
            QVERIFY(m_window->close());
            m_window = std::make_unique<MainWindow>();
            QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
            if (isGone) {
                m_window->openModel()->load("/nowhere/model.gguf");
                QTRY_COMPARE(loaded.count(), 1);
                QVERIFY(!loaded[0][0].toBool());
            }
            m_window->openModel()->load(other);
            QTRY_COMPARE(loaded.count(), isGone ? 2 : 1);
            QVERIFY(loaded.last()[0].toBool());
            QCOMPARE(m_window->pages().plan->sweep().cr, "0.2 0.3");
            QCOMPARE(m_window->pages().model->tree()->checkedCount(), 0);
            QVERIFY(!m_window->pages().plan->problem().isEmpty());
            m_window->openModel()->load(kSmallModel);
            QTRY_COMPARE(loaded.count(), isGone ? 3 : 2);
        }
    }

    void cursorPageAndSelectedRunsReturn() {
        m_window->pages().model->selectByRegex("attn_k");
        m_window->pages().plan->setSpecification(planOf(0), {"0.2 0.3 0.4", {}, {}, {}});
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        m_window->plannedRuns()->start();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 3, kPatience);
        RunsPage* runs = m_window->pages().runs;
        QTRY_COMPARE_WITH_TIMEOUT(runs->model()->rowCount(), 3, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(runs->selectedRuns().size(), 1u, kPatience);
        const QStringList chosen{QString::fromStdString(runs->model()->run(0).id),
                                 QString::fromStdString(runs->model()->run(2).id)};
        runs->list()->select(chosen);
        const auto& layers = m_window->pages().model->tree()->layers();
        const QString cursor = QString::fromStdString(layers.back().name);
        m_window->pages().model->highlight(cursor);
        m_window->pages().tabs->setCurrentWidget(runs);
        QVERIFY(m_window->close());
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().runs);
        QCOMPARE(QString::fromStdString(m_window->pages().model->highlightedLayer()->name), cursor);
        const auto selected = [this] {
            QStringList ids;
            for (const RunRow& run : m_window->pages().runs->selectedRuns()) {
                ids << QString::fromStdString(run.id);
            }
            ids.sort();
            return ids;
        };
        QStringList wanted = chosen;
        wanted.sort();
        QTRY_COMPARE_WITH_TIMEOUT(selected(), wanted, kPatience);
    }

    void recentModelsAreInTheFileMenu() {
        const QString other = modelThatReads();
        load(other);
        auto* menu = m_window->findChild<QMenu*>("recentModels");
        QVERIFY(menu != nullptr);
        emit menu->aboutToShow();
        QVERIFY(menu->actions().size() >= 2);
        QCOMPARE(menu->actions()[0]->text(), other);
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        menu->actions()[1]->trigger();
        QTRY_COMPARE(loaded.count(), 1);
        QVERIFY(loaded[0][0].toBool());
        QVERIFY(m_window->pages().runBar->command().contains("a_llama_gqa"));
        // What is gone is not offered.
        fs::remove_all(other.toStdString());
        QVERIFY(!recentModels().contains(other));
    }
};

COSPADI_TEST(TestWindowRestart)

}  // namespace tst_window_restart

#include "tst_window_restart.moc"
