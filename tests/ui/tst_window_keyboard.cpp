// The window by keyboard and by ear: everything has a name for screen readers, is reached by Tab,
// by a letter and by the palette.
#include <QAccessible>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <functional>

#include "tests/registered_test.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/window_fixture.h"
#include "tests/ui/wrong_letters.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/charts/pattern_view.h"
#include "ui/dialogs/about_dialog.h"
#include "ui/dialogs/settings_dialog.h"
#include "ui/dialogs/shortcut_list.h"
#include "ui/dialogs/welcome_guide.h"
#include "ui/page_actions.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/runs/run_actions.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/mnemonics.h"
#include "ui/widgets/slider_spin.h"
#include "ui/window_dialogs.h"

namespace tst_window_keyboard {

using namespace cospadi;
using namespace cospadi::ui;

class TestWindowKeyboard : public QObject, WindowFixture {
    Q_OBJECT

    QList<ActionPlace> beside() const {
        return {{"Run", m_window->pages().runBar}, {"Message", m_window->pages().messages}};
    }

    // What of a menu that stands can be chosen.
    static QList<const QAction*> choicesIn(const QMenu& menu) {
        QList<const QAction*> all;
        for (const QAction* action : menu.actions()) {
            if (!action->isEnabled() || action->isSeparator()) {
                continue;
            }
            if (action->menu() != nullptr) {
                all += choicesIn(*action->menu());
            } else {
                all << action;
            }
        }
        return all;
    }

    static QStringList notOffered(const QAbstractButton& button,
                                  const QSet<const QObject*>& offered) {
        const auto* push = qobject_cast<const QPushButton*>(&button);
        const auto* tool = qobject_cast<const QToolButton*>(&button);
        const QMenu* menu = push != nullptr   ? push->menu()
                            : tool != nullptr ? tool->menu()
                                              : nullptr;
        if (menu == nullptr) {
            return offered.contains(&button) ? QStringList() : QStringList(described(button));
        }
        QStringList missed;
        for (const QAction* action : choicesIn(*menu)) {
            if (!offered.contains(action)) {
                missed << described(button) + " › " + action->text();
            }
        }
        return missed;
    }

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

    // Presses Tab until it comes round: whoever takes the focus and is on show must have had it.
    void tabReachesEverything() {
        QStringList missed;
        for (int page = 0; page < m_window->pages().tabs->count(); ++page) {
            m_window->pages().tabs->setCurrentIndex(page);
            QTest::qWait(1);  // the page's first layout
            m_window->pages().tabs->tabBar()->setFocus();
            QSet<const QWidget*> visited;
            for (int i = 0; i < 400; ++i) {
                const QWidget* at = QApplication::focusWidget();
                QVERIFY(at != nullptr);
                visited.insert(at);
                QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
                if (QApplication::focusWidget() == m_window->pages().tabs->tabBar()) {
                    break;
                }
            }
            QCOMPARE(QApplication::focusWidget(), m_window->pages().tabs->tabBar());
            for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
                if (takesTab(*widget) && widget->isVisible() && widget->isEnabled() &&
                    !visited.contains(widget)) {
                    missed << m_window->pages().tabs->tabText(page) + ": " + described(*widget);
                }
            }
        }
        QVERIFY2(missed.isEmpty(), qPrintable(missed.join("\n")));
    }

    // As they stand on the page: kinds before the expression below them.
    void tabGoesDownTheModelPage() {
        m_window->pages().tabs->setCurrentIndex(0);
        m_window->findChild<QPushButton*>("openModel")->setFocus();
        int kinds = 0;
        do {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            ++kinds;
            QVERIFY(kinds < 20);
        } while (QApplication::focusWidget()->objectName() == "kind");
        QVERIFY(kinds > 3);
        QCOMPARE(QApplication::focusWidget()->objectName(), "layersRegex");
    }

    // Alt and a letter reaches what stands on a page, each letter one thing. Letters come once the
    // page stands, and anew when what stands on it changes.
    void everyPageHasLetters() {
        for (int page = 0; page < m_window->pages().tabs->count(); ++page) {
            m_window->pages().tabs->setCurrentIndex(page);
            const QString name = pageNames()[page] + ": ";
            QTRY_COMPARE(name + wrongLetters(*m_window), name);
        }
        // A letter leads to its field.
        m_window->pages().tabs->setCurrentWidget(m_window->pages().plan);
        const QLabel* label = nullptr;
        for (const QLabel* one : m_window->pages().plan->findChildren<QLabel*>()) {
            label = QString(one->text()).remove('&') == "Ridge" ? one : label;
        }
        QVERIFY(label != nullptr);
        QTRY_VERIFY(!mnemonicOf(label->text()).isNull());
        QTest::keyClick(m_window.get(), mnemonicOf(label->text()).toLatin1(), Qt::AltModifier);
        QTRY_VERIFY(m_window->pages().plan->findChild<QWidget*>("ridge")->hasFocus());
    }

