// From the fields of a plan to runs: lists and ranges, the grid they make, undo, the command line,
// predictions, the queue, and what the engine refuses of a look at a matrix.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEnterEvent>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QUndoStack>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/methods/method.h"
#include "core/run/cost_estimate.h"
#include "core/store/paper_preset.h"
#include "tests/registered_test.h"
#include "tests/ui/engine_in_shell.h"
#include "ui/base/theme.h"
#include "ui/engine/command_line.h"
#include "ui/engine/matrix_lab.h"
#include "ui/models/job_table_model.h"
#include "ui/models/layer_selection.h"
#include "ui/models/sweep.h"
#include "ui/pages/plan/plan_form.h"
#include "ui/pages/plan/plan_panel.h"

namespace tst_plan {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

std::vector<LayerInfo> someLayers(int blocks = 2) {
    std::vector<LayerInfo> layers;
    for (int block = 0; block < blocks; ++block) {
        for (const char* kind : {"attn_q", "attn_k", "ffn_up"}) {
            LayerInfo layer;
            layer.block = block;
            layer.kind = kind;
            layer.name = layerName(block, kind);
            layer.gramKey = layer.name;
            layer.d1 = 576;
            layer.d2 = 1536;
            layers.push_back(layer);
        }
    }
    return layers;
}

}  // namespace

