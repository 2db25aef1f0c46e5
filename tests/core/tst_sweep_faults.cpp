// Sweeps under conditions that no scheduler can help: clocks that differ, what a machine does not
// see, files that are half written or of another version. Each is named; nothing is begun twice,
// and nothing is lost.
#include <QDateTime>
#include <QtTest>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/core/jobs_under_test.h"
#include "tests/registered_test.h"

namespace tst_sweep_faults {

using nlohmann::json;
namespace fs = std::filesystem;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;  // its library must be loaded before ours
#else
constexpr bool kSanitized = false;
#endif

class TestSweepFaults : public QObject, JobsUnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        QVERIFY(QFileInfo::exists(model()));
    }

    void clocksThatDiffer_data() {
        QTest::addColumn<int>("offset");
        QTest::newRow("a day late") << -86'400;
        QTest::newRow("a day early") << 86'400;
    }

    // A machine whose clock is wrong sees as all others who is at work, and who was lost.
    void clocksThatDiffer() {
        if (kSanitized) {
            QSKIP("nothing can be preloaded before the sanitizer");
        }
        QFETCH(int, offset);
        const QString name = QString("clock-%1").arg(offset);
        QVERIFY(write(name, kQuick + QStringList{"--cr", "0.2,0.3", "--lease", "60"}).exitCode ==
                0);
        putAttemptOfAnother(stateOf(name, 0), std::chrono::seconds(0));
        putAttemptOfAnother(stateOf(name, 1), std::chrono::seconds(3600));
        environment.insert("LD_PRELOAD", COSPADI_WRONG_CLOCK);
        environment.insert("COSPADI_CLOCK_OFFSET", QString::number(offset));
        const json told = status(name);
        const int running = job(name, 0).exitCode;
        const int lost = job(name, 1).exitCode;
        environment.remove("LD_PRELOAD");
        environment.remove("COSPADI_CLOCK_OFFSET");
        QCOMPARE(told["running"].get<int>(), 1);
        QCOMPARE(told["lost"].get<int>(), 1);
        QCOMPARE(running, kAgain);
        QCOMPARE(lost, kDone);
        QCOMPARE(status(name)["done"].get<int>(), 1);
        QVERIFY(matrix_contents::ofRun(runOf(name, 1)) ==
                local(kQuick + QStringList{"--cr", "0.3"}, name + "-local"));
        // It was wrong indeed.
        const json made = json::parse(oracle::text(runOf(name, 1) / "run.json"));
        const auto created = QDateTime::fromString(
            QString::fromStdString(made["created"].get<std::string>()), Qt::ISODate);
        const qint64 away = QDateTime::currentDateTimeUtc().secsTo(created);
        QVERIFY2(std::abs(away - offset) < 3600, qPrintable(QString::number(away)));
    }

    // A model, or the sweep's folder, may be there at the next start: nothing is given up.
    void whatThisMachineDoesNotSee() {
        const QString folder = place("away-model");
        QDir().mkpath(folder);
        for (const char* file : {"config.json", "model.safetensors", "tokenizer.json"}) {
            QVERIFY(QFile::copy(model() + "/" + file, folder + "/" + file));
        }
        QVERIFY(run(QStringList{"sweep", folder} + kQuick +
                    QStringList{"--write-jobs", sweepFile("away")})
                    .exitCode == 0);
        QVERIFY(QDir().rename(folder, folder + ".elsewhere"));
        QCOMPARE(job("away", 0).exitCode, kFailed);
        const json told = status("away")["jobs"][0];
        QCOMPARE(told["state"].get<std::string>(), std::string("failed"));
        QCOMPARE(told["never"].get<bool>(), false);
        const std::string reason = told["reason"];
        QVERIFY2(reason.find(folder.toStdString()) != std::string::npos, reason.c_str());
        QVERIFY(QDir().rename(folder + ".elsewhere", folder));
        QVERIFY(QDir().rename(place("away"), place("away.elsewhere")));
        const CliOutcome outcome = job("away", 0);
        QCOMPARE(outcome.exitCode, kFailed);
        QVERIFY2(outcome.out.contains("cannot see the sweep file"), outcome.out.constData());
        QVERIFY(!QFileInfo::exists(place("away")));
        QVERIFY(QDir().rename(place("away.elsewhere"), place("away")));
        QCOMPARE(job("away", 0).exitCode, kDone);
    }

    // Half a sweep file, or one of another version of the program, is named by whatever is asked of
    // it; nothing is submitted, begun or written, and the whole one goes on.
    void filesThatAreNotTaken_data() {
        QTest::addColumn<bool>("half");
        QTest::addColumn<QString>("says");
        QTest::newRow("half") << true << "half/sweep.json";
        QTest::newRow("another version") << false << "was written by revision 0123 of the program";
    }

    void filesThatAreNotTaken() {
        QFETCH(bool, half);
        QFETCH(QString, says);
        const QString name = half ? "half" : "version";
        QVERIFY(write(name, kQuick + QStringList{"--cr", "0.2,0.3"}).exitCode == 0);
        const fs::path file = sweepFile(name).toStdString();
        const std::string whole = oracle::text(file);
        std::string other = whole.substr(0, whole.size() / 2);
        if (!half) {
            json changed = json::parse(whole);
            changed["revision"] = "0123";
            other = changed.dump();
        }
        fs::remove(file);
        std::ofstream(file) << other;
        const QString cluster = place("cluster-" + name);
        QVERIFY(run({"make", cluster}, COSPADI_SOURCE_DIR "/tests/slurm/stand-in").exitCode == 0);
        const QString path = environment.value("PATH");
        environment.insert("PATH", cluster + "/bin:" + path);
        environment.insert("STAND_IN_CLUSTER", cluster);
        std::vector<QStringList> asked{{"sweep", sweepFile(name), "--on", "slurm"},
                                       {"sweep", sweepFile(name), "--on", "snakemake"},
                                       {"job", "--sweep", sweepFile(name), "--index", "0"},
                                       {"job", "--sweep", sweepFile(name), "--left"}};
        if (half) {
            for (const char* verb : {"status", "cancel", "resume"}) {
                asked.push_back({"sweep", verb, sweepFile(name)});
            }
            asked.push_back({"sweep", "follow", sweepFile(name), "--index", "0"});
        }
        for (const QStringList& command : asked) {
            const CliOutcome outcome = run(command);
            QCOMPARE(outcome.exitCode, command.front() == "job" ? kNever : kFailed);
            QVERIFY2(outcome.error.contains(says), qPrintable(outcome.error));
        }
        environment.insert("PATH", path);
        environment.remove("STAND_IN_CLUSTER");
        QVERIFY(!QFileInfo::exists(cluster + "/last"));  // of an array's id
        QCOMPARE(QDir(place(name)).entryList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot),
                 QStringList{"sweep.json"});
        fs::remove(file);
        std::ofstream(file) << whole;
        QCOMPARE(run(jobArguments(name, {"--left"})).exitCode, kDone);
        QCOMPARE(status(name)["done"].get<int>(), 2);
    }
};

COSPADI_TEST(TestSweepFaults)

}  // namespace tst_sweep_faults

#include "tst_sweep_faults.moc"
