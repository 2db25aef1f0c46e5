// What the program tells man and shells of itself: the page as groff sets it, completion as the
// shells themselves run it. A shell or groff that is not on this machine is skipped by its name.
#include <QStandardPaths>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "tests/core/cli_under_test.h"
#include "tests/registered_test.h"

namespace tst_descriptions {

namespace {

// Names of commands as `--help` lists them, below its last heading of them.
QStringList commandsIn(const QString& help) {
    QStringList names;
    bool inside = false;
    static const QRegularExpression command("^  ([a-z][a-z-]*)(\\s|$)");
    for (const QString& line : help.split('\n')) {
        if (line.compare("Subcommands:", Qt::CaseInsensitive) == 0) {
            inside = true;
        } else if (inside && !line.startsWith(' ')) {
            inside = false;
        } else if (const auto found = command.match(line); inside && found.hasMatch()) {
            names << found.captured(1);
        }
    }
    return names;
}

QStringList optionsIn(const QString& help) {
    QStringList names;
    static const QRegularExpression option("^  (?:-[a-z],)?(--[a-z0-9-]+)");
    for (const QString& line : help.split('\n')) {
        if (const auto found = option.match(line); found.hasMatch()) {
            names << found.captured(1);
        }
    }
    return names;
}

QStringList sorted(QStringList words) {
    words.removeAll(QString());
    words.sort();
    return words;
}

}  // namespace

class TestDescriptions : public QObject, CliUnderTest {
    Q_OBJECT

    QString scriptOf(const QString& shell) const {
        const QString path = place("completion." + shell);
        QFile file(path);
        if (!file.exists() && file.open(QIODevice::WriteOnly)) {
            file.write(run({"completion", shell}).out);
        }
        return path;
    }

    CliOutcome in(const QString& shell, const QString& text) const {
        return run({"-c", text}, shell);
    }

    // What bash offers for the last word of a line.
    QStringList offeredByBash(const QStringList& words) const {
        const QString line = "'" + words.join("' '") + "'";
        const CliOutcome outcome =
            in("bash", QString("set -u; . '%1'; COMP_WORDS=(%2); COMP_CWORD=%3; COMPREPLY=()\n"
                               "_cospadi; printf '%s\\n' \"${COMPREPLY[@]}\"")
                           .arg(scriptOf("bash"), line)
                           .arg(words.size() - 1));
        return outcome.error.isEmpty() ? sorted(QString::fromUtf8(outcome.out).split('\n'))
                                       : QStringList{outcome.error};
    }

    // The same of zsh, whose functions for showing candidates print them here.
    QStringList offeredByZsh(const QStringList& words) const {
        const QString line = "'" + words.join("' '") + "'";
        const CliOutcome outcome =
            in("zsh",
               QString("compadd() { shift; print -l -- $@ }\n_files() { print FILES }\n"
                       "_describe() { local word; for word in ${(P)2}; do "
                       "print -- ${word%%:*}; done }\n"
                       "completed() { . '%1' }\nwords=(%2); CURRENT=%3; PREFIX=$words[CURRENT]\n"
                       "completed")
                   .arg(scriptOf("zsh"), line)
                   .arg(words.size()));
        return outcome.error.isEmpty() ? sorted(QString::fromUtf8(outcome.out).split('\n'))
                                       : QStringList{outcome.error};
    }

    QStringList offeredByFish(const QString& line) const {
        const CliOutcome outcome =
            run({"--no-config", "-c",
                 QString("source '%1'; complete -C '%2'").arg(scriptOf("fish"), line)},
                "fish");
        QStringList words;
        for (const QString& candidate : QString::fromUtf8(outcome.out).split('\n')) {
            words << candidate.section('\t', 0, 0);
        }
        return outcome.error.isEmpty() ? sorted(words) : QStringList{outcome.error};
    }

    static bool isMissing(const char* program) {
        return QStandardPaths::findExecutable(program).isEmpty();
    }

  private slots:
    void initTestCase() { QVERIFY(isValid()); }

