// Sweep files: of a grid on standard input, planned without being written, without a scheduler, and
// with jobs that by this file and program can never succeed.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/core/jobs_under_test.h"
#include "tests/core/oracle_data.h"
#include "tests/registered_test.h"

namespace tst_sweep_files {

using nlohmann::json;
namespace fs = std::filesystem;

class TestSweepFiles : public QObject, JobsUnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        QVERIFY(QFileInfo::exists(model()));
    }

    // A grid may come from another program; it is the sweep that the same file makes.
    void aGridOnStandardInput() {
        const QByteArray grid =
            QJsonDocument(QJsonObject{{"model", model()},
                                      {"method", "svd"},
                                      {"layers", "attn_"},
                                      {"cr", QJsonArray{0.2, 0.3}},
                                      {"evaluate", QJsonObject{{"text", text()}, {"context", 16}}}})
                .toJson();
        const auto piped = [&](const QByteArray& input, const QStringList& more) {
            return run(QStringList{"sweep", "-", "--json"} + more, COSPADI_CLI, input);
        };
        const CliOutcome written =
            piped(grid, {"--name", "piped", "--write-jobs", sweepFile("piped")});
        QVERIFY2(written.exitCode == 0, qPrintable(written.error));
        QCOMPARE(written.object()["jobs"].get<int>(), 2);
        QVERIFY(write("flags", kQuick + QStringList{"--cr", "0.2,0.3", "--evaluate", text(),
                                                    "--context", "16", "--name", "piped"})
                    .exitCode == 0);
        QCOMPARE(oracle::text(sweepFile("piped").toStdString()),
                 oracle::text(sweepFile("flags").toStdString()));
        const json told = status("piped")["jobs"];
        QCOMPARE(told[0]["directory"].get<std::string>(), runOf("piped", 0).string());
        QVERIFY(told[0]["title"] != told[1]["title"]);
        QVERIFY(told[0]["perplexity"].is_null());
        QCOMPARE(job("piped", 0).exitCode, kDone);
        const double measured =
            json::parse(oracle::text(stateOf("piped", 0) / "result.json")).at("perplexity");
        QCOMPARE(status("piped")["jobs"][0]["perplexity"].get<double>(), measured);
        for (const char* bad : {"", "{\"cr\": [0.2", "[1, 2]"}) {
            const CliOutcome refused = piped(bad, {"--write-jobs", sweepFile("bad")});
            QVERIFY(refused.exitCode == kFailed || refused.exitCode == kUsage);
            QVERIFY2(refused.out.contains("standard input"), refused.out.constData());
            QVERIFY(!QFileInfo::exists(sweepFile("bad")));
        }
    }

    // What cannot succeed by this file and program says so, and is not tried for ever.
    void whatNeverSucceeds() {
        QVERIFY(write("never", kQuick + QStringList{"--layers", "sideways", "--cr", "0.2,0.3"})
                    .exitCode == 0);
        QCOMPARE(job("never", 99).exitCode, kNever);
        QCOMPARE(job("never", -1).exitCode, kNever);
        CliOutcome outcome = job("never", 0, {"--stage", "dance"});
        QCOMPARE(outcome.exitCode, kUsage);
        // Jobs of which the layers are not there: which they are depends on the grid's order.
        const json sweep = json::parse(oracle::text(sweepFile("never").toStdString()));
        for (std::size_t i = 0; i < sweep["jobs"].size(); ++i) {
            const bool isBad = sweep["jobs"][i]["specification"]["layers"] == "sideways";
            const CliOutcome done = job("never", static_cast<int>(i));
            QCOMPARE(done.exitCode, isBad ? kNever : kDone);
        }
        const json told = status("never");
        QVERIFY(told["failed"].get<int>() >= 1);
        QCOMPARE(told["start_again"].get<std::string>(), std::string());
    }

    void whatHasChangedSince_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("says");
        QTest::newRow("the program") << "revision"
                                     << "was written by revision 0123 of the program";
        QTest::newRow("the model") << "model"
                                   << "the model has changed";
        QTest::newRow("the text") << "text"
                                  << "the calibration text has changed";
        QTest::newRow("the text of the perplexity") << "measure"
                                                    << "the text has changed";
    }

    void whatHasChangedSince() {
        QFETCH(QString, what);
        QFETCH(QString, says);
        const QString name = "changed-" + what;
        const QString folder = place(name + "-model");
        QDir().mkpath(folder);
        for (const char* file : {"config.json", "model.safetensors", "tokenizer.json"}) {
            QVERIFY(QFile::copy(model() + "/" + file, folder + "/" + file));
        }
        const QString words = place(name + ".txt");
        QVERIFY(QFile::copy(text(), words));
        const QString measured = place(name + "-measured.txt");
        QVERIFY(QFile::copy(text(), measured));
        QVERIFY(run({"sweep", folder, "--method", "svd-llm", "--layers", "attn_k", "--calibration",
                     words, "--sequences", "2", "--length", "16", "--evaluate", measured,
                     "--write-jobs", sweepFile(name)})
                    .exitCode == 0);
        const fs::path file = sweepFile(name).toStdString();
        if (what == "revision") {
            json sweep = json::parse(oracle::text(file));
            sweep["revision"] = "0123";
            fs::remove(file);
            std::ofstream(file) << sweep;
        } else if (what == "model") {
            const fs::path weights = (folder + "/model.safetensors").toStdString();
            std::fstream stream(weights, std::ios::in | std::ios::out | std::ios::binary);
            stream.seekp(-1, std::ios::end);
            stream.put('\1');
        } else {
            const QString& changed = what == "text" ? words : measured;
            std::ofstream(changed.toStdString(), std::ios::app) << "one more";
        }
        const CliOutcome outcome = job(name, 0);
        QCOMPARE(outcome.exitCode, kNever);
        const QString told = QString::fromUtf8(outcome.out) + outcome.error;
        QVERIFY2(told.contains(says), qPrintable(told));
        QVERIFY(!fs::exists(fs::path(place(name + "/runs").toStdString())));
    }

    // Without a place for its file, a sweep has one by all that it says.
    void sweepsWithoutAPlaceDoNotMeet() {
        const auto written = [&](const QStringList& more) {
            const CliOutcome outcome =
                run(QStringList{"sweep", model()} + kQuick +
                    QStringList{"--name", "placed", "--on", "snakemake", "--json"} + more);
            return outcome.exitCode == 0 ? outcome.object()["sweep"].get<std::string>()
                                         : outcome.error.toStdString();
        };
        const std::string bare = written({});
        QVERIFY2(fs::exists(bare), bare.c_str());
        QCOMPARE(written({}), bare);
        for (const QStringList& more : {QStringList{"--evaluate", text()}, {"--models"}}) {
            const std::string other = written(more);
            QVERIFY2(fs::exists(other) && other != bare, other.c_str());
        }
    }

    // Of a file that is there only what it is handed to is said.
    void whatAFileHasSettled() {
        QCOMPARE(write("settled", kQuick).exitCode, 0);
        const QStringList handOver{"sweep", sweepFile("settled"), "--on", "snakemake"};
        for (const QStringList& words : {QStringList{"--cr", "0.4"},
                                         {"--evaluate", "wikitext2"},
                                         {"--name", "other"},
                                         {"--tag", "other"},
                                         {"--device", "cpu"},
                                         {"--models"},
                                         {"--lease", "60"},
                                         {"--write-jobs", sweepFile("elsewhere")}}) {
            const CliOutcome refused = run(handOver + words);
            QCOMPARE(refused.exitCode, kUsage);
            QVERIFY2(refused.error.contains(words.front() + ": cannot be changed"),
                     qPrintable(refused.error));
        }
        QVERIFY(!QFileInfo::exists(place("settled/snakemake")));
        const CliOutcome written = run(handOver + QStringList{"--cpus", "2"});
        QVERIFY2(written.exitCode == 0, qPrintable(written.error));
    }

    void withoutASchedulerItSaysSo() {
        const QStringList grid = QStringList{"sweep", model()} + kQuick +
                                 QStringList{"--write-jobs", sweepFile("alone"), "--on", "slurm"};
        const QString path = environment.value("PATH");
        environment.insert("PATH", place("nothing"));
        const CliOutcome outcome = run(grid);
        const CliOutcome planned = run(grid + QStringList{"--dry-run", "--json"});
        environment.insert("PATH", path);
        QCOMPARE(outcome.exitCode, kFailed);
        QVERIFY2(outcome.error.contains("this machine has no Slurm"), qPrintable(outcome.error));
        // What it would do can be told all the same.
        QVERIFY2(planned.exitCode == 0, qPrintable(planned.error));
        QVERIFY(planned.object()["core_hours"].get<double>() > 0);
        QCOMPARE(run(grid + QStringList{"--time", "soon"}).exitCode, kUsage);
        QCOMPARE(run(grid + QStringList{"--partition", "a b"}).exitCode, kUsage);
        QCOMPARE(run(grid + QStringList{"--mem", "much"}).exitCode, kUsage);
        QCOMPARE(run({"sweep"}).exitCode, kUsage);
        QCOMPARE(run({"sweep", sweepFile("alone")}).exitCode, kUsage);
    }

    void aPlanWritesNothing() {
        const CliOutcome planned =
            run(QStringList{"sweep", model()} + kQuick +
                QStringList{"--write-jobs", sweepFile("plan"), "--on", "slurm", "--dry-run"});
        QVERIFY2(planned.exitCode == 0, qPrintable(planned.error));
        QVERIFY(planned.out.contains("#SBATCH"));
        QVERIFY(!QFileInfo::exists(place("plan")));
    }
};

COSPADI_TEST(TestSweepFiles)

}  // namespace tst_sweep_files

#include "tst_sweep_files.moc"