class TestPlan : public QObject {
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
    }

    void tasksAreKnownByTheirNames() {
        const AfterRun after =
            expandSweep({}, {{}, {}, {}, {}, {}, true, " piqa,arc_easy  piqa "}).after;
        QVERIFY(after.perplexity);
        QCOMPARE(after.tasks, (QStringList{"piqa", "arc_easy"}));
        QVERIFY(expandSweep({}, {}).after.isNothing());
        const Sweep none = expandSweep({}, {{}, {}, {}, {}, {}, false, "piqa arc"});
        QVERIFY(none.jobs.empty());
        QVERIFY2(none.problem.contains("“arc”") && none.problem.contains("arc_easy"),
                 qPrintable(none.problem));
    }

    void whatFollowsARunIsPartOfThePlan() {
        PlanPanel panel;
        panel.setSelection(someLayers(), QVector<bool>(6, true), nullptr, 1e6);
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

    void undoesAndRedoes() {
        PlanPanel panel;
        panel.setSelection(someLayers(), QVector<bool>(6, true), nullptr, 1e6);
        auto* cr = panel.findChild<QWidget*>("cr")->findChild<QDoubleSpinBox*>();
        auto* rho = panel.findChild<QWidget*>("rho")->findChild<QDoubleSpinBox*>();
        cr->setValue(0.3);
        cr->setValue(0.31);
        cr->setValue(0.32);  // one gesture: one step
        rho->setValue(3);
        QCOMPARE(panel.undoStack()->count(), 2);
        panel.undoStack()->undo();
        QCOMPARE(panel.specification().rho, 2.0);
        QCOMPARE(panel.specification().cr, 0.32);
        panel.undoStack()->undo();
        QCOMPARE(panel.specification().cr, 0.2);
        QVERIFY(!panel.undoStack()->canUndo());
        panel.undoStack()->redo();
        panel.undoStack()->redo();
        QCOMPARE(panel.specification().rho, 3.0);
    }

    void takesOverAnyPlan() {
        RunSpecification plan;
        plan.method = &methodFromName("cospadi");
        plan.solver = Solver::Ksvd;
        plan.cr = 0.35;
        plan.rho = 2.5;
        plan.accounting = Accounting::Eq10;
        plan.coefficientBits = 12;
        plan.iterations = 40;
        plan.powerIterations = 3;
        plan.init = DictionaryInit::Svd;
        plan.update = DictionaryUpdate::Mod;
        plan.deadAtoms = DeadAtoms::Keep;
        plan.coefficientRounding = CoefficientRounding::Truncate;
        plan.allocation = &allocationFromName("knapsack");
        plan.propagation = PropagationKind::Input;
        plan.refit = true;
        plan.coefficientFormat = CoefficientFormat::ShortExponent;
        plan.tolerance = 0.001;
        plan.seed = 5;
        plan.calibration.text = "/some/text.jsonl";
        plan.calibration.sequences = 16;
        plan.calibration.length = 128;
        plan.calibration.seed = 7;
        plan.ridge = 0.01;
        plan.heldOut = 0.125;
        PlanPanel panel;
        panel.setSpecification(plan);
        QCOMPARE(panel.shownOtherwise(plan), QStringList());
        const QString before = compressCommand(plan);
        QVERIFY(toJson(panel.specification()) == toJson(plan));
        QCOMPARE(compressCommand(panel.specification()), before);
        for (const char* option :
             {"--coefficient-bits 12", "--tolerance 0.001", "--seed 5", "--accounting eq10",
              "--init svd", "--update mod", "--iterations 40", "--dead-atoms keep",
              "--calibration /some/text.jsonl", "--allocation knapsack", "--propagation input",
              "--refit on", "--coefficient-format exponent", "--held-out 0.125"}) {
            QVERIFY2(before.contains(option), option);
        }
        // MOD has no power iterations, and a short exponent is always rounded to nearest.
        QVERIFY(!before.contains("power-iterations") && !before.contains("coefficient-rounding"));
        panel.undoStack()->undo();
        QCOMPARE(panel.specification().solver, RunSpecification{}.solver);
    }

    // One control, one step back; what is changed afterwards is another plan.
    // What a method alone has stands on the page while it is chosen, made from its description.
    void ownOptionsOfAMethod() {
        PlanPanel panel;
        auto* bits = panel.findChild<QSpinBox*>("bits");
        QVERIFY(bits != nullptr && !bits->isVisibleTo(&panel));
        RunSpecification plan;
        plan.method = &methodFromName("rtn");
        plan.own["bits"] = std::int64_t{3};
        plan.own["zero_point"] = std::string("none");
        panel.setSpecification(plan);
        QVERIFY(bits->isVisibleTo(&panel));
        QCOMPARE(bits->value(), 3);
        QCOMPARE(bits->maximum(), 8);
        QVERIFY(!panel.findChild<QWidget*>("cr")->isEnabled());
        QVERIFY(toJson(panel.specification()) == toJson(plan));
        const QString command = compressCommand(panel.specification());
        QVERIFY2(command.contains("--bits 3 --zero-point none") && !command.contains("--cr"),
                 qPrintable(command));
        bits->setValue(8);
        QVERIFY(!panel.specification().own.empty());
        panel.undoStack()->undo();
        QCOMPARE(bits->value(), 3);
    }

    // With a pattern N:M the ratio does not count.
    // What counts only beside another field is enabled with it, and "none" that means all alike
    // says so; what is stored is the word of the command line.
    void ownOptionsCountWhereTheyDo() {
        PlanPanel panel;
        auto* groups = panel.findChild<QComboBox*>("groups");
        auto* metric = panel.findChild<QComboBox*>("group_metric");
        auto* outputs = panel.findChild<QComboBox*>("output_metric");
        QVERIFY(groups != nullptr && metric != nullptr && outputs != nullptr);
        panel.setSpecification(RunSpecification());
        QCOMPARE(groups->currentText(), "none");
        QVERIFY(metric->isVisibleTo(&panel) && !metric->isEnabled());
        groups->setEditText("pairs");
        QVERIFY(metric->isEnabled());
        metric->setCurrentIndex(metric->findText("own"));
        groups->setEditText("none");
        QVERIFY(!metric->isEnabled());
        QCOMPARE(outputs->currentText(), "alike");
        QVERIFY(!compressCommand(panel.specification()).contains("output-metric"));
        outputs->setCurrentIndex(outputs->findText("fisher"));
        QVERIFY(compressCommand(panel.specification()).contains("--output-metric fisher"));
        outputs->setCurrentIndex(outputs->findText("alike"));
        QVERIFY(panel.specification().own.count("output_metric") == 0);
    }

    void aPatternTakesTheRatioAway() {
        PlanPanel panel;
        RunSpecification plan;
        plan.method = &methodFromName("wanda");
        panel.setSpecification(plan);
        QVERIFY(panel.findChild<QWidget*>("cr")->isEnabled());
        QVERIFY(compressCommand(panel.specification()).contains("--cr"));
        plan.own["pattern"] = std::string("2:4");
        panel.setSpecification(plan);
        QVERIFY(!panel.findChild<QWidget*>("cr")->isEnabled());
        const QString command = compressCommand(panel.specification());
        QVERIFY2(command.contains("--pattern 2:4") && !command.contains("--cr"),
                 qPrintable(command));
    }

    void thePapersSettingsAreOneStep() {
        PlanPanel panel;
        panel.setSelection(someLayers(), QVector<bool>(6, true), nullptr, 1e6);
        auto* paper = panel.findChild<QPushButton*>("paperSettings");
        auto* cr = panel.findChild<QWidget*>("cr")->findChild<QDoubleSpinBox*>();
        cr->setValue(0.3);
        QVERIFY(paper->isEnabled());
        paper->click();
        const RunSpecification plan = panel.specification();
        QVERIFY(isPaper(plan));
        QCOMPARE(plan.cr, 0.3);
        QVERIFY(!paper->isEnabled());
        const QString command = compressCommand(plan);
        for (const char* option : {"--solver ksvd", "--iterations 60", "--init weight",
                                   "--dead-atoms keep", "--coefficient-rounding truncate",
                                   "--calibration web", "--sequences 256", "--length 1024"}) {
            QVERIFY2(command.contains(option), qPrintable(command));
        }
        panel.findChild<QSpinBox*>("iterations")->setValue(59);
        QVERIFY(!isPaper(panel.specification()));
        QVERIFY(paper->isEnabled());
        panel.undoStack()->undo();
        QVERIFY(isPaper(panel.specification()));
        panel.undoStack()->undo();
        QCOMPARE(panel.specification().solver, RunSpecification().solver);
        QCOMPARE(panel.specification().cr, 0.3);
    }

    void anEffortFillsTheFields() {
        PlanPanel panel;
        panel.setSelection(someLayers(), QVector<bool>(6, true), nullptr, 1e6);
        auto* effort = panel.findChild<QComboBox*>("effort");
        QCOMPARE(effort->currentText(), QString("usual"));
        panel.findChild<QWidget*>("cr")->findChild<QDoubleSpinBox*>()->setValue(0.3);
        const auto choose = [&](const char* word) {
            effort->setCurrentText(word);
            emit effort->activated(effort->currentIndex());
        };
        choose("best");
        QCOMPARE(effort->currentText(), QString("best"));
        const QString command = compressCommand(panel.specification());
        for (const char* option : {"--cr 0.3", "--rho 3", "--groups all-6", "--group-metric probed",
                                   "--sequences 256"}) {
            QVERIFY2(command.contains(option), qPrintable(command));
        }
        panel.findChild<QSpinBox*>("iterations")->setValue(30);
        QCOMPARE(effort->currentIndex(), -1);
        choose("quick");
        QCOMPARE(panel.findChild<QSpinBox*>("iterations")->value(), 10);
        for (const char* option : {"groups", "group-metric", "--rho 3"}) {
            QVERIFY(!compressCommand(panel.specification()).contains(option));
        }
        panel.undoStack()->undo();
        QCOMPARE(effort->currentIndex(), -1);
        panel.undoStack()->undo();
        QCOMPARE(effort->currentText(), QString("best"));
        panel.undoStack()->undo();
        QCOMPARE(effort->currentText(), QString("usual"));
        QCOMPARE(panel.specification().cr, 0.3);
    }

    // What a user changes is told by name, what a program fills in is not.
    void theFormTellsWhatItsUserChanges() {
        PlanForm form;
        QSignalSpy changed(&form, &PlanForm::changed);
        QSignalSpy paper(&form, &PlanForm::paperRequested);
        RunSpecification plan;
        plan.method = &methodFromName("svd");
        plan.cr = 0.4;
        form.setPlan(plan, {"0.2 0.3 ", {}, {}, {}});
        QCOMPARE(changed.count(), 0);
        QCOMPARE(form.specification().method, plan.method);
        QCOMPARE(form.specification().cr, 0.4);
        QCOMPARE(form.sweep().cr, "0.2 0.3");
        auto* rho = form.findChild<QWidget*>("rho");
        QVERIFY(!rho->isEnabled());
        QVERIFY(!form.findChild<QWidget*>("sweepRho")->isEnabled());
        auto* method = form.findChild<QComboBox*>("method");
        method->setCurrentIndex(method->findData("cospadi"));
        QCOMPARE(changed.count(), 1);
        QCOMPARE(changed[0][0].toString(), "method");
        QVERIFY(rho->isEnabled());
        rho->findChild<QDoubleSpinBox*>()->setValue(3);
        QCOMPARE(changed.count(), 2);
        QCOMPARE(changed[1][0].toString(), "ρ");
        form.findChild<QPushButton*>("paperSettings")->click();
        QCOMPARE(paper.count(), 1);
        QCOMPARE(form.specification().rho, 3.0);  // who listens decides
    }

    void fieldsExplainThemselvesInTheHelpLine() {
        PlanForm form;
        auto* help = form.findChild<QLabel*>("planHelp");
        for (const char* name : {"solver", "rho", "sweepCr"}) {
            auto* field = form.findChild<QWidget*>(name);
            const auto parts = field->findChildren<QDoubleSpinBox*>();
            QEnterEvent enter({}, {}, {});
            QCoreApplication::sendEvent(parts.isEmpty() ? field : parts.first(), &enter);
            QCOMPARE(help->text(), field->property("help").toString());
            QVERIFY(help->text().contains(field->toolTip()));
        }
    }

    void showsTheGridAndItsProblems() {
        PlanPanel panel;
        QVERIFY(!panel.problem().isEmpty());  // nothing is selected
        panel.setSelection(someLayers(), QVector<bool>(6, true), nullptr, 1e6);
        QVERIFY2(panel.problem().isEmpty(), qPrintable(panel.problem()));
        auto* list = panel.findChild<QLineEdit*>("sweepCr");
        list->setText("0.2 0.3 0.4");
        QCOMPARE(panel.jobs().size(), 3);
        QVERIFY(panel.jobs()[0].bytes > panel.jobs()[2].bytes);
        QVERIFY(panel.jobs()[0].seconds > 0);
        list->setText("0.2 much");
        QVERIFY(panel.problem().contains("much"));
        QVERIFY(panel.jobs().isEmpty());
    }

    // Beside what always stands there: what all have in common stands in the form.
    void runsShowWhereTheyDiffer() {
        PlanPanel panel;
        panel.setSelection(someLayers(), QVector<bool>(6, true), nullptr, 1e6);
        const auto* table = panel.findChild<QTableView*>("jobTable");
        QVERIFY(table->isColumnHidden(JobTableModel::SeedColumn));
        QVERIFY(table->isColumnHidden(JobTableModel::IterationsColumn));
        panel.findChild<QLineEdit*>("sweepSeed")->setText("1 2");
        QVERIFY(!table->isColumnHidden(JobTableModel::SeedColumn));
        QVERIFY(table->isColumnHidden(JobTableModel::IterationsColumn));
        QVERIFY(!table->isColumnHidden(JobTableModel::CrColumn));
    }

    void predictionsGrowWithTheWork() {
        RunSpecification plan;
        const std::vector<LayerInfo> layers = someLayers();
        const double once = solverWork(plan, layers);
        QVERIFY(once > 0);
        QCOMPARE(solverWork(plan, someLayers(4)), 2 * once);
        plan.iterations = 100;
        QVERIFY(solverWork(plan, layers) > 2 * once);
        plan.solver = Solver::Ksvd;
        QVERIFY(solverWork(plan, layers) > 20 * once);
        // The weights alone, 4 bytes each, are a lower bound.
        QVERIFY(memoryEstimate(plan, layers, 1e8, 2) > 4e8);
    }

    // What was measured with this machine's runs is what is predicted for them.
    void predictionsLearnFromFinishedRuns() {
        PlanPanel panel;
        panel.setSelection(someLayers(), QVector<bool>(6, true), nullptr, 1e6);
        RunRow run;
        run.status = "finished";
        run.method = "cospadi";
        run.solver = "fast";
        run.matrices = 6;
        run.seconds = 1234;
        run.specification = "{\"method\":\"cospadi\",\"layers\":\".*\"}";
        panel.setHistory({run});
        QVERIFY(std::abs(panel.jobs().first().seconds - 1234) < 1e-6 * 1234);
    }

    void kindsWithinBlocksHaveAShortExpression() {
        const std::vector<LayerInfo> layers = someLayers(4);
        QVector<bool> checked(12, false);
        for (const int i : {0, 1, 3, 4}) {  // attn_q and attn_k of blocks 0 and 1
            checked[i] = true;
        }
        const QString regex = selectionRegex(layers, checked);
        QCOMPARE(regex, "^blk\\.(0|1)\\.(attn_q|attn_k)$");
        QCOMPARE(matchLayers(layers, regex).matched, checked);
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

    void labSaysWhatTheEngineRefuses() {
        EngineClient client;
        useScript(client,
                  "read -r line; echo '{\"id\":2,\"error\":{\"message\":\"no such layer\"}}'; "
                  "read -r line; kill -9 $$");
        MatrixLab lab(&client);
        QSignalSpy refused(&lab, &MatrixLab::portraitFailed);
        lab.requestPortrait({}, "blk.99.attn_q");
        QTRY_COMPARE(refused.count(), 1);
        QCOMPARE(refused[0][0].value<EngineError>().message, "no such layer");
        QSignalSpy failed(&lab, &MatrixLab::exploreFailed);
        lab.explore({}, {"blk.0.attn_q"}, {2}, {0.2});
        QVERIFY(lab.isExploring());
        QTRY_COMPARE(failed.count(), 1);  // the engine died
        QVERIFY(!lab.isExploring());
    }
};

COSPADI_TEST(TestPlan)

}  // namespace tst_plan

#include "tst_plan.moc"
