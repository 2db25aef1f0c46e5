// Controls that fill many fields of a plan at once: the paper's settings and efforts.
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QPushButton>
#include <QSpinBox>
#include <QUndoStack>
#include <QtTest>

#include "core/store/paper_preset.h"
#include "tests/registered_test.h"
#include "tests/ui/plan_fixture.h"
#include "ui/base/theme.h"
#include "ui/engine/command_line.h"

namespace tst_plan_presets {

using namespace cospadi;
using namespace cospadi::ui;

class TestPlanPresets : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { applyTheme(*qApp); }

    // One control, one step back; what is changed afterwards is another plan.
    void thePapersSettingsAreOneStep() {
        PlanPanel panel;
        chooseAllLayers(panel);
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
        chooseAllLayers(panel);
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
};

COSPADI_TEST(TestPlanPresets)

}  // namespace tst_plan_presets

#include "tst_plan_presets.moc"
