// What keys, undo and the wheel reach: Ctrl+Return starts the plan from anywhere, undo is the Plan
// page's, the wheel changes only what has the focus.
#include <QAction>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QTabWidget>
#include <QUndoStack>
#include <QWheelEvent>

#include "tests/registered_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"

namespace tst_window_input {

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

class TestWindowInput : public QObject, WindowFixture {
    Q_OBJECT

    QPushButton* barButton(const char* text) const {
        return buttonOf(*m_window->pages().runBar, text);
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
};

COSPADI_TEST(TestWindowInput)

}  // namespace tst_window_input

#include "tst_window_input.moc"
