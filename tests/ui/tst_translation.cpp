// The translation: every text of the sources is in it, every text in it is translated, and agrees
// with its source in what is filled in; the window is German where German is wanted, and fits.
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QLibraryInfo>
#include <QMenuBar>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTabWidget>
#include <set>

#include "tests/registered_test.h"
#include "tests/ui/cut_widgets.h"
#include "tests/ui/each_theme.h"
#include "tests/ui/translation_file.h"
#include "tests/ui/window_fixture.h"
#include "tests/ui/wrong_letters.h"
#include "ui/base/english_plurals.h"
#include "ui/base/language.h"
#include "ui/base/status_words.h"
#include "ui/dialogs/settings_dialog.h"
#include "ui/live_preferences.h"

namespace tst_translation {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

// What stands in `text` of that pattern, sorted: placeholders and tags may change places.
QStringList partsOf(const QString& text, const char* pattern) {
    QStringList parts;
    auto found = QRegularExpression(pattern).globalMatch(text);
    while (found.hasNext()) {
        parts << found.next().captured();
    }
    parts.sort();
    return parts;
}

// What is wrong with a translation, in words. Empty: nothing.
QString faultOf(const QString& source, const QString& form) {
    if (form.trimmed().isEmpty() && !source.trimmed().isEmpty()) {
        return "is empty";
    }
    for (const char* parts : {"%L?\\d|%n", "</?[a-z]+", "&[a-z]+;", "\n"}) {
        if (partsOf(source, parts) != partsOf(form, parts)) {
            return QString("differs in what %1 finds").arg(parts);
        }
    }
    if (mnemonicOf(source).isNull() != mnemonicOf(form).isNull()) {
        return "has a letter behind an & where the other has none";
    }
    const auto isSpaced = [](const QString& text, qsizetype at) { return text[at].isSpace(); };
    if (isSpaced(source, 0) != isSpaced(form, 0) ||
        isSpaced(source, source.size() - 1) != isSpaced(form, form.size() - 1)) {
        return "begins or ends in a space where the other does not";
    }
    return {};
}

}  // namespace

class TestTranslation : public QObject, WindowFixture {
    Q_OBJECT

    QList<TranslationEntry> m_messages;

  private slots:
    void initTestCase() {
        makeHome();
        m_messages = messagesIn(kGerman);
        QVERIFY(m_messages.size() > 1000);
    }

    void cleanup() {
        forgetEverything();
        useLanguage("en");
        QLocale::setDefault(QLocale::c());
    }

