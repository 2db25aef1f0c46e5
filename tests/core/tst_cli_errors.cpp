// What the command line says where something is wrong: with its arguments, the environment, the
// store of runs or the disk; by message and exit code, for people and as JSON.
#include <QtTest>
#include <nlohmann/json.hpp>

#include "tests/core/cli_small_runs.h"
#include "tests/core/cli_under_test.h"
#include "tests/registered_test.h"

namespace tst_cli_errors {

using cli_runs::codesIn;
using cli_runs::compressArguments;
using cli_runs::kModel;
using nlohmann::json;

class TestCliErrors : public QObject, CliUnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        useDefaultRuns();
    }

    void failuresAreNamed_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("says");
        QTest::newRow("no command") << QStringList{} << 2 << "subcommand";
        QTest::newRow("unknown option")
            << QStringList{"inspect", kModel, "--colour"} << 2 << "--colour";
        QTest::newRow("no such model")
            << QStringList{"inspect", "/nowhere.gguf"} << 1 << "/nowhere.gguf";
        QTest::newRow("default not fetched")
            << QStringList{"inspect", "default"} << 1 << "./run fetch";
        QTest::newRow("unknown command") << QStringList{"foo"} << 2 << "\"foo\"";
        QTest::newRow("unknown command of runs") << QStringList{"runs", "foo"} << 2 << "\"foo\"";
        QTest::newRow("bad shape") << QStringList{"budget", "--shape", "12by8"} << 2 << "12by8";
        QTest::newRow("method that is none")
            << QStringList{"compress", kModel, "--method", "magic"} << 2 << "magic";
        QTest::newRow("no file of ratios")
            << QStringList{"compress", kModel, "--ratios", "/nowhere.json"} << 2
            << "cospadi: /nowhere.json";
        QTest::newRow("bad length")
            << QStringList{"compress", kModel, "--length", "0"} << 2 << "between 2 and 65536";
        QTest::newRow("negative seed")
            << QStringList{"compress", kModel, "--seed", "-1"} << 2 << "'-1' is not";
        QTest::newRow("seed beyond 64 bits")
            << QStringList{"compress", kModel, "--seed", "18446744073709551616"} << 2
            << "is not a whole number";
        QTest::newRow("fractional seed")
            << QStringList{"sweep", kModel, "--method", "svd", "--set", "seed=1.5", "--dry-run"}
            << 2 << "seed: is not a whole number";
        QTest::newRow("negative seed in a sweep")
            << QStringList{"sweep", kModel, "--method", "svd", "--set", "seed=-1", "--dry-run"} << 2
            << "seed: is not a whole number";
        QTest::newRow("demo at once") << QStringList{"demo", "--cr", "2"} << 2 << "2";
        QTest::newRow("no text") << QStringList{"tokenize", kModel} << 2 << "--decode";
        QTest::newRow("report format")
            << QStringList{"report", "--format", "nosuch"} << 2 << "nosuch";
        QTest::newRow("hidden by no name")
            << QStringList{"report", "--published", "main-results", "--hide", "nosuch"} << 1
            << "nosuch";
        QTest::newRow("renamed by no name")
            << QStringList{"report", "--published", "main-results", "--rename", "nonsense=x"} << 1
            << "nonsense: the table has no heading or text";
        QTest::newRow("a folder that is no run")
            << QStringList{"runs", "show", COSPADI_TEST_DATA} << 1 << "no run has this id";
        QTest::newRow("bad ratio")
            << QStringList{"budget", "--shape", "12x8", "--cr", "1.5"} << 2 << "1.5";
        QTest::newRow("no layer") << QStringList{"compress", kModel,     "--method",
                                                 "svd",      "--layers", "nothing"}
                                  << 1 << "nothing";
        QTest::newRow("no device")
            << QStringList{"compress", kModel, "--device", "gpu"} << 2 << "is not a device";
        // Whatever the machine has, the reason names what was asked for.
        QTest::newRow("device that is not there")
            << QStringList{"compress", kModel, "--device", "cuda:99"} << 1 << "--device cuda:99";
        QTest::newRow("unknown run") << QStringList{"runs", "show", "nobody"} << 1 << "nobody";
        QTest::newRow("unknown run to slice")
            << QStringList{"runs", "slice", "nobody", "--layers", "ffn"} << 1 << "nobody";
        QTest::newRow("a slice of which layers")
            << QStringList{"runs", "slice", "nobody"} << 2 << "--layers";
        QTest::newRow("unknown run to shorten")
            << QStringList{"requantize", "nobody", "--coefficient-bits", "12"} << 1 << "nobody";
        QTest::newRow("bits out of range")
            << QStringList{"requantize", "nobody", "--coefficient-bits", "12,8"} << 2
            << "8 bits per coefficient";
        QTest::newRow("bits that are none")
            << QStringList{"requantize", "nobody", "--coefficient-bits", "many"} << 2 << "many";
        QTest::newRow("rounding that is none")
            << QStringList{"requantize", "nobody", "--coefficient-bits", "12", "--rounding", "up"}
            << 2 << "'up'";
        QTest::newRow("unknown run to refine") << QStringList{"refine", "nobody"} << 1 << "nobody";
        QTest::newRow("a learning rate of nothing")
            << QStringList{"refine", "nobody", "--rate", "0"} << 2 << "refine_rate";
        QTest::newRow("one sequence, of which one is held out")
            << QStringList{"refine", "nobody", "--sequences", "1"} << 2 << "refine";
        // A shell's unset variable.
        QTest::newRow("empty layers")
            << QStringList{"compress", kModel, "--layers", ""} << 2 << "the value is empty";
        QTest::newRow("empty directory")
            << QStringList{"compress", kModel, "--out="} << 2 << "--out";
        QTest::newRow("command that is nearly one")
            << QStringList{"comprss", kModel} << 2 << "did you mean compress?";
        QTest::newRow("option that is nearly one")
            << QStringList{"compress", kModel, "--layer", "ffn"} << 2 << "did you mean --layers?";
        QTest::newRow("command of runs that is nearly one")
            << QStringList{"runs", "lsit"} << 2 << "did you mean list?";
        QTest::newRow("option of a method out of range")
            << QStringList{"compress", kModel, "--method", "rtn", "--bits", "9"} << 2 << "2 … 8";
        QTest::newRow("option that methods share out of range")
            << QStringList{"compress", kModel, "--method", "gptq", "--bits", "9"} << 2 << "2 … 8";
        QTest::newRow("real option of a method out of range")
            << QStringList{"compress", kModel, "--method", "gptq", "--damp", "1.5"} << 2 << "0 … 1";
        const auto import = [](const QStringList& words) {
            return QStringList{"lm-eval", "import",
                               COSPADI_TEST_DATA
                               "/lm_eval/results_2026-11-21T02-03-31.333142.json"} +
                   words;
        };
        QTest::newRow("imported under no name")
            << import({"--method", " "}) << 2 << "method: is empty";
        QTest::newRow("imported ratio")
            << import({"--method", "X", "--cr", "20"}) << 2 << "cr: 20 is not a fraction";
        QTest::newRow("imported ratio that is no number")
            << import({"--method", "X", "--cr", "nan"}) << 2 << "cr: nan is not a fraction";
        QTest::newRow("imported bytes")
            << import({"--method", "X", "--bytes", "0"}) << 2 << "bytes: 0 is not a size";
        QTest::newRow("imported bytes with a unit")
            << import({"--method", "X", "--bytes", "5GB"}) << 2 << "5GB";
        QTest::newRow("imported label") << import({"--method", "X", "--label", "a\nb"}) << 2
                                        << "label: contains unprintable characters";
        QTest::newRow("bytes of nothing") << import({"--bytes", "7"}) << 2 << "--method";
        QTest::newRow("stated of an own run")
            << import({"--method", "X", "--run", "r"}) << 2 << "--run";
        QTest::newRow("unknown preset")
            << QStringList{"compress", kModel, "--preset", "papr"} << 2 << "use paper";
        QTest::newRow("unknown preset of a sweep")
            << QStringList{"sweep", kModel, "--preset", "papr", "--dry-run"} << 2 << "use paper";
        QTest::newRow("unknown word that would not count")
            << QStringList{"compress", kModel, "--method", "svd", "--init", "nonsense"} << 2
            << "nonsense";
        QTest::newRow("unknown task")
            << QStringList{"evaluate", kModel, "--tasks", "piqq", "--data", "/"} << 2
            << "did you mean piqa?";
        QTest::newRow("items by halves")
            << QStringList{"evaluate", kModel, "--tasks", "piqa", "--limit", "2.5"} << 2 << "2.5";
        const auto sweep = [](const QStringList& words) {
            return QStringList{"sweep", kModel, "--method", "svd"} + words;
        };
        QTest::newRow("a partition of no scheduler")
            << sweep({"--partition", "main", "--dry-run"}) << 2
            << "--partition: applies to jobs for a scheduler";
        QTest::newRow("cores of a file alone")
            << sweep({"--write-jobs", "/nowhere/sweep.json", "--cpus", "4"}) << 2
            << "--cpus: applies to jobs for a scheduler";
        QTest::newRow("a lease of no file")
            << sweep({"--lease", "60", "--dry-run"}) << 2 << "--lease: applies to a sweep file";
        QTest::newRow("items of a text")
            << QStringList{"evaluate", kModel, "--perplexity", "wikitext2", "--limit", "3"} << 2
            << "--limit: applies to tasks";
        QTest::newRow("a text anew")
            << QStringList{"evaluate", kModel, "--perplexity", "wikitext2", "--again"} << 2
            << "--again: applies to tasks";
        QTest::newRow("chunks of tasks")
            << QStringList{"evaluate", kModel, "--tasks", "piqa", "--context", "64"} << 2
            << "--context: applies to the perplexity over a text";
        QTest::newRow("so many of all jobs")
            << QStringList{"job", "--sweep", "/nowhere/sweep.json", "--left", "--count", "2"} << 2
            << "--left";
        QTest::newRow("how near a label is")
            << QStringList{"reproduce", "ablation_data", kModel, "--within", "0.1"} << 2
            << "--within: applies to a folder";
        QTest::newRow("a chart's points with arrows")
            << QStringList{"report", "--series", "pareto", "--directions"} << 2
            << "--directions: formats a table";
        QTest::newRow("matrices of what is saved")
            << QStringList{"report", "--saved", "curve", "--matrix", "ffn"} << 2 << "--matrix";
        for (const QStringList& shape :
             {QStringList{"--series", "metric-cr"}, {"--rows", "method"}}) {
            QTest::newRow(qPrintable("matrices of " + shape.join(' ')))
                << QStringList{"report"} + shape + QStringList{"--matrix", "zzz"} << 2
                << "--matrix applies to the series error-iteration";
        }
        QTest::newRow("unknown status")
            << QStringList{"runs", "list", "--status", "bogus"} << 2 << "interrupted";
        QTest::newRow("a folder without runs")
            << QStringList{"runs", "import", COSPADI_TEST_DATA} << 1 << "there is no run to import";
        QTest::newRow("no field to group by")
            << QStringList{"runs", "list", "--group", "method,colour"} << 1
            << "colour: runs cannot be grouped by this (there are: method";
        QTest::newRow("no setting")
            << QStringList{"runs", "list", "--where", "cr"} << 2 << "FIELD=VALUE";
        QTest::newRow("a preset of no runs")
            << QStringList{"report", "--preset", "rho", "--tag", "nosuch"} << 1 << "perplexity";
        QTest::newRow("a table as printed has no runs")
            << QStringList{"report", "--published", "main-results", "--tag", "x"} << 2 << "--tag";
        QTest::newRow("a plan of no layer")
            << QStringList{"sweep", kModel, "--method", "svd", "--layers", "sideways", "--dry-run"}
            << 1 << "sideways";
        QTest::newRow("a plan with no text")
            << QStringList{"sweep",      kModel,     "--method", "svd",
                           "--evaluate", "/nowhere", "--dry-run"}
            << 1 << "/nowhere";
        QTest::newRow("unknown preset")
            << QStringList{"report", "--preset", "nothing"} << 2 << "nothing";
    }

    void failuresAreNamed() {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QString, says);
        const CliOutcome outcome = run(arguments);
        QCOMPARE(outcome.exitCode, exitCode);
        QVERIFY2((outcome.error + QString::fromUtf8(outcome.out)).contains(says),
                 qPrintable(outcome.error));
        QVERIFY(!outcome.error.isEmpty());
    }

    void errorsAsJson() {
        const CliOutcome outcome = run({"inspect", "/nowhere.gguf", "--json"});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY(!outcome.object()["error"]["hint"].get<std::string>().empty());
        for (const QStringList& arguments :
             {QStringList{"inspect", "--json"}, QStringList{"foo", "--json"},
              QStringList{"inspect", kModel, "--colour", "--json"},
              QStringList{"compress", kModel, "--method", "magic", "--json"},
              QStringList{"compress", kModel, "--ratios", "/nowhere.json", "--json"}}) {
            const CliOutcome usage = run(arguments);
            QCOMPARE(usage.exitCode, 2);
            QVERIFY(!usage.object()["error"]["message"].get<std::string>().empty());
        }
    }

    void threadsAreANumber() {
        environment.insert("COSPADI_THREADS", "abc");
        const CliOutcome outcome = run({"inspect", kModel});
        environment.remove("COSPADI_THREADS");
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY(outcome.error.contains("COSPADI_THREADS"));
    }

    void aBrokenStoreIsNamedFirst() {
        environment.insert("COSPADI_RUNS", place("garbage/runs"));
        QVERIFY(QDir().mkpath(place("garbage/runs")));
        QFile store(place("garbage/runs/cospadi.sqlite"));
        QVERIFY(store.open(QIODevice::WriteOnly));
        store.write(QByteArray(9000, 'x'));
        store.close();
        const QString out = place("garbage/my-run");
        const CliOutcome outcome = run(compressArguments(out));
        environment.remove("COSPADI_RUNS");
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY(!QFileInfo::exists(out));
    }

    // A store that will not open is told before an evaluation, not after it.
    void aBrokenStoreIsNamedBeforeAnEvaluation() {
        const QString folder = model();
        environment.insert("COSPADI_RUNS", place("measured-runs/runs"));
        const QString out = place("measured-runs/runs/a");
        QStringList compress = compressArguments(out);
        compress.replaceInStrings(kModel, folder);
        QCOMPARE(run(compress).exitCode, 0);
        QFile store(place("measured-runs/runs/cospadi.sqlite"));
        QVERIFY(store.open(QIODevice::WriteOnly | QIODevice::Truncate));
        store.write(QByteArray(9000, 'x'));
        store.close();
        const QStringList evaluate{"evaluate", out, "--perplexity", text(), "--context", "16"};
        const CliOutcome outcome = run(evaluate);
        environment.remove("COSPADI_RUNS");
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.error.contains("cospadi.sqlite"), qPrintable(outcome.error));
        QCOMPARE(QDir(out + "/evaluations").entryList(QDir::Files).size(), 0);
    }

    // A file-size limit stands for a full disk: the write fails in the middle of a file.
    void fullDiskIsAnErrorAndCanBeResumed() {
        const QString out = place("full");
        QCOMPARE(run(compressArguments(place("whole"))).exitCode, 0);
        const QStringList shell{"-c", "ulimit -f 10; trap '' XFSZ; exec \"$0\" \"$@\"",
                                COSPADI_CLI};
        const CliOutcome failed = run(shell + compressArguments(out), "/bin/sh");
        QCOMPARE(failed.exitCode, 1);
        QVERIFY2(!failed.object()["error"]["hint"].get<std::string>().empty(),
                 failed.out.constData());
        QVERIFY(!QFileInfo::exists(out + "/result.json"));
        QCOMPARE(run(compressArguments(out)).exitCode, 0);
        QVERIFY(codesIn(out) == codesIn(place("whole")));
    }

    void newerStoresAreNamed() {
        environment.insert("COSPADI_RUNS", place("sealed/runs"));
        QCOMPARE(run(compressArguments(place("sealed-run"))).exitCode, 0);
        const QString store = place("sealed/runs/cospadi.sqlite");
        QCOMPARE(run({"-c",
                      "import sqlite3, sys\n"
                      "c = sqlite3.connect(sys.argv[1]); c.execute('PRAGMA user_version = 99')\n"
                      "c.commit()",
                      store},
                     "python3")
                     .exitCode,
                 0);
        const CliOutcome newer = run({"runs", "list"});
        QCOMPARE(newer.exitCode, 1);
        QVERIFY2(newer.error.contains("schema 99"), qPrintable(newer.error));
        environment.remove("COSPADI_RUNS");
    }
};

COSPADI_TEST(TestCliErrors)

}  // namespace tst_cli_errors

#include "tst_cli_errors.moc"
