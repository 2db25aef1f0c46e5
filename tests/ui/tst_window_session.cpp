// How the window behaves over a session: what keys, wheel and undo reach, what closing and settings
// ask before they stop something, what a restart brings back.
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QUndoStack>
#include <QWheelEvent>
#include <csignal>

#include "core/methods/method.h"
#include "tests/registered_test.h"
#include "tests/ui/child_of.h"
#include "tests/ui/window_fixture.h"
#include "ui/dialogs/settings_dialog.h"
#include "ui/engine/activity.h"
#include "ui/engine/perplexity_measurement.h"
#include "ui/engine/task_queue.h"
#include "ui/live_preferences.h"
#include "ui/models/layer_tree_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/whole/whole_page.h"
#include "ui/widgets/slider_spin.h"
#include "ui/window_session.h"

namespace tst_window_session {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

constexpr int kPatience = 60'000;  // milliseconds, for a loaded machine

void turnWheel(QWidget* widget, int degrees) {
    const QPointF at = widget->rect().center();
    QWheelEvent event(at, widget->mapToGlobal(at), {}, QPoint(0, degrees * 8), Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QSpontaneKeyEvent::setSpontaneous(&event);  // else it goes no further than the widget
    qApp->notify(widget, &event);
}

}  // namespace

class TestWindowSession : public QObject, WindowFixture {
    Q_OBJECT

    QPushButton* barButton(const char* text) const {
        return buttonOf(*m_window->pages().runBar, text);
    }
    QAction* action(const QString& words) const {
        for (QAction* action : m_window->findChildren<QAction*>()) {
            if (action->text().remove('&').startsWith(words)) {
                return action;
            }
        }
        return nullptr;
    }

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    // ---- keys

    void controlReturnStartsThePlan_data() {
        QTest::addColumn<int>("key");
        QTest::addColumn<QString>("from");  // the field that has the focus
        QTest::newRow("Return") << int(Qt::Key_Return) << QString();
        QTest::newRow("Enter") << int(Qt::Key_Enter) << QString();
        QTest::newRow("from a number") << int(Qt::Key_Return) << "iterations";
        QTest::newRow("from a line") << int(Qt::Key_Return) << "sweepCr";
    }