    // lupdate says of a text that it cannot place that it has no context, or that its class has
    // none.
    void everyTextOfTheSourcesIsInIt() {
        const QString lupdate = QStandardPaths::findExecutable(
            "lupdate", {QLibraryInfo::path(QLibraryInfo::BinariesPath),
                        QLibraryInfo::path(QLibraryInfo::LibraryExecutablesPath)});
        if (lupdate.isEmpty()) {
            QSKIP("lupdate is not installed (Debian: qt6-l10n-tools)");
        }
        const QString updated = m_home.filePath("cospadi_de.ts");
        QProcess process;
        process.setWorkingDirectory(kSources);
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(
            lupdate, {"ui", "app/workbench", "-I", kSources, "-locations", "none", "-ts", updated});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitCode(), 0);
        for (const QString& line : QString::fromUtf8(process.readAll()).split('\n')) {
            QVERIFY2(!line.contains(".cpp:") && !line.contains(".h:"), qPrintable(line));
        }
        std::set<QStringList> there;
        for (const TranslationEntry& message : m_messages) {
            there.insert(message.key());
        }
        std::set<QStringList> wanted;
        for (const TranslationEntry& message : messagesIn(updated)) {
            wanted.insert(message.key());
            QVERIFY2(
                there.contains(message.key()),
                qPrintable(message.name() + " is missing: docs/workbench.md says how to add it"));
        }
        for (const TranslationEntry& message : m_messages) {
            QVERIFY2(wanted.contains(message.key()),
                     qPrintable(message.name() + " is no text of the sources any more"));
        }
    }

    void everyTextIsTranslated() {
        for (const TranslationEntry& message : m_messages) {
            QVERIFY2(message.type.isEmpty(), qPrintable(message.name() + " is " + message.type));
            // Classes have their names for contexts, functions outside of them "cospadi".
            QVERIFY2(message.context.startsWith("cospadi"), qPrintable(message.name()));
            QCOMPARE(message.forms.size(), message.isCounted ? 2 : 1);
            for (int i = 0; i < message.forms.size(); ++i) {
                const QString source =
                    message.isCounted ? englishPlural(message.source, i + 1) : message.source;
                const QString fault = faultOf(source, message.forms[i]);
                QVERIFY2(fault.isEmpty(), qPrintable(message.name() + ": " + fault));
            }
        }
        // The check itself.
        QVERIFY(!faultOf("%1 of %2", "%1 von %3").isEmpty());
        QVERIFY(!faultOf("<b>a</b>", "<b>a").isEmpty());
        QVERIFY(!faultOf("&Open", "Öffnen").isEmpty());
        QVERIFY(!faultOf(" more", "mehr").isEmpty());
        QVERIFY(faultOf("%1 of <b>%2</b>, &more", "von <b>%2</b> %1, &mehr").isEmpty());
    }

    // What the program was built with is what stands in the file, for one and for many.
    void theProgramHasEveryText() {
        useLanguage("de");
        for (const TranslationEntry& message : m_messages) {
            for (int i = 0; i < message.forms.size(); ++i) {
                QString wanted = message.forms[i];
                const int count = message.isCounted ? i + 1 : -1;
                const QString told = QCoreApplication::translate(
                    message.context.toUtf8(), message.source.toUtf8(),
                    message.comment.isEmpty() ? nullptr : message.comment.toUtf8().constData(),
                    count);
                QCOMPARE(told,
                         message.isCounted ? wanted.replace("%n", QString::number(count)) : wanted);
            }
        }
    }

    void theDesktopsLanguageIsTaken_data() {
        QTest::addColumn<QString>("chosen");
        QTest::addColumn<QStringList>("wanted");
        QTest::addColumn<QString>("language");
        QTest::newRow("nothing") << "" << QStringList() << "en";
        QTest::newRow("C") << "" << QStringList{"C"} << "en";
        QTest::newRow("Austria") << "" << QStringList{"de-AT", "de", "en-US"} << "de";
        QTest::newRow("underline") << "" << QStringList{"de_DE"} << "de";
        QTest::newRow("English before German") << "" << QStringList{"en-GB", "de-DE"} << "en";
        QTest::newRow("French before German") << "" << QStringList{"fr-CH", "de-CH"} << "de";
        QTest::newRow("Filipino is not Finnish") << "" << QStringList{"fil", "deu"} << "en";
        QTest::newRow("chosen") << "de" << QStringList{"en-US"} << "de";
        QTest::newRow("chosen English") << "en" << QStringList{"de-DE"} << "en";
        QTest::newRow("chosen and gone") << "xx" << QStringList{"de-DE"} << "de";
    }
    void theDesktopsLanguageIsTaken() {
        QFETCH(QString, chosen);
        QFETCH(QStringList, wanted);
        QTEST(languageOf(chosen, wanted), "language");
    }

    void theWindowIsGerman() {
        useLanguage("de");
        openOne();
        QStringList pages;
        for (int page = 0; page < m_window->pages().tabs->count(); ++page) {
            pages << m_window->pages().tabs->tabText(page);
        }
        QCOMPARE(pages, (QStringList{"Modell", "Plan", "Erkunden", "Gesamt", "Monitor", "Muster",
                                     "Läufe", "Auswerten", "Tabellen"}));
        QStringList menus;
        for (const QAction* menu : m_window->menuBar()->actions()) {
            menus << QString(menu->text()).remove('&');
        }
        QCOMPARE(menus, (QStringList{"Datei", "Bearbeiten", "Lauf", "Ansicht", "Hilfe"}));
        QCOMPARE(indexOfPage("runs"), 6);  // --page has its own words
        QCOMPARE(statusWords("interrupted"), "unterbrochen");
        QVERIFY2(m_window->pages().plan->findChildren<QLabel*>().size() > 10, "no fields");
        if (QFile::exists(QLibraryInfo::path(QLibraryInfo::TranslationsPath) + "/qtbase_de.qm")) {
            QDialogButtonBox buttons(QDialogButtonBox::Cancel);
            QCOMPARE(QString(buttons.buttons().first()->text()).remove('&'), "Abbrechen");
        }
        for (int page = 0; page < m_window->pages().tabs->count(); ++page) {
            m_window->pages().tabs->setCurrentIndex(page);
            const QString name = m_window->pages().tabs->tabText(page) + ": ";
            QTRY_COMPARE(name + wrongLetters(*m_window), name);
        }
        m_window.reset();
        useLanguage("en");
        openOne();
        QCOMPARE(m_window->pages().tabs->tabText(0), "Model");
    }

    // Language and format of numbers are two settings.
    void numbersAreTheirOwnSetting_data() {
        QTest::addColumn<bool>("isPlain");
        QTest::newRow("plain") << true;
        QTest::newRow("German") << false;
    }
    void numbersAreTheirOwnSetting() {
        QFETCH(bool, isPlain);
        useLanguage("de");
        QLocale::setDefault(isPlain ? QLocale::c() : QLocale(QLocale::German));
        openOne();
        const QString point = isPlain ? "." : ",";
        const QString other = isPlain ? "," : ".";
        int seen = 0;
        for (const QDoubleSpinBox* box : m_window->findChildren<QDoubleSpinBox*>()) {
            if (box->decimals() > 0 && box->value() < 1000 &&
                box->text() != box->specialValueText()) {
                QVERIFY2(box->cleanText().contains(point) && !box->cleanText().contains(other),
                         qPrintable(described(*box) + ' ' + box->text()));
                ++seen;
            }
        }
        QVERIFY(seen > 2);
    }

    void fitsASmallScreen_data() { eachTheme(); }
    void fitsASmallScreen() {
        QFETCH(bool, dark);
        useLanguage("de");
        openOne();
        m_window->preferences()->setDark(dark);
        const QStringList cut = cutIn(*m_window, kSmallScreen);
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join("\n")));
    }

    void dialogsFitToo() {
        useLanguage("de");
        openOne();
        QStringList cut;
        for (const char* name : {"settings", "shortcuts", "about", "guide", "cluster"}) {
            auto* action = m_window->findChild<QAction*>(name);
            QVERIFY2(action != nullptr, name);
            action->trigger();
            QTRY_VERIFY2(!m_window->findChildren<QDialog*>().isEmpty(), name);
            std::unique_ptr<QDialog> dialog(m_window->findChildren<QDialog*>().last());
            QVERIFY2(QTest::qWaitForWindowExposed(dialog.get()), name);
            cut << cutBelow(*dialog, name);
            const QString folder = qEnvironmentVariable("COSPADI_SCREENSHOTS");
            QVERIFY(folder.isEmpty() || dialog->grab().save(folder + '/' + name + "-german.png"));
        }
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join("\n")));
    }

    void theSettingIsKept() {
        QCOMPARE(Preferences::load().language, QString());
        SettingsDialog dialog{Preferences()};
        auto* box = dialog.findChild<QComboBox*>("settingsLanguage");
        QVERIFY(box != nullptr);
        QCOMPARE(box->count(), static_cast<int>(languages().size()) + 1);
        box->setCurrentIndex(box->findText("Deutsch"));
        dialog.preferences().save();
        QCOMPARE(Preferences::load().language, "de");
        QCOMPARE(SettingsDialog(Preferences::load()).preferences().language, "de");
        box->setCurrentIndex(0);
        QCOMPARE(dialog.preferences().language, QString());
        openOne();
        auto* settings = m_window->findChild<QAction*>("settings");
        QVERIFY(settings != nullptr);
        settings->trigger();
        auto* open = m_window->findChild<SettingsDialog*>();
        QVERIFY(open != nullptr);
        open->findChild<QComboBox*>("settingsLanguage")->setCurrentIndex(0);
        open->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Apply)->click();
        QCOMPARE(Preferences::load().language, QString());
        QVERIFY2(m_window->pages().messages->text().contains("restarted"),
                 qPrintable(m_window->pages().messages->text()));
    }
};

COSPADI_TEST(TestTranslation)

}  // namespace tst_translation

#include "tst_translation.moc"
