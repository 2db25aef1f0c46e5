// How the window behaves over a session: what keys, wheel and undo reach, what closing and settings
// ask before they stop something, what a restart brings back, and that the bar tells what is true
// now.
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QUndoStack>
#include <QWheelEvent>
#include <csignal>
#include <nlohmann/json.hpp>

#include "core/methods/method.h"
#include "tests/registered_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/curve_chart.h"
#include "ui/dialogs/settings_dialog.h"
#include "ui/dialogs/shortcut_list.h"
#include "ui/engine/activity.h"
#include "ui/engine/perplexity_measurement.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/matrix_table_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/whole/whole_page.h"
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

    QString barText() const {
        QStringList words;
        for (const QLabel* label : m_window->runBar()->findChildren<QLabel*>()) {
            words << label->text();
        }
        return words.join('|');
    }
    QPushButton* barButton(const char* text) const { return buttonOf(*m_window->runBar(), text); }
    QPushButton* offered(const char* text) const { return buttonOf(*m_window->messageBar(), text); }
    QAction* action(const QString& words) const {
        for (QAction* action : m_window->findChildren<QAction*>()) {
            if (action->text().remove('&').startsWith(words)) {
                return action;
            }
        }
        return nullptr;
    }
    QString statusOf(const QString& id) const {
        const RunsTableModel* model = m_window->runsPage()->model();
        for (int row = 0; row < model->rowCount(); ++row) {
            if (QString::fromStdString(model->run(row).id) == id) {
                return QString::fromStdString(model->run(row).status);
            }
        }
        return {};
    }
    void startRun(const RunSpecification& plan) const {
        m_window->planPanel()->setSpecification(plan);
        m_window->startRun();
    }
    void killEngine() const {
        QCOMPARE(::kill(static_cast<pid_t>(m_window->engine()->processId()), SIGKILL), 0);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->run()->isActive(), kPatience);
    }
    // Neither of these may look alive once the run is over.
    void verifyBarIsAtRest() const {
        QVERIFY(!barButton("Pause")->isEnabled());
        QVERIFY(!barButton("Cancel")->isEnabled());
        QVERIFY2(!barText().contains("left") && !barText().contains("Starting"),
                 qPrintable(barText()));
        const auto* progress = m_window->runBar()->findChild<QProgressBar*>();
        QVERIFY(progress->maximum() > 0);  // does not run to and fro
    }
    int rowsInWork() const {
        const auto* model = m_window->monitorPage()->findChild<MatrixTableModel*>();
        int count = 0;
        for (int row = 0; row < model->rowCount(); ++row) {
            count += model->index(row, MatrixTableModel::SizeColumn).data() == "running" ? 1 : 0;
        }
        return count;
    }
    // The first one works on its matrices then; the other is over at once.
    void queueOneThatLastsAndAnother() const {
        Job first;
        first.specification = planOf(2000);
        first.specification.model = kSmallModel.toStdString();
        Job second;
        second.specification = planOf(0);
        second.specification.model = first.specification.model;
        m_window->queue()->add({first, second});
        QTRY_VERIFY_WITH_TIMEOUT(rowsInWork() > 0, kPatience);
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
        m_window->planPanel()->setSpecification(planOf(0), {"0.2 0.3", {}, {}, {}});
        QVERIFY(barButton("Run 2 jobs") != nullptr);
        QSignalSpy finished(m_window->run(), &RunController::runFinished);
        QWidget* pressed = m_window.get();
        if (!from.isEmpty()) {
            m_window->pages()->setCurrentWidget(m_window->planPanel());
            pressed = m_window->planPanel()->findChild<QWidget*>(from);
            pressed->setFocus();
        }
        QTest::keyClick(pressed, Qt::Key(key), Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QVERIFY(action("Run the plan")->shortcut() == QKeySequence(Qt::CTRL | Qt::Key_Return));
    }

    void controlReturnNeedsAPlan() {
        m_window->modelPanel()->selectByRegex("");
        QVERIFY(!barButton("Run")->isEnabled());
        QTest::keyClick(m_window.get(), Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(!m_window->run()->isActive());
        QVERIFY(m_window->queue()->jobs().isEmpty());
    }

    void undoBelongsToThePlanPage() {
        PlanPanel* plan = m_window->planPanel();
        auto* method = plan->findChild<QComboBox*>("method");
        m_window->pages()->setCurrentWidget(plan);
        method->setCurrentIndex(method->findData("svd"));
        QVERIFY(action("Undo")->isEnabled());
        m_window->pages()->setCurrentWidget(m_window->monitorPage());
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(method->currentData().toString(), "svd");
        QVERIFY(!action("Undo")->isEnabled());
        m_window->pages()->setCurrentWidget(plan);
        plan->setFocus();
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(method->currentData().toString(), "cospadi");
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(method->currentData().toString(), "svd");
    }

    // A number that was stepped, and a list that was typed, have the focus when their step back is
    // wanted, and steps of their own, which are not the plan's.
    void undoReachesThePlanFromItsFields() {
        PlanPanel* plan = m_window->planPanel();
        m_window->pages()->setCurrentWidget(plan);
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
        PlanPanel* plan = m_window->planPanel();
        m_window->pages()->setCurrentWidget(plan);
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
        m_window->planPanel()->setSpecification(planOf(0), {"0.2 0.3", "1.5 2", {}, "1 2"});
        m_window->modelPanel()->selectByRegex("attn_(k|v)");
        const QVector<bool> ticks = m_window->modelPanel()->tree()->checked();
        QVERIFY(ticks.contains(true) && ticks.contains(false));
        m_window->runsPage()->list()->showFilter("cr=0.2 ffn", true);
        QVERIFY(m_window->close());
        m_window = std::make_unique<MainWindow>();
        QCOMPARE(WindowSession::model(), kSmallModel);
        QVERIFY(!barButton("Run 8 jobs") || !barButton("Run 8 jobs")->isEnabled());
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->loadModel(WindowSession::model());
        QTRY_COMPARE(loaded.count(), 1);
        QCOMPARE(m_window->modelPanel()->tree()->checked(), ticks);
        QCOMPARE(m_window->planPanel()->sweep().cr, "0.2 0.3");
        QCOMPARE(m_window->planPanel()->sweep().rho, "1.5 2");
        QCOMPARE(m_window->planPanel()->sweep().seed, "1 2");
        QCOMPARE(m_window->planPanel()->jobs().size(), 8);
        QCOMPARE(m_window->runsPage()->list()->filter(), "cr=0.2 ffn");
        QVERIFY(m_window->runsPage()->list()->showsArchived());
        // None ticked stays none.
        m_window->modelPanel()->selectByRegex("");
        QVERIFY(m_window->close());
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QCOMPARE(m_window->modelPanel()->tree()->checkedCount(), 0);
        QVERIFY(!m_window->planPanel()->problem().isEmpty());
        QVERIFY(!barButton("Run 8 jobs") || !barButton("Run 8 jobs")->isEnabled());
    }

    // Without its plan a session is not whole: the defaults are not armed with its layers.
    void aPlanOfAnotherVersionTicksNothing() {
        m_window->modelPanel()->selectByRegex("attn_(k|v)");
        QVERIFY(m_window->close());
        m_window.reset();
        QSettings().setValue("plan/specification", R"({"method": "of another version"})");
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QCOMPARE(m_window->modelPanel()->tree()->checkedCount(), 0);
        QVERIFY(!barButton("Run")->isEnabled());
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
        m_window->loadModel(COSPADI_TEST_DATA "/arch/llama_biases/model.gguf");
        QTRY_COMPARE(loaded.count(), 1);
        emit m_window->runsPage()->planRequested(run);
        QTRY_COMPARE(loaded.count(), 2);
        QVERIFY(loaded[1][0].toBool());
        const QString command = m_window->runBar()->command();
        QVERIFY2(command.contains(kSmallModel) && command.contains("ffn_up") &&
                     command.contains("0.35") && command.contains("--sequences 16"),
                 qPrintable(command));
        // The text that ships needs no name, least of all that of another place.
        QVERIFY2(!command.contains("c4_calib"), qPrintable(command));
        QCOMPARE(m_window->pages()->currentWidget(), m_window->planPanel());
        QVERIFY2(command.contains("--calibration-seed 7") && command.contains("--ridge 0.01"),
                 qPrintable(command));
        QVERIFY(!m_window->messageBar()->isVisible());
        // What a field is too coarse for is told.
        specification.cr = 0.125;
        run.specification = toJson(specification).dump();
        emit m_window->runsPage()->planRequested(run);
        QTRY_VERIFY(m_window->messageBar()->isVisible());
        QVERIFY2(m_window->messageBar()->text().contains("cr 0.125"),
                 qPrintable(m_window->messageBar()->text()));
        // A run without calibration leaves no zeros in its fields.
        specification.method = &methodFromName("svd");
        specification.calibration.text.clear();
        specification.calibration.sequences = specification.calibration.length = 0;
        run.specification = toJson(specification).dump();
        emit m_window->runsPage()->planRequested(run);
        QCOMPARE(m_window->planPanel()->specification().calibration.sequences,
                 CalibrationSpecification().sequences);
    }

    // ---- is anything going on?

    void closingDuringAnEvaluationAsks() {
        // An engine that greets and then says nothing: the evaluation goes on for ever.
        m_window->engine()->stop();
        m_window->engine()->setProgram(
            "sh", {"-c", "read -r line; echo '{\"id\":1,\"result\":{}}'; cat > /dev/null"});
        QVERIFY(m_window->activity()->isIdle());
        QCOMPARE(m_window->activity()->words(), QString());
        RunRow run;
        run.id = "r";
        run.directory = "/nowhere";
        QSignalSpy activity(m_window->activity(), &Activity::changed);
        emit m_window->runsPage()->evaluationRequested({run});
        QVERIFY(m_window->activity()->words().contains("perplexity"));
        QVERIFY(activity.count() > 0);
        QVERIFY(!m_window->close());
        QVERIFY2(m_window->messageBar()->text().contains("perplexity"),
                 qPrintable(m_window->messageBar()->text()));
        QTRY_VERIFY(offered("Stay") != nullptr);
        QVERIFY(offered("Close, and let it run on") == nullptr);  // no run that could
        QTest::mouseClick(offered("Stay"), Qt::LeftButton);
        QVERIFY(m_window->isVisible());

        // Settings leave the engine to it, and count afterwards.
        const qint64 engine = m_window->engine()->processId();
        action("Settings")->trigger();
        auto* dialog = m_window->findChild<SettingsDialog*>();
        QVERIFY(dialog != nullptr);
        QVERIFY(!dialog->findChild<QSpinBox*>("settingsThreads")->isEnabled());
        Preferences other = Preferences::load();
        other.threads = 1;
        other.runsDirectory = m_home.filePath("else/runs");
        m_window->applyPreferences(other);
        QVERIFY(m_window->engine()->isRunning());
        QCOMPARE(m_window->engine()->processId(), engine);
        QCOMPARE(::kill(static_cast<pid_t>(engine), SIGKILL), 0);
        QTRY_VERIFY(m_window->activity()->words().isEmpty());
        QTRY_VERIFY(dialog->findChild<QSpinBox*>("settingsThreads")->isEnabled());
        QVERIFY(m_window->close());  // nothing is left to ask about
    }

    // What the page Whole makes stands beside what it predicted; a run of the plan does not.
    void aRunOfRatiosIsHeldAgainstItsPrediction() {
        // The small model has no tokenizer: that it is asked for is seen by its failure.
        QSignalSpy asked(m_window->findChild<PerplexityMeasurement*>(),
                         &PerplexityMeasurement::failed);
        QSignalSpy finished(m_window->run(), &RunController::runFinished);
        RunSpecification made = planOf(1);
        made.model = QDir(kSmallModel).absolutePath().toStdString();
        made.layers = "^blk\\.0\\.attn_(q|k)";
        startRun(made);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY(!m_window->activity()->words().contains("perplexity") && asked.isEmpty());
        made.ratios = {{"blk.0.attn_q", 0.3}};
        emit m_window->findChild<WholePage*>()->runRequested(made);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QCOMPARE(finished.back().front().toString(), QString("finished"));
        QTRY_COMPARE_WITH_TIMEOUT(asked.count(), 1, kPatience);
        QCOMPARE(asked.front().front().toString(), m_window->run()->directory());
    }

    void aPerplexityIsStoppedFromItsMessage() {
        m_window->engine()->stop();
        m_window->engine()->setProgram(
            "sh", {"-c", "read -r line; echo '{\"id\":1,\"result\":{}}'; cat > /dev/null"});
        RunRow run;
        run.id = "r";
        run.directory = "/nowhere/r";
        RunRow other = run;
        other.directory = "/nowhere/s";
        emit m_window->runsPage()->evaluationRequested({run, other});
        QVERIFY2(m_window->messageBar()->text().contains("2 runs"),
                 qPrintable(m_window->messageBar()->text()));
        QVERIFY(!m_window->close());
        // The question and what it is about stand side by side.
        QVERIFY(offered("Stop it and close") != nullptr && offered("Stop") != nullptr);
        QTest::mouseClick(offered("Stay"), Qt::LeftButton);
        QTest::mouseClick(offered("Stop"), Qt::LeftButton);
        m_window->engine()->stop(100);  // which would not have answered
        QTRY_VERIFY(m_window->activity()->isIdle());
        QVERIFY(offered("Stop") == nullptr);
    }

    // ---- the bar

    void aDeadEngineLeavesTheBarAtRest() {
        startRun(planOf(2000));
        QTRY_VERIFY_WITH_TIMEOUT(barText().contains("Compressing") && rowsInWork() > 0, kPatience);
        QVERIFY(barButton("Cancel")->isEnabled());
        const QString id = m_window->run()->runId();
        QTRY_COMPARE_WITH_TIMEOUT(statusOf(id), "running", kPatience);
        killEngine();
        verifyBarIsAtRest();
        QVERIFY2(barText().contains("Interrupted"), qPrintable(barText()));
        QCOMPARE(rowsInWork(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(statusOf(id), "interrupted", kPatience);
        picture(*m_window, "engine-died");

        // Taken up again: the message goes, the list says that it is at work.
        QTRY_VERIFY(offered("Resume the run") != nullptr);
        // The engine is back by another request: that it crashed is past, the run still waits.
        m_window->engine()->start();
        QTRY_VERIFY2(m_window->messageBar()->text().contains("The run was interrupted"),
                     qPrintable(m_window->messageBar()->text()));
        QVERIFY(m_window->messageBar()->isVisible());
        QTRY_VERIFY(offered("Resume the run") != nullptr);
        m_window->run()->resumeInterrupted();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->run()->state() == RunController::State::Running,
                                 kPatience);
        QVERIFY(!m_window->messageBar()->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(statusOf(id), "running", kPatience);
        m_window->run()->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->run()->isActive(), kPatience);
        verifyBarIsAtRest();
        QVERIFY2(barText().contains("Cancelled"), qPrintable(barText()));
        QCOMPARE(rowsInWork(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(statusOf(id), "cancelled", kPatience);
    }

    void aDeadEngineIsPastOnceItWorksAgain() {
        EngineClient* engine = m_window->engine();
        QSignalSpy ready(engine, &EngineClient::ready);
        engine->start();  // if a look at a matrix has not done so
        QTRY_VERIFY_WITH_TIMEOUT(!engine->device().isEmpty(), kPatience);
        QString told;
        connect(engine, &EngineClient::died, m_window.get(), [&] {
            told = m_window->messageBar()->isVisible() ? m_window->messageBar()->text() : QString();
        });
        const auto greetings = ready.count();
        QCOMPARE(::kill(static_cast<pid_t>(engine->processId()), SIGKILL), 0);
        QTRY_VERIFY2(told.contains("crashed or was killed"), qPrintable(told));
        engine->start();
        QTRY_VERIFY_WITH_TIMEOUT(ready.count() > greetings, kPatience);
        QVERIFY(!m_window->messageBar()->isVisible());
    }

    void aResumedRunShowsWhatItHas() {
        startRun(planOf(1000));
        const RunTrace& trace = m_window->run()->trace();
        QTRY_VERIFY_WITH_TIMEOUT(trace.finished() >= 1, kPatience);
        const QString id = m_window->run()->runId();
        m_window->run()->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->run()->isActive(), kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(statusOf(id), "cancelled", kPatience);
        const qint64 kept = trace.finished();
        const RunsTableModel* runs = m_window->runsPage()->model();
        QCOMPARE(runs->rowCount(), 1);
        emit m_window->runsPage()->resumeRequested(runs->run(0));
        QTRY_VERIFY_WITH_TIMEOUT(rowsInWork() > 0, kPatience);
        QVERIFY(trace.finished() >= kept);
        QVERIFY2(barText().contains(
                     QString("Compressing  %1 of %2").arg(trace.finished()).arg(trace.expected())),
                 qPrintable(barText()));
        const auto* table = m_window->monitorPage()->findChild<MatrixTableModel*>();
        QCOMPARE(table->rowCount() - rowsInWork(), int(trace.finished()));
        const MatrixTrace& first = trace.matrices().first();
        QVERIFY(first.finished && first.finalError > 0 && !first.error.isEmpty());
        m_window->run()->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->run()->isActive(), kPatience);
    }

    void aRefusedResumeLeavesTheBarAtRest() {
        QSignalSpy failed(m_window->run(), &RunController::failed);
        m_window->run()->resumeStored("{\"method\": \"no such method\"}", "/nowhere");
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
        verifyBarIsAtRest();
    }

    void anEmptyChartSaysWhy() {
        const auto words = [this] {
            QStringList all;
            for (const QLabel* label :
                 m_window->monitorPage()->errorChart()->findChildren<QLabel*>()) {
                all << label->text();
            }
            return all.join('|');
        };
        QVERIFY2(words().contains("Nothing has run yet"), qPrintable(words()));
        m_window->engine()->stop();
        m_window->engine()->setProgram(
            "sh", {"-c",
                   "read -r line; echo '{\"id\":1,\"result\":{}}'; read -r line; "
                   "echo '{\"event\":\"progress\",\"stage\":\"calibration\",\"done\":1,"
                   "\"total\":9}'; cat > /dev/null"});
        m_window->startRun();
        QTRY_VERIFY(m_window->run()->isActive());
        QVERIFY2(!words().contains("Nothing has run yet"), qPrintable(words()));
    }

    // Cancelling means the run, not what waits behind it; what nobody knows is not told as a time.
    void cancellingARunGoesOnWithTheNext() {
        queueOneThatLastsAndAnother();
        QVERIFY2(barText().contains("1 more waiting"), qPrintable(barText()));
        static const QRegularExpression noTime("unknown|about –|–\\s*left");
        QVERIFY2(!barText().contains(noTime), qPrintable(barText()));
        QSignalSpy finished(m_window->run(), &RunController::runFinished);
        QTest::mouseClick(barButton("Cancel"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QCOMPARE(finished[0][0].toString(), "cancelled");
        QCOMPARE(finished[1][0].toString(), "finished");
        QVERIFY(!m_window->queue()->isHeld());
    }

    // What a dead engine leaves waiting is held, which is said with the way on.
    void aHeldQueueIsTold() {
        queueOneThatLastsAndAnother();
        killEngine();
        QVERIFY(m_window->queue()->isHeld());
        QTRY_VERIFY(offered("Go on with the 1 that wait") != nullptr);
        QSignalSpy finished(m_window->run(), &RunController::runFinished);
        QTest::mouseClick(offered("Go on with the 1 that wait"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QCOMPARE(finished[0][0].toString(), "finished");
    }

    void onlyTheLastOfASweepIsTheEnd() {
        m_window->planPanel()->setSpecification(planOf(0), {"0.2 0.3 0.4", {}, {}, {}});
        QSignalSpy finished(m_window->run(), &RunController::runFinished);
        QStringList told;
        connect(m_window->run(), &RunController::runFinished, m_window.get(), [&] {
            told << (m_window->messageBar()->isVisible() ? m_window->messageBar()->text()
                                                         : QString());
        });
        m_window->startRun();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 3, kPatience);
        QCOMPARE(told.size(), 3);
        QCOMPARE(told[0], QString());
        QCOMPARE(told[1], QString());
        QVERIFY2(told[2].contains("All 3 runs are finished"), qPrintable(told[2]));
    }
};

COSPADI_TEST(TestWindowSession)

}  // namespace tst_window_session

#include "tst_window_session.moc"