    void controlReturnStartsThePlan() {
        QFETCH(int, key);
        QFETCH(QString, from);
        // The button's words change with the plan: a shortcut of its own would be gone.
        m_window->pages().plan->setSpecification(planOf(0), {"0.2 0.3", {}, {}, {}});
        QVERIFY(barButton("Run 2 jobs") != nullptr);
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QWidget* pressed = m_window.get();
        if (!from.isEmpty()) {
            m_window->pages().tabs->setCurrentWidget(m_window->pages().plan);
            pressed = m_window->pages().plan->findChild<QWidget*>(from);
            pressed->setFocus();
        }
        QTest::keyClick(pressed, Qt::Key(key), Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QVERIFY(action("Run the plan")->shortcut() == QKeySequence(Qt::CTRL | Qt::Key_Return));
    }

    void controlReturnNeedsAPlan() {
        m_window->pages().model->selectByRegex("");
        QVERIFY(!barButton("Run")->isEnabled());
        QTest::keyClick(m_window.get(), Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(!m_window->services().run->isActive());
        QVERIFY(m_window->services().queue->jobs().isEmpty());
    }

    void undoBelongsToThePlanPage() {
        PlanPanel* plan = m_window->pages().plan;
        auto* method = plan->findChild<QComboBox*>("method");
        m_window->pages().tabs->setCurrentWidget(plan);
        method->setCurrentIndex(method->findData("svd"));
        QVERIFY(action("Undo")->isEnabled());
        m_window->pages().tabs->setCurrentWidget(m_window->pages().monitor);
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(method->currentData().toString(), "svd");
        QVERIFY(!action("Undo")->isEnabled());
        m_window->pages().tabs->setCurrentWidget(plan);
        plan->setFocus();
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(method->currentData().toString(), "cospadi");
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(method->currentData().toString(), "svd");
    }

    // A number that was stepped, and a list that was typed, have the focus when their step back is
    // wanted, and steps of their own, which are not the plan's.
    void undoReachesThePlanFromItsFields() {
        PlanPanel* plan = m_window->pages().plan;
        m_window->pages().tabs->setCurrentWidget(plan);
        auto* cr = plan->findChild<QWidget*>("cr")->findChild<QDoubleSpinBox*>();
        cr->setFocus();
        const double before = cr->value();
        QTest::keyClick(cr, Qt::Key_Up);
        QVERIFY(cr->value() > before);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(cr->value(), before);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z,
                        Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(cr->value() > before);
        auto* seeds = plan->findChild<QLineEdit*>("sweepSeed");
        seeds->setFocus();
        QTest::keyClicks(seeds, "1 2");
        QCOMPARE(plan->jobs().size(), 2);
        while (!seeds->text().isEmpty() && plan->undoStack()->canUndo()) {
            QTest::keyClick(seeds, Qt::Key_Z, Qt::ControlModifier);
        }
        QCOMPARE(plan->jobs().size(), 1);
        QVERIFY(cr->value() > before);  // the step before is another
    }

    // ---- the wheel

    void theWheelChangesOnlyWhatHasTheFocus() {
        PlanPanel* plan = m_window->pages().plan;
        m_window->pages().tabs->setCurrentWidget(plan);
        m_window->resize(1024, 600);  // so small that the form scrolls
        QTest::qWait(1);
        auto* rho = plan->findChild<QWidget*>("rho");
        auto* spin = rho->findChild<QDoubleSpinBox*>();
        auto* slider = rho->findChild<QSlider*>();
        auto* method = plan->findChild<QComboBox*>("method");
        auto* scroll = plan->findChild<QScrollArea*>();
        QVERIFY(scroll->verticalScrollBar()->maximum() > 0);
        plan->findChild<QLineEdit*>("sweepCr")->setFocus();
        scroll->verticalScrollBar()->setValue(0);
        const double before = spin->value();
        for (QWidget* field : std::initializer_list<QWidget*>{spin, slider, method}) {
            turnWheel(field, -15);
            QVERIFY(!field->hasFocus());
            QVERIFY(field->focusPolicy() != Qt::WheelFocus);
        }
        QCOMPARE(spin->value(), before);
        QCOMPARE(method->currentData().toString(), "cospadi");
        QVERIFY(scroll->verticalScrollBar()->value() > 0);  // the page scrolled instead
        spin->setFocus();
        turnWheel(spin, -15);
        QVERIFY(spin->value() < before);
    }

    // ---- a restart

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
                         "2 evaluations of tasks were still waiting"),
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

    // ---- a plan from a run

    void aPlanFromARunIsThatRun() {
        RunRow run;
        run.id = "some-run";
        RunSpecification specification;
        specification.model = QDir(kSmallModel).absolutePath().toStdString();
        specification.layers = "ffn_up";
        specification.cr = 0.35;
        specification.calibration.text = "/another/place/texts/c4_calib.jsonl";
        specification.calibration.sequences = 16;
        specification.calibration.seed = 7;
        specification.method = &methodFromName("svd-llm");
        specification.ridge = 0.01;
        run.specification = toJson(specification).dump();
        // Another model is open meanwhile.
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->openModel()->load(COSPADI_TEST_DATA "/arch/llama_biases/model.gguf");
        QTRY_COMPARE(loaded.count(), 1);
        emit m_window->pages().runs->planRequested(run);
        QTRY_COMPARE(loaded.count(), 2);
        QVERIFY(loaded[1][0].toBool());
        const QString command = m_window->pages().runBar->command();
        QVERIFY2(command.contains(kSmallModel) && command.contains("ffn_up") &&
                     command.contains("0.35") && command.contains("--sequences 16"),
                 qPrintable(command));
        // The text that ships needs no name, least of all that of another place.
        QVERIFY2(!command.contains("c4_calib"), qPrintable(command));
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().plan);
        QVERIFY2(command.contains("--calibration-seed 7") && command.contains("--ridge 0.01"),
                 qPrintable(command));
        QVERIFY(!m_window->pages().messages->isVisible());
        // What a field is too coarse for is told.
        specification.cr = 0.125;
        run.specification = toJson(specification).dump();
        emit m_window->pages().runs->planRequested(run);
        QTRY_VERIFY(m_window->pages().messages->isVisible());
        QVERIFY2(m_window->pages().messages->text().contains("cr 0.125"),
                 qPrintable(m_window->pages().messages->text()));
        // A run without calibration leaves no zeros in its fields.
        specification.method = &methodFromName("svd");
        specification.calibration.text.clear();
        specification.calibration.sequences = specification.calibration.length = 0;
        run.specification = toJson(specification).dump();
        emit m_window->pages().runs->planRequested(run);
        QCOMPARE(m_window->pages().plan->specification().calibration.sequences,
                 CalibrationSpecification().sequences);
    }

