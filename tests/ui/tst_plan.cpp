// The fields of a plan: what they show and write, what counts for which method, undo, the command
// line, which layers.
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEnterEvent>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QUndoStack>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/methods/method.h"
#include "tests/registered_test.h"
#include "tests/ui/plan_fixture.h"
#include "ui/base/theme.h"
#include "ui/engine/command_line.h"
#include "ui/models/layer_selection.h"
#include "ui/pages/plan/plan_form.h"

namespace tst_plan {

using namespace cospadi;
using namespace cospadi::ui;

class TestPlan : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { applyTheme(*qApp); }

    void undoesAndRedoes() {
        PlanPanel panel;
        chooseAllLayers(panel);
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

    // What a method alone has stands on the page while it is chosen, made from its description.
    void ownOptionsOfAMethod() {
        PlanPanel panel;
        auto* bits = panel.findChild<QSpinBox*>("bits");
        QVERIFY(bits != nullptr && !bits->isVisibleTo(&panel));
        RunSpecification plan;
        plan.method = &methodFromName("rtn");
        setOwnOption(plan, "bits", "3");
        setOwnOption(plan, "zero_point", "none");
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
        QCOMPARE(outputs->currentText(), "equal");
        QVERIFY(!compressCommand(panel.specification()).contains("output-metric"));
        outputs->setCurrentIndex(outputs->findText("fisher"));
        QVERIFY(compressCommand(panel.specification()).contains("--output-metric fisher"));
        outputs->setCurrentIndex(outputs->findText("alike"));
        QVERIFY(panel.specification().own.count("output_metric") == 0);
    }

    // With a pattern N:M the ratio does not count.
    void aPatternTakesTheRatioAway() {
        PlanPanel panel;
        RunSpecification plan;
        plan.method = &methodFromName("wanda");
        panel.setSpecification(plan);
        QVERIFY(panel.findChild<QWidget*>("cr")->isEnabled());
        QVERIFY(compressCommand(panel.specification()).contains("--cr"));
        setOwnOption(plan, "pattern", "2:4");
        panel.setSpecification(plan);
        QVERIFY(!panel.findChild<QWidget*>("cr")->isEnabled());
        const QString command = compressCommand(panel.specification());
        QVERIFY2(command.contains("--pattern 2:4") && !command.contains("--cr"),
                 qPrintable(command));
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

    void kindsWithinBlocksHaveAShortExpression() {
        const std::vector<LayerInfo> layers = plannedLayers(4);
        QVector<bool> checked(12, false);
        for (const int i : {0, 1, 3, 4}) {  // attn_q and attn_k of blocks 0 and 1
            checked[i] = true;
        }
        const QString regex = selectionRegex(layers, checked);
        QCOMPARE(regex, "^blk\\.(0|1)\\.(attn_q|attn_k)$");
        QCOMPARE(matchLayers(layers, regex).matched, checked);
    }

    // Every setting that methods read has a field, which explains itself; what can be chosen is
    // what the setting takes, no more and no less, and every number one that it takes.
    void everySettingHasAField_data() {
        QTest::addColumn<int>("at");
        for (std::size_t i = 0; i < allOptions().size(); ++i) {
            QTest::newRow(allOptions()[i]->name) << static_cast<int>(i);
        }
    }

    void everySettingHasAField() {
        QFETCH(int, at);
        const Option& option = *allOptions()[static_cast<std::size_t>(at)];
        PlanForm form;
        auto* field = form.findChild<QWidget*>(option.name);
        QVERIFY(field != nullptr);
        QVERIFY(!field->property("help").toString().isEmpty());
        if (const auto* box = qobject_cast<QComboBox*>(field)) {
            QStringList offered;
            for (int i = 0; i < box->count(); ++i) {
                offered << box->itemData(i).toString();
                QVERIFY(!box->itemText(i).isEmpty());
            }
            QStringList taken;
            for (const OptionChoice& choice : option.choices) {
                taken << choice.word;
            }
            offered.sort();
            taken.sort();
            QCOMPARE(offered, taken);
            QCOMPARE(box->isEditable(), option.read != nullptr);
            return;
        }
        if (const auto* whole = qobject_cast<QSpinBox*>(field)) {
            QVERIFY(whole->minimum() >= option.least && whole->maximum() <= option.most);
            return;
        }
        const auto* real = qobject_cast<QDoubleSpinBox*>(field);
        real = real != nullptr ? real : field->findChild<QDoubleSpinBox*>();
        QVERIFY(real != nullptr);
        QVERIFY(real->minimum() >= option.least && real->maximum() <= option.most);
    }

    // Of values that only some other field gives a meaning, one can be chosen that counts.
    void whatCanCountIsEnabled() {
        PlanPanel panel;
        RunSpecification plan;
        plan.method = &methodFromName("svd-llm");
        panel.setSpecification(plan);
        auto* storage = panel.findChild<QComboBox*>("accounting");
        auto* bits = panel.findChild<QSpinBox*>("coefficient_bits");
        QVERIFY(storage->isEnabled() && !bits->isEnabled());  // packed would count
        storage->setCurrentIndex(storage->findData("packed"));
        QVERIFY(bits->isEnabled());
        QCOMPARE(panel.specification().coefficientBits, 0);
        bits->stepUp();
        QCOMPARE(panel.specification().coefficientBits, 2);  // no setting has one bit
        plan.method = &methodFromName("cospadi-free");
        plan.solver = Solver::Ksvd;
        panel.setSpecification(plan);
        auto* side = panel.findChild<QComboBox*>("side");
        QVERIFY(side->isEnabled());
        side->setCurrentIndex(side->findData("output"));
        auto* method = panel.findChild<QComboBox*>("method");
        method->setCurrentIndex(method->findData("cospadi"));
        QVERIFY(!side->isEnabled());  // K-SVD stays with the inputs of a calibrated layer
        QVERIFY(!panel.specification().side.has_value());
    }

    // A word that is none is told, nothing can run meanwhile, and what it stands for is as usual.
    void wordsThatAreNone() {
        PlanPanel panel;
        chooseAllLayers(panel);
        auto* groups = panel.findChild<QComboBox*>("groups");
        groups->setEditText("pairs");
        QVERIFY(panel.problem().isEmpty() && !panel.jobs().isEmpty());
        groups->setEditText("pear");
        QVERIFY2(panel.problem().contains("pear"), qPrintable(panel.problem()));
        QVERIFY(panel.jobs().isEmpty());
        QVERIFY(!panel.specification().own.contains("groups"));
        groups->setEditText("blk.0.attn_q+blk.1.attn_q");
        QVERIFY2(panel.problem().isEmpty(), qPrintable(panel.problem()));
        QVERIFY(compressCommand(panel.specification()).contains("blk.0.attn_q+blk.1.attn_q"));
    }
};

COSPADI_TEST(TestPlan)

}  // namespace tst_plan

#include "tst_plan.moc"
