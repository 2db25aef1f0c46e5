// Every command that README.md and the pages of docs/ name, in blocks and within sentences, is one
// that the programs understand. Those of the tutorial are run (tst_tutorial); this is about all the
// others.
//
// Nothing is done: each command is given one more word, which there is not. A program that
// complains of that word alone has understood the rest, because words that nothing takes are what
// it tells last. Of commands that a page only sketches (`sweep … --on slurm`, `runs show`) the
// options are looked up in their help. Notation: [may be left out], one|of|these, … for what is
// left out; single capitals are numbers.
#include <QtTest>

#include "tests/core/cli_under_test.h"
#include "tests/registered_test.h"

namespace tst_documented_commands {

namespace {

constexpr const char* kUnknown = "--no-such-word";

QString contentsOf(const QString& name) {
    QFile file(QDir(COSPADI_SOURCE_DIR).filePath(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// What a line of a block starts, behind what another program makes of it (`seq 0 5 | xargs cospadi
// …`).
QString commandIn(const QString& line) {
    static const QRegularExpression command(
        "(?:^|\\s)((?:\\./run|cospadi|cospadi-workbench)\\s.*?)(?:\\s+#\\s.*)?$");
    return command.match(line).captured(1);
}

// Commands of blocks that are no data, and code within sentences and tables.
QStringList snippetsIn(const QString& page) {
    QStringList snippets;
    QString prose;
    QString command;
    bool inBlock = false;
    bool isShell = false;
    for (const QString& line : page.split('\n')) {
        if (line.startsWith("```")) {
            inBlock = !inBlock;
            isShell = line == "```" || line == "```sh";
        } else if (!inBlock) {
            prose += line + '\n';
        } else if (isShell) {
            command += line;
            if (command.endsWith('\\')) {
                command.chop(1);
            } else {
                snippets << commandIn(command).simplified();
                command.clear();
            }
        }
    }
    static const QRegularExpression code("`([^`]+)`");
    for (auto found = code.globalMatch(prose); found.hasNext();) {
        snippets << found.next().captured(1).replace("\\|", "|").simplified();
    }
    return snippets;
}

// Words as a shell splits them; quoted ones, which mean what they say, begin with a quote here.
QStringList wordsIn(QString text) {
    static const QRegularExpression piped("\\s\\|\\s.*$");
    text.remove(piped);
    QStringList words;
    static const QRegularExpression word("[^\\s'\"]*(?:'[^']*'|\"[^\"]*\")[^\\s'\"]*|\\S+");
    for (auto found = word.globalMatch(text); found.hasNext();) {
        QString one = found.next().captured();
        const bool isQuoted = one.contains('\'') || one.contains('"');
        one.remove(isQuoted ? QRegularExpression("['\"]") : QRegularExpression("[\\[\\]]"));
        words << (isQuoted ? '\'' + one : one);
    }
    return words;
}

// A command for each of the words of the longest choice in it; single capitals are numbers.
QList<QStringList> writtenOut(const QStringList& words) {
    qsizetype choices = 1;
    for (const QString& word : words) {
        choices = word.startsWith('\'') ? choices : std::max(choices, word.count('|') + 1);
    }
    static const QRegularExpression number("\\b[A-Z]\\b");
    QList<QStringList> all;
    for (qsizetype choice = 0; choice < choices; ++choice) {
        QStringList one;
        for (QString word : words) {
            if (word.startsWith('\'')) {
                one << word.mid(1);
            } else {
                const QStringList parts = word.split('|');
                word = parts[std::min(choice, parts.size() - 1)];
                one << (word == "DIR" ? "." : word.remove("…").replace(number, "1"));
            }
        }
        one.removeAll(QString());
        all << one;
    }
    return all;
}

}  // namespace

class TestDocumentedCommands : public QObject, CliUnderTest {
    Q_OBJECT

    QMap<QString, QString> m_help;  // by the words of a command

    QString helpOf(const QStringList& command) {
        QString& help = m_help[command.join(' ')];
        if (help.isEmpty()) {
            help = QString::fromUtf8(run(command + QStringList{"--help"}).out);
        }
        return help;
    }

    bool isCommand(const QStringList& above, const QString& word) {
        const QString help = helpOf(above);
        const qsizetype begin = help.indexOf("\nSubcommands:", 0, Qt::CaseInsensitive);
        return begin >= 0 &&
               help.indexOf(
                   QRegularExpression("\n  " + QRegularExpression::escape(word) + "(\\s|$)"),
                   begin) >= 0;
    }

    QStringList commandOf(const QStringList& words) {
        QStringList command;
        while (command.size() < words.size() && isCommand(command, words[command.size()])) {
            command << words[command.size()];
        }
        return command;
    }

    // The words behind the program's name; none where a snippet is no command. Of ./run's own words
    // (`./run fetch`) the script has a case.
    QStringList wordsBehindProgram(const QString& text) {
        const QString first = text.section(' ', 0, 0);
        QStringList words = wordsIn(text);
        if (first == "cospadi" || first == "./run" || first == "cospadi-workbench") {
            words.removeFirst();
            const bool isLabel = !words.isEmpty() && words[0].startsWith('(');  // of a method
            const bool isOfScript = first == "./run" && !words.isEmpty() &&
                                    contentsOf("run").contains("\n" + words[0] + ")\n");
            return isLabel || isOfScript ? QStringList() : words;
        }
        return words.size() > 1 && isCommand({}, first) ? words : QStringList();
    }

    // Empty where all is well.
    QString problemOf(const QStringList& words, bool isSketch) {
        const QStringList command = commandOf(words);
        if (command.isEmpty() && !words[0].startsWith('-') && words[0] != "COMMAND") {
            return "there is no such command";
        }
        for (const QString& word : words) {
            const QString option = word.section('=', 0, 0);
            if (option.startsWith("--") &&
                !helpOf(command).contains(QRegularExpression(option + "\\b"))) {
                return option + " is no option of it";
            }
        }
        const CliOutcome outcome = run(QStringList{kUnknown} + words);
        static const QRegularExpression understood(
            QString("(expected|understood): %1( |$)").arg(kUnknown));
        // A choice is stood for by capitals; a sentence leaves out what the command is about, or
        // the last value; and what reads a file does so before words are counted.
        static const QRegularExpression placeholder(
            ": [A-Z]+ not in \\{|^cospadi: [A-Z]+: the file ");
        static const QRegularExpression leftOut("\\brequired\\b|no model is given");
        const bool isWell = outcome.exitCode == 1 || outcome.error.contains(understood) ||
                            outcome.error.contains(placeholder) ||
                            outcome.error.contains(leftOut) || (isSketch && outcome.exitCode == 2);
        return isWell ? QString() : outcome.error;
    }

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        environment.insert("QT_QPA_PLATFORM", "offscreen");
    }

    // What the others rest on: wrong words of each kind are told, and nothing is done.
    void wrongWordsAreTold() {
        for (const char* wrong :
             {"compres default", "compress default --kr 0.2", "compress default --cr much",
              "sweep default --on zip", "report --preset demo --rows method", "runs lists"}) {
            QVERIFY2(!problemOf(wordsIn(wrong), false).isEmpty(), wrong);
        }
        QVERIFY(!problemOf(wordsIn("sweep … --kr 1"), true).isEmpty());
        QCOMPARE(problemOf({"compress", model(), "--method", "svd", "--out", place("run")}, false),
                 QString());
        QVERIFY(!QFileInfo::exists(place("run")));
    }

    void everyCommandIsUnderstood_data() {
        QTest::addColumn<QString>("text");
        QStringList pages{"README.md"};
        for (const char* folder : {"docs/", "docs/decisions/"}) {
            const QDir directory(QDir(COSPADI_SOURCE_DIR).filePath(folder));
            for (const QString& name : directory.entryList({"*.md"})) {
                pages << folder + name;
            }
        }
        QSet<QString> seen;
        for (const QString& page : pages) {
            for (const QString& text : snippetsIn(contentsOf(page))) {
                if (!seen.contains(text) && !wordsBehindProgram(text).isEmpty()) {
                    seen.insert(text);
                    QTest::addRow("%s: %s", qPrintable(page), qPrintable(text)) << text;
                }
            }
        }
        QVERIFY(seen.size() > 200);
    }

    void everyCommandIsUnderstood() {
        QFETCH(QString, text);
        const QStringList words = wordsBehindProgram(text);
        if (text.startsWith("cospadi-workbench")) {
            const QString program = QFileInfo(COSPADI_CLI).absolutePath() + "/cospadi-workbench";
            if (!QFileInfo::exists(program)) {
                QSKIP("this build has no window");
            }
            for (const QStringList& command : writtenOut(words)) {
                // Its parser refuses wrong words before it helps.
                const CliOutcome outcome = run(command + QStringList{"--help"}, program);
                QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.error));
            }
            return;
        }
        const bool isSketch = text.contains("…");
        for (const QStringList& command : writtenOut(words)) {
            QCOMPARE(problemOf(command, isSketch), QString());
        }
    }
};

COSPADI_TEST(TestDocumentedCommands)

}  // namespace tst_documented_commands

#include "tst_documented_commands.moc"