    // ---- is anything going on?

    void closingDuringAnEvaluationAsks() {
        // An engine that greets and then says nothing: the evaluation goes on for ever.
        m_window->services().engine->stop();
        m_window->services().engine->setProgram(
            "sh", {"-c", "read -r line; echo '{\"id\":1,\"result\":{}}'; cat > /dev/null"});
        QVERIFY(m_window->services().activity->isIdle());
        QCOMPARE(m_window->services().activity->words(), QString());
        RunRow run;
        run.id = "r";
        run.directory = "/nowhere";
        QSignalSpy activity(m_window->services().activity, &Activity::changed);
        emit m_window->pages().runs->evaluationRequested({run});
        QVERIFY(m_window->services().activity->words().contains("perplexity"));
        QVERIFY(activity.count() > 0);
        QVERIFY(!m_window->close());
        QVERIFY2(m_window->pages().messages->text().contains("perplexity"),
                 qPrintable(m_window->pages().messages->text()));
        QTRY_VERIFY(offered("Stay") != nullptr);
        QVERIFY(offered("Close, and let it run on") == nullptr);  // no run that could
        QTest::mouseClick(offered("Stay"), Qt::LeftButton);
        QVERIFY(m_window->isVisible());

        // Settings leave the engine to it, and count afterwards.
        const qint64 engine = m_window->services().engine->processId();
        action("Settings")->trigger();
        auto* dialog = m_window->findChild<SettingsDialog*>();
        QVERIFY(dialog != nullptr);
        QVERIFY(!dialog->findChild<QSpinBox*>("settingsThreads")->isEnabled());
        Preferences other = Preferences::load();
        other.threads = 1;
        other.runsDirectory = m_home.filePath("else/runs");
        m_window->preferences()->apply(other);
        QVERIFY(m_window->services().engine->isRunning());
        QCOMPARE(m_window->services().engine->processId(), engine);
        QCOMPARE(::kill(static_cast<pid_t>(engine), SIGKILL), 0);
        QTRY_VERIFY(m_window->services().activity->words().isEmpty());
        QTRY_VERIFY(dialog->findChild<QSpinBox*>("settingsThreads")->isEnabled());
        QVERIFY(m_window->close());  // nothing is left to ask about
    }

    // What the page Whole makes stands beside what it predicted; a run of the plan does not.
    void aRunOfRatiosIsHeldAgainstItsPrediction() {
        // The small model has no tokenizer: that it is asked for is seen by its failure.
        QSignalSpy asked(m_window->findChild<PerplexityMeasurement*>(),
                         &PerplexityMeasurement::failed);
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        RunSpecification made = planOf(1);
        made.model = QDir(kSmallModel).absolutePath().toStdString();
        made.layers = "^blk\\.0\\.attn_(q|k)";
        startRun(made);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY(!m_window->services().activity->words().contains("perplexity") && asked.isEmpty());
        made.ratios = {{"blk.0.attn_q", 0.3}};
        emit m_window->findChild<WholePage*>()->runRequested(made);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QCOMPARE(finished.back().front().toString(), QString("finished"));
        QTRY_COMPARE_WITH_TIMEOUT(asked.count(), 1, kPatience);
        QCOMPARE(asked.front().front().toString(), m_window->services().run->directory());
    }

    void aPerplexityIsStoppedFromItsMessage() {
        m_window->services().engine->stop();
        m_window->services().engine->setProgram(
            "sh", {"-c", "read -r line; echo '{\"id\":1,\"result\":{}}'; cat > /dev/null"});
        RunRow run;
        run.id = "r";
        run.directory = "/nowhere/r";
        RunRow other = run;
        other.directory = "/nowhere/s";
        emit m_window->pages().runs->evaluationRequested({run, other});
        QVERIFY2(m_window->pages().messages->text().contains("2 runs"),
                 qPrintable(m_window->pages().messages->text()));
        QVERIFY(!m_window->close());
        // The question and what it is about stand side by side.
        QVERIFY(offered("Stop it and close") != nullptr && offered("Stop") != nullptr);
        QTest::mouseClick(offered("Stay"), Qt::LeftButton);
        QTest::mouseClick(offered("Stop"), Qt::LeftButton);
        m_window->services().engine->stop(100);  // which would not have answered
        QTRY_VERIFY(m_window->services().activity->isIdle());
        QVERIFY(offered("Stop") == nullptr);
    }
};

COSPADI_TEST(TestWindowSession)

}  // namespace tst_window_session

#include "tst_window_session.moc"
