// What the engine says in English and the window shows in its own language has a translation:
// titles, help, names of settings and measured values, phrases.
#include <QDirIterator>
#include <QRegularExpression>
#include <QtTest>

#include "core/methods/allocation_words.h"
#include "core/methods/method.h"
#include "core/report/average_accuracy.h"
#include "core/report/measured_value.h"
#include "core/report/report.h"
#include "core/report/run_names.h"
#include "core/report/run_places.h"
#include "core/store/effort.h"
#include "core/store/run_settings.h"
#include "tests/registered_test.h"
#include "tests/ui/translation_file.h"
#include "ui/base/help_words.h"
#include "ui/base/language.h"
#include "ui/base/phrase_words.h"
#include "ui/base/quantity_words.h"
#include "ui/base/string_list.h"
#include "ui/models/setting_words.h"
#include "ui/models/sweep_matrix_model.h"

namespace tst_engine_words {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

// The literals in `Phrase{"…"` of the engine, those that have letters.
QStringList phrasesOfTheEngine() {
    static const QRegularExpression phrase("Phrase\\{\\s*((?:\"[^\"]*\"\\s*)+)");
    static const QRegularExpression literal("\"([^\"]*)\"");
    static const QRegularExpression place("%\\d");
    QStringList texts;
    QDirIterator files(kSources + "/core", {"*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (!file.open(QIODevice::ReadOnly)) {
            continue;
        }
        auto found = phrase.globalMatch(QString::fromUtf8(file.readAll()));
        while (found.hasNext()) {
            QString text;
            auto pieces = literal.globalMatch(found.next().captured(1));
            while (pieces.hasNext()) {
                text += pieces.next().captured(1);
            }
            if (!QString(text).remove(place).trimmed().isEmpty()) {
                texts << text;
            }
        }
    }
    return texts;
}

// All settings and measured values that runs of any method can be told apart by.
QStringList quantities() {
    QStringList names = listOf(metricNames());
    names << kMeanAccuracy << kStatusMetric << "sweep";
    names << "slice_of"
          << "solved_bits";  // of runs that were made of others
    for (const Method* method : methods()) {
        RunSpecification plan;
        plan.method = method;
        for (const auto& [setting, value] : settingsOf(plan)) {
            names << QString::fromStdString(setting);
        }
    }
    for (const Option& option : sharedOptions()) {
        names << option.name;
    }
    for (const Option* option : allOwnOptions()) {
        names << option->name;
    }
    names.removeDuplicates();
    return names;
}

QStringList textsIn(const char* context) {
    QStringList texts;
    for (const TranslationEntry& message : messagesIn(kGerman)) {
        texts << (message.context == context ? QStringList{message.source} : QStringList());
    }
    return texts;
}

}  // namespace

class TestEngineWords : public QObject {
    Q_OBJECT

  private slots:
    void cleanup() { useLanguage("en"); }

    // What the Plan page shows of the engine's descriptions has a translation, too.
    void theEnginesTitlesAreInIt() {
        QStringList titles;
        for (const Option* option : allOwnOptions()) {
            titles << option->title;
        }
        for (const AllocationWords& words : allocationWords()) {
            titles << words.title;
        }
        for (const Method* method : methods()) {
            RunSpecification plan;
            plan.method = method;
            for (const StoragePart& part : method->plan(plan, 576, 1536).parts) {
                const QString name = part.name;
                titles << (name == "left" || name == "right" ? name + " factor" : name);
            }
        }
        QVERIFY(titles.contains("Shared by") && titles.contains("by sensitivity") &&
                titles.contains("dictionary") && titles.contains("left factor"));
        const QStringList known = textsIn("cospadi::engine");
        for (const QString& title : titles) {
            QVERIFY2(known.contains(title), qPrintable(title + " is not in engine_words.cpp"));
        }
    }

