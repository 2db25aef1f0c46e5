// The window by ear: whatever takes the focus has a name for screen readers, choices are told with
// their labels, charts as charts, values as children with the focus.
#include <QAccessible>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSlider>
#include <QStackedWidget>
#include <QTabWidget>
#include <functional>

#include "tests/registered_test.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/charts/pattern_view.h"
#include "ui/dialogs/about_dialog.h"
#include "ui/dialogs/settings_dialog.h"
#include "ui/dialogs/shortcut_list.h"
#include "ui/dialogs/welcome_guide.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/slider_spin.h"
#include "ui/window_dialogs.h"

namespace tst_screen_readers {

using namespace cospadi;
using namespace cospadi::ui;

class TestScreenReaders : public QObject, WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    void everythingThatTakesTheFocusHasAName() {
        const QStringList nameless = namelessIn(*m_window);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join("\n")));
    }

    // A box tells what is chosen as its name; a label tells what it is about.
    void choicesAreToldWithTheirLabels() {
        int boxes = 0;
        QStringList silent;
        for (int page = 0; page < m_window->pages().tabs->count(); ++page) {
            m_window->pages().tabs->setCurrentIndex(page);
            QTest::qWait(1);
            for (QComboBox* box :
                 m_window->pages().tabs->currentWidget()->findChildren<QComboBox*>()) {
                if (!box->isVisible()) {
                    continue;
                }
                ++boxes;
                const auto labels =
                    QAccessible::queryAccessibleInterface(box)->relations(QAccessible::Label);
                if (labels.isEmpty() || labels[0].first->text(QAccessible::Name).isEmpty()) {
                    silent << m_window->pages().tabs->tabText(page) + ": " + described(*box);
                }
            }
        }
        QVERIFY(boxes > 20);
        QVERIFY2(silent.isEmpty(), qPrintable(silent.join("\n")));
    }

    // Down from the window, as readers go: what lies over the pages is a part of it.
    void messagesAreTold() {
        m_window->pages().messages->show(MessageBar::Kind::Problem, "something is wrong");
        const std::function<bool(QAccessibleInterface*)> isIn = [&](QAccessibleInterface* at) {
            if (at->text(QAccessible::Name).contains("something is wrong")) {
                return true;
            }
            for (int child = 0; child < at->childCount(); ++child) {
                if (isIn(at->child(child))) {
                    return true;
                }
            }
            return false;
        };
        QVERIFY(isIn(QAccessible::queryAccessibleInterface(m_window.get())));
    }

    void chartsAreToldAsCharts() {
        const auto roleOf = [](QWidget* widget) {
            return QAccessible::queryAccessibleInterface(widget)->role();
        };
        int charts = 0;
        for (CurveChart* chart : m_window->findChildren<CurveChart*>()) {
            QCOMPARE(roleOf(chart), QAccessible::Chart);
            ++charts;
        }
        QVERIFY(charts > 5);
        QCOMPARE(roleOf(m_window->findChild<HeatMap*>()), QAccessible::Chart);
        QCOMPARE(roleOf(m_window->findChild<ParallelCoordinates*>()), QAccessible::Chart);
        QCOMPARE(roleOf(m_window->pages().pattern->view()), QAccessible::Graphic);
        // Both halves of a number are that number.
        m_window->pages().tabs->setCurrentWidget(m_window->pages().plan);
        QTest::qWait(1);
        const auto fields = m_window->pages().plan->findChildren<SliderSpin*>();
        QVERIFY(fields.size() >= 2);
        for (const SliderSpin* field : fields) {
            QVERIFY(!field->slider()->accessibleName().isEmpty());
            QCOMPARE(field->slider()->accessibleName(), field->spin()->accessibleName());
        }
    }

    // Where the cursor stands is a child that has the focus, another one for every value; a chart
    // that has the focus anew has none. (Without a screen no events are told: read_aloud.py hears
    // them.)
    void valuesOfAChartAreChildrenWithTheFocus() {
        CurveChart* chart = m_window->pages().portrait->spectrumChart();
        QTRY_VERIFY(!chart->curves().isEmpty());
        const QString own = chart->accessibleName();
        QVERIFY(!own.isEmpty());
        QAccessibleInterface* told = QAccessible::queryAccessibleInterface(chart);
        QCOMPARE(told->text(QAccessible::Name), own);
        const int children = told->childCount();
        chart->setFocus();
        QTest::keyClick(chart, Qt::Key_Right);
        QCOMPARE(told->childCount(), children + 1);
        QAccessibleInterface* value = told->child(children);
        const QAccessible::Id first = QAccessible::uniqueId(value);
        QVERIFY2(value->text(QAccessible::Name).contains("W: 1 (1)"),
                 qPrintable(value->text(QAccessible::Name)));
        QCOMPARE(value->text(QAccessible::Name), chart->accessibleDescription());
        QCOMPARE(value->parent(), told);
        QCOMPARE(told->indexOfChild(value), children);
        QVERIFY(value->state().focused);
        QTest::keyClick(chart, Qt::Key_Right);
        QCOMPARE(told->childCount(), children + 1);
        value = told->child(children);
        QVERIFY(QAccessible::uniqueId(value) != first);
        QVERIFY2(value->text(QAccessible::Name).contains("(2)"),
                 qPrintable(value->text(QAccessible::Name)));
        QCOMPARE(told->text(QAccessible::Name), own);
        chart->clearFocus();
        chart->setFocus();
        QCOMPARE(told->childCount(), children);
        const auto* stack = m_window->pages().tabs->findChild<QStackedWidget*>(
            QString(), Qt::FindDirectChildrenOnly);
        m_window->pages().tabs->setCurrentIndex(1);
        QCOMPARE(stack->accessibleName(), "Plan");
    }

    void dialogsHaveNamesToo() {
        for (QDialog* dialog : std::initializer_list<QDialog*>{
                 new SettingsDialog(Preferences(), m_window.get()),
                 new ShortcutList(shortcutsOf(*m_window), m_window.get()),
                 new AboutDialog({{"Engine", "9"}}, m_window.get())}) {
            const QStringList nameless = namelessIn(*dialog);
            QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join("\n")));
            QVERIFY(!dialog->isModal());
            delete dialog;
        }
        m_window->dialogs()->showGuide();
        auto* guide = m_window->findChild<WelcomeGuide*>();
        QVERIFY(guide != nullptr && !guide->isModal());
        QVERIFY2(namelessIn(*guide).isEmpty(), qPrintable(namelessIn(*guide).join("\n")));
    }
};

COSPADI_TEST(TestScreenReaders)

}  // namespace tst_screen_readers

#include "tst_screen_readers.moc"
