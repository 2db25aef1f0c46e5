// The window by keyboard: everything is reached by Tab and by a letter, and shortcuts stand in
// their list and in the manual.
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSet>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>

#include "tests/registered_test.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/window_fixture.h"
#include "tests/ui/wrong_letters.h"
#include "ui/dialogs/shortcut_list.h"
#include "ui/widgets/mnemonics.h"

namespace tst_window_keyboard {

using namespace cospadi;
using namespace cospadi::ui;

class TestWindowKeyboard : public QObject, WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

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