    void theEnginesHelpIsInIt() {
        QStringList texts;
        for (const Method* method : methods()) {
            texts << (method == &denseMethod() ? QStringList() : QStringList{method->summary()});
            for (const Option& option : method->ownOptions()) {
                texts << option.help;
                for (const OptionChoice& choice : option.choices) {
                    texts << choice.help;
                }
            }
        }
        for (const AllocationWords& words : allocationWords()) {
            texts << words.summary;
        }
        for (const Effort effort : {Effort::Quick, Effort::Usual, Effort::Best}) {
            texts << name(effort);
        }
        QVERIFY(texts.contains("Bits per code") && texts.contains("all layers of a kind") &&
                texts.contains("the same CR for every matrix") && texts.contains("quick"));
        const QStringList known = textsIn("cospadi::help");
        useLanguage("de");
        for (const QString& text : texts) {
            QVERIFY2(known.contains(text), qPrintable(text + " is not in help_words.cpp"));
            QVERIFY2(helpWords(text.toUtf8()) != text, qPrintable(text + " is not German"));
        }
        for (const QString& text : known) {
            QVERIFY2(texts.contains(text), qPrintable(text + " is not said any more"));
        }
    }

    // Whatever a list, an axis or a heading of the window can name, alone or with its value.
    void quantitiesAreInIt() {
        const QStringList names = quantities();
        QVERIFY(names.contains("perplexity") && names.contains("rho") &&
                names.contains("group_size") && names.contains("calibration.sequences"));
        const QStringList known = textsIn("cospadi::quantities");
        useLanguage("de");
        for (const QString& name : names) {
            for (const QString& told : {name, name.section('.', -1)}) {
                QVERIFY2(known.contains(told), qPrintable(told + " is not in quantity_words.cpp"));
                const QString german = quantityWords(told);
                QVERIFY2(
                    name == kAverageAccuracy || !(german.contains('_') || german.contains('.')),
                    qPrintable(german + " is not German"));
            }
        }
    }

    void phrasesOfTheEngineAreInIt() {
        QStringList phrases = phrasesOfTheEngine();
        QVERIFY(phrases.contains("all tokens") && phrases.contains("mean of %1"));
        phrases << kRepetitionsNote;
        for (const ReportPreset& preset : reportPresets()) {
            phrases << QString::fromStdString(preset.description);
        }
        const QStringList known = textsIn("cospadi::phrases");
        for (const QString& phrase : phrases) {
            QVERIFY2(known.contains(phrase), qPrintable(phrase + " is not in phrase_words.cpp"));
        }
        for (const QString& phrase : known) {
            QVERIFY2(phrases.contains(phrase), qPrintable(phrase + " is not said any more"));
        }
    }

    void theEngineIsWordedInGerman() {
        const std::optional<std::string> none;
        for (const char* setting : {"layers", "rho", "calibration.sequences", "seed", "method"}) {
            QCOMPARE(windowWording(setting, "3.0"), settingWords(setting, "3.0"));
            QCOMPARE(windowWording(setting, none), settingWords(setting, none));
        }
        QCOMPARE(windowWording("layers", ".*"), settingWords("layers", ".*"));
        useLanguage("de");
        QCOMPARE(wordsOfSetting("layers", ".*"), "alle Schichten");
        QCOMPARE(wordsOfSetting("calibration.sequences", "64"), "Sequenzen 64");
        QCOMPARE(wordsOfSetting("rho", "2.0"), "ρ 2");
        QCOMPARE(wordsOfSetting("gamma", none), "ohne gamma");
        QCOMPARE(phraseWords(Phrase{"%1, context %2",
                                    {"a %2", "512"},
                                    {Phrase{"first %1 tokens", {"64"}}, Phrase{"said nowhere"}}}),
                 "a %2, Kontext 512, die ersten 64 Tokens, said nowhere");
    }
};

COSPADI_TEST(TestEngineWords)

}  // namespace tst_engine_words

#include "tst_engine_words.moc"