    void thePaletteReachesEveryAction() {
        QStringList known;
        QObject owner;
        for (const QAction* action : pageActions(*m_window->pages().tabs, beside(), &owner)) {
            known << action->text();
        }
        for (const QAction* menu : m_window->menuBar()->actions()) {
            for (const QAction* action : actionsIn(*menu->menu())) {
                known << QString(action->text()).remove('&');
            }
        }
        for (const char* words :
             {"Plan: Use the paper's settings", "Model: Only these blocks", "Explore: Keep as run",
              "Monitor: Hold or go on", "Runs: Measure perplexity", "Evaluate: Fetch",
              "Tables: Save", "Run the plan", "Try one block first", "Model: Open › GGUF file…"}) {
            QVERIFY2(!known.filter(QRegularExpression('^' + QRegularExpression::escape(words)))
                          .isEmpty(),
                     qPrintable(QString(words) + " is not among\n" + known.join('\n')));
        }
        QCOMPARE(QSet<QString>(known.begin(), known.end()).size(), known.size());
        // All that a right click on a run offers, once one is selected.
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        startRun(planOf(0));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->pages().runs->selectedRuns().size(), 1u, 60000);
        QMenu menu;
        RunActions(m_window.get()).fill(&menu, m_window->pages().runs->selectedRuns());
        known.clear();
        for (const QAction* action : pageActions(*m_window->pages().tabs, beside(), &owner)) {
            known << action->text();
        }
        for (const MenuEntry& entry : entriesIn(menu)) {
            const QString words = "Runs: More › " + entry.words;
            QVERIFY2(known.contains(words), qPrintable(words));
        }
        QVERIFY(actionsIn(menu).size() > 10);
        // Chosen, it happens, on its page.
        for (QAction* action : pageActions(*m_window->pages().tabs, beside(), &owner)) {
            if (action->text() == "Plan: Use the paper's settings") {
                action->trigger();
                break;
            }
        }
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().plan);
        QCOMPARE(m_window->pages().plan->specification().solver, Solver::Ksvd);
    }

    // Every button and check box that can be pressed, every entry of their menus; no two by the
    // same words.
    void thePaletteLeavesNothingOut() {
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        startRun(planOf(0));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->pages().runs->selectedRuns().size(), 1u, 60000);
        auto* comparison = m_window->pages().runs->findChild<QComboBox*>("comparison");
        comparison->setCurrentIndex(comparison->findText("ablation: a value over a setting"));
        for (const char* what : {"one", "two"}) {
            m_window->pages().messages->show(MessageBar::Kind::Information, what);
            m_window->pages().messages->offer("Look", [] {});
        }
        QStringList missed;
        QStringList words;
        for (int page = 0; page < m_window->pages().tabs->count(); ++page) {
            m_window->pages().tabs->setCurrentIndex(page);
            QTest::qWait(1);
            QObject owner;
            QSet<const QObject*> offered;
            words.clear();
            for (const QAction* action : pageActions(*m_window->pages().tabs, beside(), &owner)) {
                words << action->text();
                if (action->isEnabled()) {
                    offered.insert(action->data().value<QObject*>());
                }
            }
            QStringList twice = words;
            for (const QString& once : QSet<QString>(words.begin(), words.end())) {
                twice.removeOne(once);
            }
            QVERIFY2(twice.isEmpty(), qPrintable(twice.join('\n')));
            for (const QWidget* root : std::initializer_list<const QWidget*>{
                     m_window->pages().tabs->currentWidget(), m_window->pages().runBar,
                     m_window->pages().messages}) {
                for (const QAbstractButton* button : root->findChildren<QAbstractButton*>()) {
                    if (button->isVisible() && button->isEnabled() && !isPartOfAnother(*button) &&
                        !button->inherits("QTableCornerButton") &&
                        qobject_cast<const QTabBar*>(button->parentWidget()) == nullptr) {
                        missed += notOffered(*button, offered);
                    }
                }
            }
        }
        QVERIFY2(missed.isEmpty(), qPrintable(missed.join('\n')));
        for (const char* known :
             {"Runs: View › Group by › Method", "Runs: View › Columns › CR",
              "Runs: x by its logarithm", "Runs: y by its logarithm", "Run: Copy the command line",
              "Message: Look (one)", "Message: Look (two)"}) {
            QVERIFY2(words.contains(known),
                     qPrintable(QString(known) + " is not among\n" + words.join('\n')));
        }
    }

    void shortcutsAreListedAndDocumented() {
        const QList<ShortcutRow> rows = shortcutsOf(*m_window);
        QFile file(COSPADI_SOURCE_DIR "/docs/workbench.md");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString manual = QString::fromUtf8(file.readAll());
        QStringList undocumented;
        for (const auto& [what, keys] : rows) {
            const QStringList each = keys.split(", ");
            const auto isDocumented = [&manual](const QString& key) {
                const bool page = key.startsWith("Ctrl+") && key.size() == 6 && key[5].isDigit();
                return page || manual.contains("| " + key) || manual.contains(", " + key);
            };
            if (std::none_of(each.begin(), each.end(), isDocumented)) {
                undocumented << what + ": " + keys;
            }
        }
        QVERIFY2(undocumented.isEmpty(), qPrintable(undocumented.join("\n")));
        for (const char* known : {"Ctrl+K", "Ctrl+Return", "F5", "Ctrl+O", "Ctrl+1"}) {
            QVERIFY2(std::any_of(rows.begin(), rows.end(),
                                 [known](const ShortcutRow& row) {
                                     return row.second.contains(QLatin1String(known));
                                 }),
                     known);
        }
    }
};

COSPADI_TEST(TestWindowKeyboard)

}  // namespace tst_window_keyboard

#include "tst_window_keyboard.moc"
