// The command palette reaches every action of the window and of its pages, and leaves nothing out
// that can be pressed.
#include <QAction>
#include <QComboBox>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QSet>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

#include "tests/registered_test.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/window_fixture.h"
#include "ui/page_actions.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/runs/run_actions.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/widgets/message_bar.h"

namespace tst_window_palette {

using namespace cospadi;
using namespace cospadi::ui;

class TestWindowPalette : public QObject, WindowFixture {
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
              "Monitor: Hold or resume", "Runs: Measure perplexity", "Evaluate: Fetch",
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
              "Runs: Logarithmic x axis", "Runs: Logarithmic y axis", "Run: Copy the command line",
              "Message: Look (one)", "Message: Look (two)"}) {
            QVERIFY2(words.contains(known),
                     qPrintable(QString(known) + " is not among\n" + words.join('\n')));
        }
    }
};

COSPADI_TEST(TestWindowPalette)

}  // namespace tst_window_palette

#include "tst_window_palette.moc"
