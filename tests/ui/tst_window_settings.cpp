// Settings count, and a folder that cannot be written is refused; the theme changes every word's
// colour, and follows the desktop unless it is told otherwise.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSet>
#include <QSpinBox>
#include <QTabWidget>
#include <QThread>

#include "core/base/error.h"
#include "core/store/locations.h"
#include "tests/registered_test.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/desktop_theme.h"
#include "ui/base/theme.h"
#include "ui/dialogs/settings_dialog.h"
#include "ui/live_preferences.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"

namespace tst_window_settings {

using namespace cospadi;
using namespace cospadi::ui;

class TestWindowSettings : public QObject, WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    void settingsCount() {
        SettingsDialog dialog(Preferences::load());
        connect(&dialog, &SettingsDialog::applied, m_window->preferences(),
                &LivePreferences::apply);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        dialog.findChild<QComboBox*>("settingsTheme")->setCurrentIndex(2);
        dialog.findChild<QComboBox*>("settingsNumbers")->setCurrentIndex(1);
        dialog.findChild<QSpinBox*>("settingsThreads")->setValue(1);
        dialog.findChild<QLineEdit*>("settingsRuns")->setText(m_home.filePath("else/runs"));
        dialog.findChild<QComboBox*>("settingsClosing")->setCurrentIndex(1);
        dialog.findChild<QCheckBox*>("settingsNotify")->setChecked(false);
        QTest::mouseClick(buttonOf(dialog, "Cancel"), Qt::LeftButton);
        QCOMPARE(Preferences::load(), Preferences());
        QTest::mouseClick(buttonOf(dialog, "OK"), Qt::LeftButton);
        const Preferences now = Preferences::load();
        QVERIFY(now.look == Preferences::Look::Dark && theme().dark && now.plainNumbers &&
                !now.notify);
        QCOMPARE(now.closing, Preferences::Closing::Stop);
        QCOMPARE(qgetenv("COSPADI_THREADS"), QByteArray("1"));
        QCOMPARE(QString::fromStdString(cospadi::runsDirectory().string()),
                 m_home.filePath("else/runs"));
        QCOMPARE(QLocale().toString(1234.5), "1234.5");
    }

    // Not those that were chosen before.
    void allCoresAreThoseOfTheMachine() {
        if (areThreadsGiven()) {
            QSKIP("$COSPADI_THREADS is set");
        }
        Preferences preferences;
        preferences.threads = QThread::idealThreadCount() + 1;
        m_window->preferences()->apply(preferences);
        const SettingsDialog dialog(Preferences::load());
        const auto* threads = dialog.findChild<QSpinBox*>("settingsThreads");
        QCOMPARE(threads->value(), preferences.threads);
        QVERIFY2(threads->specialValueText().contains(
                     QStringLiteral("(%1)").arg(QThread::idealThreadCount())),
                 qPrintable(threads->specialValueText()));
    }

    void settingsRefuseAFolderThatCannotBeWritten() {
        SettingsDialog dialog(Preferences::load());
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        QSignalSpy applied(&dialog, &SettingsDialog::applied);
        dialog.show();
        dialog.findChild<QLineEdit*>("settingsRuns")->setText("/proc/no/runs");
        QTest::mouseClick(buttonOf(dialog, "OK"), Qt::LeftButton);
        QCOMPARE(applied.count(), 0);
        QVERIFY(dialog.isVisible());
        bool said = false;
        for (const QLabel* label : dialog.findChildren<QLabel*>()) {
            said = said || (label->isVisible() && label->text().contains("/proc/no/runs"));
        }
        QVERIFY(said);
    }

    // ---- the theme

    // No colour of the other theme stays in the words of a label, on pages that are not in front
    // neither.
    void wordsChangeTheirColoursWithTheTheme() {
        const auto coloursOf = [](const Theme& theme) {
            QSet<QString> names;
            for (const QColor& colour : {theme.text, theme.muted, theme.faint, theme.accent,
                                         theme.good, theme.warning, theme.error}) {
                names.insert(colour.name());
            }
            return names;
        };
        m_window->pages().model->showProblem(Error("no such file", "here", "look there"));
        for (int page = 0; page < m_window->pages().tabs->count(); ++page) {
            m_window->pages().tabs->setCurrentIndex(page);
            QTest::qWait(1);
        }
        m_window->pages().runs->list()->showFilter("rhoo=2", false);
        static const QRegularExpression kColour("color: ?(#[0-9a-f]{6})");
        for (const bool dark : {true, false}) {
            const QSet<QString> before = coloursOf(theme());
            m_window->preferences()->setDark(dark);
            QTest::qWait(1);
            const QSet<QString> now = coloursOf(theme());
            QVERIFY(before != now);
            QStringList stale;
            int coloured = 0;
            for (const QLabel* label : m_window->findChildren<QLabel*>()) {
                auto found = kColour.globalMatch(label->text() + label->styleSheet());
                while (found.hasNext()) {
                    const QString colour = found.next().captured(1);
                    coloured += now.contains(colour) ? 1 : 0;
                    if (before.contains(colour) && !now.contains(colour)) {
                        stale << described(*label) + ": " + label->text();
                    }
                }
            }
            QVERIFY2(stale.isEmpty(), qPrintable(stale.join('\n')));
            QVERIFY(coloured >= 3);  // of empty charts, of the model that was not found
        }
    }

    void theWindowFollowsTheDesktopWhileItStands() {
        DesktopTheme desktop(false);
        m_window = std::make_unique<MainWindow>(&desktop);
        for (const bool dark : {true, false, true}) {
            emit desktop.changed(dark);
            QCOMPARE(theme().dark, dark);
        }
        Preferences preferences;
        preferences.look = Preferences::Look::Light;
        m_window->preferences()->apply(preferences);
        QVERIFY(!theme().dark);
        emit desktop.changed(true);
        QVERIFY(!theme().dark);  // it was told otherwise
    }

    void theThemeFollowsTheDesktopUnlessToldOtherwise() {
        QCOMPARE(Preferences().look, Preferences::Look::Desktop);
        Preferences preferences;
        QVERIFY(preferences.isDark(true) && !preferences.isDark(false));
        preferences.look = Preferences::Look::Light;
        QVERIFY(!preferences.isDark(true));
        preferences.look = Preferences::Look::Dark;
        QVERIFY(preferences.isDark(false));
        preferences.save();
        QCOMPARE(Preferences::load().look, Preferences::Look::Dark);
        // What an earlier version kept.
        QSettings().clear();
        QSettings().setValue("window/dark", true);
        QCOMPARE(Preferences::load().look, Preferences::Look::Dark);
        QSettings().setValue("window/dark", false);
        QCOMPARE(Preferences::load().look, Preferences::Look::Desktop);
        m_window->preferences()->setDark(true);
        QCOMPARE(Preferences::load().look, Preferences::Look::Dark);
        QVERIFY(theme().dark);
    }
};

COSPADI_TEST(TestWindowSettings)

}  // namespace tst_window_settings

#include "tst_window_settings.moc"
