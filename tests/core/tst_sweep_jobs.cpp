// Jobs of a sweep file as any scheduler would start them: each is done once, whoever is asked and
// however often it is stopped or killed, and ends in the bits of a local run.
#include <sys/types.h>

#include <QtTest>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/core/jobs_under_test.h"
#include "tests/core/matrix_contents.h"
#include "tests/core/oracle_data.h"
#include "tests/registered_test.h"

namespace tst_sweep_jobs {

using nlohmann::json;
namespace fs = std::filesystem;

class TestSweepJobs : public QObject, JobsUnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        QVERIFY(QFileInfo::exists(model()));
    }

    // Several from a place on; of their ends the one that another start may change counts.
    void severalInOneProcess() {
        const CliOutcome written = write("several", kQuick + QStringList{"--cr", "0.2,0.3,0.4"});
        QVERIFY2(written.exitCode == 0, qPrintable(written.error));
        const CliOutcome done = job("several", 1, {"--count", "5"});
        QVERIFY2(done.exitCode == kDone, qPrintable(done.error));
        QCOMPARE(done.object()["jobs"].size(), std::size_t{2});
        QCOMPARE(done.object()["jobs"][1]["index"].get<int>(), 2);
        QCOMPARE(status("several")["done"].get<int>(), 2);
        QCOMPARE(job("several", 1, {"--count", "0"}).exitCode, kUsage);

        // Job 0 lacks its folder; 1 and 2 are done, whatever becomes of it.
        const fs::path blocked = stateOf("several", 0);
        fs::remove_all(blocked);
        std::ofstream(blocked) << "no folder";
        const CliOutcome failed = job("several", 0, {"--count", "3"});
        QCOMPARE(failed.exitCode, kFailed);
        QCOMPARE(failed.object()["jobs"].size(), std::size_t{3});
        QCOMPARE(failed.object()["jobs"][2]["end"].get<std::string>(), std::string("done"));
    }

    void eachJobIsDoneOnce() {
        const CliOutcome written = write("once", kQuick + QStringList{"--cr", "0.2,0.3,0.4"});
        QVERIFY2(written.exitCode == 0, qPrintable(written.error));
        QCOMPARE(written.object()["jobs"].get<int>(), 3);
        QVERIFY(!QFileInfo::exists(place("once/runs")));  // nothing is run here
        const CliOutcome first = job("once", 1);
        QVERIFY2(first.exitCode == kDone, qPrintable(first.error));
        QCOMPARE(first.object()["jobs"][0]["earlier"].get<bool>(), false);
        QVERIFY(fs::exists(stateOf("once", 1) / "result.json"));
        const auto time = fs::last_write_time(runOf("once", 1) / "result.json");
        const CliOutcome again = job("once", 1);
        QCOMPARE(again.exitCode, kDone);
        QCOMPARE(again.object()["jobs"][0]["earlier"].get<bool>(), true);
        QVERIFY(fs::last_write_time(runOf("once", 1) / "result.json") == time);
        QVERIFY(!fs::exists(stateOf("once", 1) / "attempt-0002.json"));
        // The number of an array's task.
        environment.insert("SLURM_ARRAY_TASK_ID", "2");
        QCOMPARE(run(jobArguments("once", {})).exitCode, kDone);
        environment.remove("SLURM_ARRAY_TASK_ID");
        QVERIFY(fs::exists(stateOf("once", 2) / "result.json"));
        QVERIFY(!fs::exists(stateOf("once", 0)));
        QCOMPARE(run(jobArguments("once", {})).exitCode, kUsage);
        QCOMPARE(run(jobArguments("once", {"--left"})).exitCode, kDone);
        // The bits of a local run.
        const auto here = local(kQuick + QStringList{"--cr", "0.3"}, "once-local");
        QVERIFY(!here.empty());
        QVERIFY(matrix_contents::ofRun(runOf("once", 1)) == here);
        // The same sweep again is the same file; another one is refused.
        QCOMPARE(write("once", kQuick + QStringList{"--cr", "0.2,0.3,0.4"}).exitCode, 0);
        QCOMPARE(write("once", kQuick + QStringList{"--cr", "0.2"}).exitCode, kFailed);
    }

    // Merged as often as one likes, each run is there once.
    void mergesOnce() {
        QVERIFY(
            write("merged", kQuick + QStringList{"--cr", "0.2,0.3", "--name", "tiny"}).exitCode ==
            0);
        useRuns("merged-store");
        const auto runs = [&] {
            return run({"runs", "list", "--sweep", "tiny", "--json"}).object()["runs"].size();
        };
        json told = status("merged");
        QCOMPARE(told["waiting"].get<int>(), 2);
        QVERIFY(told["start_again"].get<std::string>().find("--left") != std::string::npos);
        QCOMPARE(runs(), std::size_t{0});
        QCOMPARE(job("merged", 0).exitCode, kDone);
        QCOMPARE(runs(), std::size_t{0});  // jobs know no store
        told = status("merged");
        QCOMPARE(told["done"].get<int>(), 1);
        QCOMPARE(told["merged"].get<int>(), 1);
        QCOMPARE(runs(), std::size_t{1});
        QCOMPARE(job("merged", 1).exitCode, kDone);
        told = status("merged");
        QCOMPARE(told["merged"].get<int>(), 1);
        QCOMPARE(told["known"].get<int>(), 1);
        QCOMPARE(told["start_again"].get<std::string>(), std::string());
        told = status("merged");
        QCOMPARE(told["merged"].get<int>(), 0);
        QCOMPARE(told["known"].get<int>(), 2);
        QCOMPARE(runs(), std::size_t{2});
        // Another folder of the same sweep: the same runs.
        QVERIFY(write("copy", kQuick + QStringList{"--cr", "0.2,0.3", "--name", "tiny"}).exitCode ==
                0);
        QCOMPARE(run(jobArguments("copy", {"--left"})).exitCode, kDone);
        told = status("copy");
        QCOMPARE(told["merged"].get<int>(), 0);
        QCOMPARE(told["known"].get<int>(), 2);
        QCOMPARE(runs(), std::size_t{2});
        useRuns("runs");
    }

    void aSecondProcessLeaves() {
        QVERIFY(write("two", kSlow).exitCode == 0);
        const auto first = start("two", 0);
        QVERIFY(comes([&] { return hasMatrices("two", 0, 1); }));
        const json told = status("two");
        QCOMPARE(told["running"].get<int>(), 1);
        const CliOutcome second = job("two", 0);
        QCOMPARE(second.exitCode, kAgain);
        const std::string reason = second.object()["jobs"][0]["reason"];
        QVERIFY2(reason.find(std::to_string(first->processId())) != std::string::npos,
                 reason.c_str());
        QVERIFY(first->waitForFinished(120'000));
        QCOMPARE(first->exitCode(), kDone);
        QVERIFY(!fs::exists(stateOf("two", 0) / "attempt-0002.json"));
        QCOMPARE(job("two", 0).exitCode, kDone);
    }

    void signalsStopAJob_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("terminate") << SIGTERM;
        QTest::newRow("time is up") << SIGUSR1;
    }

    // What is in work is dropped, what is done stays, and the next start goes on there.
    void signalsStopAJob() {
        QFETCH(int, signal);
        const QString name = QString("stopped-%1").arg(signal);
        QVERIFY(write(name, kSlow).exitCode == 0);
        const auto process = start(name, 0);
        QVERIFY(comes([&] { return hasMatrices(name, 0, 1); }));
        kill(static_cast<pid_t>(process->processId()), signal);
        QVERIFY(process->waitForFinished(60'000));
        QCOMPARE(process->exitStatus(), QProcess::NormalExit);
        QCOMPARE(process->exitCode(), kAgain);
        QVERIFY(!fs::exists(stateOf(name, 0) / "result.json"));
        const json told = status(name)["jobs"][0];
        QCOMPARE(told["state"].get<std::string>(), std::string("waiting"));
        QCOMPARE(told["reason"].get<std::string>(), std::string("stopped"));
        QVERIFY(told["matrices"].get<int>() >= 1);
        const auto before = matrix_contents::ofRun(runOf(name, 0));
        const auto kept = fs::last_write_time(runOf(name, 0) / "matrices" / before.begin()->first);
        QCOMPARE(job(name, 0).exitCode, kDone);
        QVERIFY(fs::last_write_time(runOf(name, 0) / "matrices" / before.begin()->first) == kept);
        QVERIFY(matrix_contents::ofRun(runOf(name, 0)) == local(kSlow, name + "-local"));
    }

    // Processes of this machine are asked to end: those of the named jobs, or all.
    void cancelsProcesses() {
        QVERIFY(write("cancelled", kSlow + QStringList{"--cr", "0.2,0.3"}).exitCode == 0);
        const auto first = start("cancelled", 0);
        const auto second = start("cancelled", 1);
        QVERIFY(comes(
            [&] { return hasMatrices("cancelled", 0, 1) && hasMatrices("cancelled", 1, 1); }));
        const auto cancel = [&](const QStringList& more) {
            return run(QStringList{"sweep", "cancel", sweepFile("cancelled"), "--json"} + more);
        };
        QCOMPARE(cancel({"--index", "2"}).exitCode, kUsage);
        json answer = cancel({"--index", "1"}).object();
        QCOMPARE(answer["cancelled"].get<int>(), 1);
        QCOMPARE(answer["on_slurm"].get<bool>(), false);
        QVERIFY(second->waitForFinished(60'000));
        QCOMPARE(second->exitCode(), kAgain);
        QCOMPARE(first->state(), QProcess::Running);
        QCOMPARE(cancel({}).object()["cancelled"].get<int>(), 1);
        QVERIFY(first->waitForFinished(60'000));
        QCOMPARE(first->exitCode(), kAgain);
        QCOMPARE(status("cancelled")["waiting"].get<int>(), 2);
        QCOMPARE(cancel({}).object()["cancelled"].get<int>(), 0);
        // Nobody was asked to start them, so nobody can be asked again.
        const CliOutcome resumed = run({"sweep", "resume", sweepFile("cancelled")});
        QCOMPARE(resumed.exitCode, kFailed);
        QVERIFY2(resumed.error.contains("--left"), qPrintable(resumed.error));
    }

    // What is printed of a job is its file of events, from the first to the last, and then it ends.
    void followsAJob() {
        QVERIFY(write("followed", kSlow).exitCode == 0);
        const auto process = start("followed", 0);
        QVERIFY(comes([&] { return hasMatrices("followed", 0, 1); }));
        QProcess follower;
        follower.setProcessEnvironment(environment);
        follower.start(COSPADI_CLI, {"sweep", "follow", sweepFile("followed"), "--index", "0"});
        QVERIFY(follower.waitForReadyRead(30'000));
        QCOMPARE(process->state(), QProcess::Running);
        QVERIFY(process->waitForFinished(120'000));
        QVERIFY(follower.waitForFinished(30'000));
        QCOMPARE(follower.exitCode(), kDone);
        const std::string events = oracle::text(runOf("followed", 0) / "events.jsonl");
        QVERIFY(events.find("run_finished") != std::string::npos);
        QCOMPARE(follower.readAllStandardOutput().toStdString(), events);
        // Of a job that is over it is the same, at once.
        const CliOutcome later = run({"sweep", "follow", sweepFile("followed"), "--index", "0"});
        QCOMPARE(later.exitCode, kDone);
        QCOMPARE(later.out.toStdString(), events);
        QCOMPARE(run({"sweep", "follow", sweepFile("followed"), "--index", "1"}).exitCode, kUsage);
    }

    // Killed, it is lost, which is known at once on the same machine, and ends in the same bits.
    void killedJobsGoOn() {
        QVERIFY(write("killed", kSlow).exitCode == 0);
        for (int kills = 1; kills <= 3; ++kills) {
            const auto process = start("killed", 0);
            const auto wanted = static_cast<std::size_t>(2 * kills);
            QVERIFY(comes([&] { return hasMatrices("killed", 0, wanted); }));
            process->kill();
            QVERIFY(process->waitForFinished());
            const json told = status("killed");
            QCOMPARE(told["lost"].get<int>(), 1);
            QCOMPARE(told["jobs"][0]["attempts"].get<int>(), kills);
        }
        QCOMPARE(job("killed", 0).exitCode, kDone);
        QVERIFY(fs::exists(stateOf("killed", 0) / "attempt-0004.json"));
        const auto whole = local(kSlow, "killed-local");
        QCOMPARE(whole.size(), std::size_t{14});
        QVERIFY(matrix_contents::ofRun(runOf("killed", 0)) == whole);
    }

    // Of another machine, the heartbeat alone tells.
    void leasesOfOtherMachines() {
        QVERIFY(
            write("leased", kQuick + QStringList{"--cr", "0.2,0.3", "--lease", "60"}).exitCode ==
            0);
        putAttemptOfAnother(stateOf("leased", 0), std::chrono::seconds(0));
        putAttemptOfAnother(stateOf("leased", 1), std::chrono::seconds(3600));
        const json told = status("leased");
        QCOMPARE(told["running"].get<int>(), 1);
        QCOMPARE(told["lost"].get<int>(), 1);
        const std::string process = told["jobs"][0]["process"];
        QVERIFY2(process.find("node9") != std::string::npos, process.c_str());
        QCOMPARE(job("leased", 0).exitCode, kAgain);
        QVERIFY(!fs::exists(runOf("leased", 0)));
        QCOMPARE(job("leased", 1).exitCode, kDone);
    }
};

COSPADI_TEST(TestSweepJobs)

}  // namespace tst_sweep_jobs

#include "tst_sweep_jobs.moc"
