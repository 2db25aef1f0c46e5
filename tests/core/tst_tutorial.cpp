// docs/tutorial.md as its readers follow it: every command of every block, in order, in one folder,
// with a small model behind `default`.
#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/core/cli_under_test.h"
#include "tests/registered_test.h"

namespace tst_tutorial {

namespace {

struct Block {
    QString language;
    QStringList lines;
};

// The fenced blocks of a page. Commands stand in those of the language sh, and nowhere else.
std::vector<Block> blocksIn(const QString& path) {
    QFile file(path);
    std::vector<Block> blocks;
    bool inside = false;
    if (!file.open(QIODevice::ReadOnly)) {
        return blocks;
    }
    for (const QString& line : QString::fromUtf8(file.readAll()).split('\n')) {
        if (line.startsWith("```")) {
            inside = !inside;
            if (inside) {
                blocks.push_back({line.mid(3).trimmed(), {}});
            }
        } else if (inside) {
            blocks.back().lines << line;
        }
    }
    return blocks;
}

}  // namespace

class TestTutorial : public QObject, CliUnderTest {
    Q_OBJECT

    CliOutcome shell(const QString& command) const {
        return run({"-c", QString("cd '%1' && %2").arg(place("reader"), command)}, "bash");
    }

    QString written(const QString& name) const {
        QFile file(place("reader/" + name));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        QVERIFY(QDir().mkpath(place("reader")));
        environment.insert("COSPADI_DEFAULT_MODEL", model());
        environment.insert("QT_QPA_PLATFORM", "offscreen");
        environment.insert("PATH",
                           QFileInfo(COSPADI_CLI).absolutePath() + ":" + environment.value("PATH"));
    }

    void everyCommandWorks_data() {
        QTest::addColumn<QString>("command");
        int commands = 0;
        for (const Block& block : blocksIn(COSPADI_SOURCE_DIR "/docs/tutorial.md")) {
            QCOMPARE(block.language, QString("sh"));
            for (const QString& line : block.lines) {
                QTest::addRow("%d: %s", ++commands, qPrintable(line.left(60))) << line;
            }
        }
        QVERIFY(commands >= 20);
    }

    void everyCommandWorks() {
        QFETCH(QString, command);
        QVERIFY2(command.startsWith("cospadi"), qPrintable(command));
        const QString program = QFileInfo(COSPADI_CLI).absolutePath() + "/cospadi-workbench";
        if (command.startsWith("cospadi-workbench ") && !QFileInfo::exists(program)) {
            QSKIP("this build has no window");
        }
        const CliOutcome outcome = shell(command);
        QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.error + outcome.out));
    }

    // Where the page says that it leads.
    void whatComesOfIt() {
        const QString table = written("ablation.tex");
        for (const char* part : {"\\toprule", "\\label{tab:ablation}", "CoSpaDi", "svd-llm"}) {
            QVERIFY2(table.contains(part), part);
        }
        QVERIFY(written("first-model/config.json").contains("cospadi"));
        QVERIFY(written("shared/snakemake/Snakefile").contains("rule compress"));
        const auto status =
            nlohmann::json::parse(shell("cospadi sweep status shared/sweep.json --json").out);
        QCOMPARE(status["done"].get<int>(), 4);
        QVERIFY(shell("cospadi runs list --tag tutorial").out.contains("cospadi"));
    }
};

COSPADI_TEST(TestTutorial)

}  // namespace tst_tutorial

#include "tst_tutorial.moc"