    // Every command at every level with all its options.
    void thePageHasAllThatHelpHas() {
        const CliOutcome manual = run({"manual"});
        QCOMPARE(manual.exitCode, 0);
        QString page = QString::fromUtf8(manual.out);
        page.replace("\\-", "-");
        QList<QStringList> todo{{}};
        int commands = 0;
        while (!todo.isEmpty()) {
            const QStringList path = todo.takeFirst();
            const QString help = QString::fromUtf8(run(path + QStringList{"--help"}).out);
            const QString heading =
                path.isEmpty() ? ".SH OPTIONS" : ".SS \\fBcospadi " + path.join(' ') + "\\fR";
            const qsizetype begin = page.indexOf(heading);
            QVERIFY2(begin >= 0, qPrintable(heading));
            const qsizetype end = page.indexOf(QRegularExpression("\n\\.S[HS] "), begin);
            const QString part = page.mid(begin, end - begin);
            const QStringList options = optionsIn(help);
            QVERIFY2(!options.isEmpty(), qPrintable(help));
            for (const QString& option : options) {
                QVERIFY2(part.contains("\\fB" + option + "\\fR"),
                         qPrintable(path.join(' ') + " " + option));
            }
            for (const QString& command : commandsIn(help)) {
                todo << path + QStringList{command};
                ++commands;
            }
        }
        QVERIFY(commands > 30);
    }

    void groffSetsThePage() {
        if (isMissing("groff")) {
            QSKIP("groff is not on this machine");
        }
        QFile file(place("cospadi.1"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(run({"manual"}).out);
        file.close();
        const CliOutcome set =
            run({"-man", "-Tutf8", "-Kutf8", "-ww", "-rLL=100n", "-P-cbou", place("cospadi.1")},
                "groff");
        QCOMPARE(set.error, QString());
        const QString text = QString::fromUtf8(set.out);
        QVERIFY(text.contains("cospadi - compress language models"));
        QVERIFY(text.contains("EXIT CODES"));
        QVERIFY(text.contains("cospadi compress default --method cospadi --cr 0.2"));
        QVERIFY(text.contains("cospadi-workbench(1)"));
    }

    void bashCompletes() {
        const QStringList all = sorted(commandsIn(QString::fromUtf8(run({"--help"}).out)));
        QCOMPARE(offeredByBash({"cospadi", ""}), all);
        QCOMPARE(offeredByBash({"cospadi", "swe"}), QStringList{"sweep"});
        QCOMPARE(offeredByBash({"cospadi", "runs", "sl"}), QStringList{"slice"});
        QCOMPARE(offeredByBash({"cospadi", "runs", "list", "--starr"}), QStringList{"--starred"});
        QVERIFY(offeredByBash({"cospadi", "sweep", "m.gguf", "--on", ""}).contains("slurm"));
        QVERIFY(offeredByBash({"cospadi", "sweep", "--on", "=", "sl"}).contains("slurm"));
        QCOMPARE(offeredByBash({"cospadi", "completion", ""}),
                 QStringList({"bash", "fish", "zsh"}));
        QCOMPARE(offeredByBash({"cospadi", "sweep", "--setup", "run"}), QStringList());
    }

    void zshCompletes() {
        if (isMissing("zsh")) {
            QSKIP("zsh is not on this machine");
        }
        const QStringList all = sorted(commandsIn(QString::fromUtf8(run({"--help"}).out)));
        QCOMPARE(offeredByZsh({"cospadi", ""}), sorted(all + QStringList{"FILES"}));
        QVERIFY(offeredByZsh({"cospadi", "runs", ""}).contains("slice"));
        QVERIFY(offeredByZsh({"cospadi", "runs", "list", "--"}).contains("--starred"));
        QVERIFY(offeredByZsh({"cospadi", "sweep", "--on", ""}).contains("slurm"));
        QCOMPARE(offeredByZsh({"cospadi", "sweep", "--setup", ""}), QStringList{"FILES"});
    }

    void fishCompletes() {
        if (isMissing("fish")) {
            QSKIP("fish is not on this machine");
        }
        QCOMPARE(offeredByFish("cospadi swe"), QStringList{"sweep"});
        QCOMPARE(offeredByFish("cospadi completion ba"), QStringList{"bash"});
        QCOMPARE(offeredByFish("cospadi runs sli"), QStringList{"slice"});
        QCOMPARE(offeredByFish("cospadi runs list --starr"), QStringList{"--starred"});
        QVERIFY(offeredByFish("cospadi sweep --on ").contains("slurm"));
    }

    void anotherShellIsRefused() {
        const CliOutcome refused = run({"completion", "tcsh"});
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.error.contains("tcsh"), qPrintable(refused.error));
    }
};

COSPADI_TEST(TestDescriptions)

}  // namespace tst_descriptions

#include "tst_descriptions.moc"
