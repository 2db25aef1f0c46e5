// Faults of processes and file systems, seen from the command line: kill -9, two at once, what is
// read-only and disks that are full. What a user reads, and what is left on disk afterwards.
#include <unistd.h>

#include <QRegularExpression>
#include <QtTest>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/core/cli_small_runs.h"
#include "tests/core/cli_under_test.h"
#include "tests/core/matrix_contents.h"
#include "tests/core/oracle_data.h"
#include "tests/core/own_mounts.h"
#include "tests/registered_test.h"

namespace tst_faults {

using cli_runs::compressArguments;
using cli_runs::kModel;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::int64_t linesIn(const fs::path& path) {
    const std::string text = oracle::text(path);
    return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

class TestFaults : public QObject, CliUnderTest {
    Q_OBJECT

    // A new place for runs and store; returns it.
    QString newHome(const char* name) {
        useRuns(QString(name) + "/runs");
        return place(name);
    }

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        // Others must be able to look in: one test becomes someone else.
        QFile::setPermissions(QFileInfo(place("x")).path(), QFile::Permissions(0x7755));
    }

    // ---- kill -9

    void killedAnywhere_data() {
        QTest::addColumn<int>("point");
        for (int point = 0; point < 24; ++point) {
            QTest::addRow("%d of 24", point) << point;
        }
    }

    // Killed once the event file has so many lines, started again: the same bits as never killed.
    void killedAnywhere() {
        QFETCH(int, point);
        newHome("kills");
        const QString whole = place("kills/runs/whole");
        if (!QFileInfo::exists(whole + "/result.json")) {
            QCOMPARE(run(compressArguments(whole)).exitCode, 0);
        }
        const std::int64_t lines = linesIn((whole + "/events.jsonl").toStdString());
        const std::int64_t wanted = lines * point / 24;
        const QString killed = place(QString("kills/runs/%1").arg(point));
        const fs::path events = (killed + "/events.jsonl").toStdString();
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(COSPADI_CLI, compressArguments(killed));
        QVERIFY(process.waitForStarted());
        while (process.state() == QProcess::Running &&
               (!fs::exists(killed.toStdString() + "/run.json") || linesIn(events) < wanted)) {
            process.waitForFinished(1);
        }
        process.kill();
        process.waitForFinished();
        m_killed += process.exitStatus() == QProcess::CrashExit ? 1 : 0;
        // Whatever stands under a final name is whole.
        QVERIFY(json::accept(oracle::text((killed + "/run.json").toStdString())));
        if (fs::exists((killed + "/matrices").toStdString())) {
            const auto reference = matrix_contents::ofRun(whole.toStdString());
            for (const auto& entry : fs::directory_iterator((killed + "/matrices").toStdString())) {
                if (entry.path().extension() == ".safetensors") {
                    QVERIFY(matrix_contents::of(entry.path()) ==
                            reference.at(entry.path().filename().string()));
                }
            }
        }
        QCOMPARE(run({"runs", "import"}).exitCode, 0);  // a run that is no whole run is taken in
        const CliOutcome resumed = run(compressArguments(killed));
        QVERIFY2(resumed.exitCode == 0, qPrintable(resumed.error));
        QVERIFY(matrix_contents::ofRun(killed.toStdString()) ==
                matrix_contents::ofRun(whole.toStdString()));
        QVERIFY(QFileInfo::exists(killed + "/result.json"));
        fs::remove_all(killed.toStdString());
    }

    void mostWereKilled() {
        // The last points may come too late for a quick machine, not more of them.
        QVERIFY2(m_killed >= 20, qPrintable(QString::number(m_killed)));
    }

    // ---- two at once

    void aRunHasOneWriter() {
        newHome("writers");
        const QString out = place("writers/runs/r");
        QCOMPARE(run(compressArguments(out)).exitCode, 0);
        fs::remove((out + "/result.json").toStdString());
        QProcess other;
        other.start("flock", {out + "/run.lock", "sh", "-c", "echo held; exec cat"});
        QVERIFY(other.waitForReadyRead());
        const auto before = matrix_contents::ofRun(out.toStdString());
        const CliOutcome second = run(compressArguments(out));
        QCOMPARE(second.exitCode, 1);
        QVERIFY2(second.error.contains(out + ": another process is writing this run (wait for it, "
                                             "or choose another directory with --out)"),
                 qPrintable(second.error));
        QVERIFY(matrix_contents::ofRun(out.toStdString()) == before);
        other.closeWriteChannel();  // cat ends, and the lock with it
        QVERIFY(other.waitForFinished());
        QCOMPARE(run(compressArguments(out)).exitCode, 0);
        QVERIFY(matrix_contents::ofRun(out.toStdString()) == before);
    }

    void processesShareTheStore() {
        const QString home = newHome("shared");
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(run(compressArguments(place(QString("away/%1").arg(i)))).exitCode, 0);
        }
        std::vector<std::unique_ptr<QProcess>> writers;
        for (int i = 0; i < 6; ++i) {
            auto& writer = writers.emplace_back(std::make_unique<QProcess>());
            writer->setProcessEnvironment(environment);
            writer->start(COSPADI_CLI, {"runs", "import", place("away")});
        }
        for (const auto& writer : writers) {
            QVERIFY(writer->waitForFinished());
            QVERIFY2(writer->exitCode() == 0, writer->readAllStandardError().constData());
        }
        QCOMPARE(static_cast<int>(run({"runs", "list", "--json"}).object()["runs"].size()), 3);

        // One that does not let go: readers go on, a writer gives up after its patience.
        QProcess holder;
        holder.start("python3", {"-c",
                                 "import sqlite3, sys\n"
                                 "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
                                 "c.execute('BEGIN IMMEDIATE')\n"
                                 "print('held', flush=True)\n"
                                 "sys.stdin.read()",
                                 home + "/runs/cospadi.sqlite"});
        QVERIFY(holder.waitForReadyRead());
        const json listed = run({"runs", "list", "--json"}).object();
        QCOMPARE(static_cast<int>(listed["runs"].size()), 3);
        const QString id = QString::fromStdString(listed["runs"][0]["id"]);
        const CliOutcome refused = run({"runs", "tag", id, "mine"});
        QCOMPARE(refused.exitCode, 1);
        QVERIFY2(
            refused.error.contains(home + "/runs/cospadi.sqlite: another process is writing to the "
                                          "run store (wait for it to finish, then try again)"),
            qPrintable(refused.error));
        holder.closeWriteChannel();
        QVERIFY(holder.waitForFinished());
        QCOMPARE(run({"runs", "tag", id, "mine"}).exitCode, 0);
    }

    // ---- read-only

    void sealedStoresAreReadAndNotWritten() {
        const QString home = newHome("sealed");
        QCOMPARE(run(compressArguments(home + "/runs/r")).exitCode, 0);
        const std::string store = (home + "/runs/cospadi.sqlite").toStdString();
        fs::permissions(store, fs::perms(0444));
        fs::permissions((home + "/runs").toStdString(), fs::perms(0555));
        // Permissions bind nobody who is root.
        const QStringList someone = ::geteuid() == 0 ? QStringList{"--reuid=65534", "--regid=65534",
                                                                   "--clear-groups", COSPADI_CLI}
                                                     : QStringList{COSPADI_CLI};
        const auto asSomeone = [&](const QStringList& arguments) {
            return run(someone + arguments, "setpriv");
        };
        if (asSomeone({"--version"}).exitCode != 0) {
            fs::permissions((home + "/runs").toStdString(), fs::perms(0755));
            QSKIP("the program cannot be started as another user here");
        }
        const CliOutcome listed = asSomeone({"runs", "list", "--json"});
        const CliOutcome reported = asSomeone({"report", "--metric", "error"});
        const CliOutcome tagged = asSomeone({"runs", "tag", "2", "mine"});
        fs::permissions((home + "/runs").toStdString(), fs::perms(0755));
        QVERIFY2(listed.exitCode == 0, qPrintable(listed.error));
        QCOMPARE(static_cast<int>(listed.object()["runs"].size()), 1);
        QVERIFY2(reported.exitCode == 0, qPrintable(reported.error));
        QCOMPARE(tagged.exitCode, 1);
        QVERIFY2(
            tagged.error.contains(home + "/runs/cospadi.sqlite: the run store is read-only (check "
                                         "the permissions of the file and its folder)"),
            qPrintable(tagged.error));
    }

    // ---- full disks: a small file system of their own, full to the last block

    void fullDisks_data() {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("says");
        QTest::addColumn<QString>("left");
        QTest::newRow("run directory")
            << "COSPADI_RUNS='%3/..' '%1' compress '%2' --method cospadi-free --no-model --out "
               "D/runs/new"
            << "D/runs/new/run.json: cannot be written: No space left on device (free some disk "
               "space and try again)"
            << "ls D/runs/new/matrices D/runs/new/result.json 2>/dev/null | grep -v :";
        QTest::newRow("store") << "'%1' runs import '%3'"
                               << "cospadi.sqlite: no space left for the run store (free some "
                                  "space and run `cospadi runs import`; the runs themselves are "
                                  "intact)"
                               << "true";
        QTest::newRow("export, gguf") << "'%1' export '%3' --format gguf --out D/model.gguf"
                                      << " MB are free (free some disk space and try again)"
                                      << "ls D | grep model";
        QTest::newRow("export, hf") << "'%1' export '%3' --format hf --out D/model"
                                    << " MB are free (free some disk space and try again)"
                                    << "ls D | grep model";
    }

    void fullDisks() {
        QFETCH(QString, command);
        QFETCH(QString, says);
        QFETCH(QString, left);
        static const QStringList mounts = ownMounts();
        if (mounts.isEmpty()) {
            QSKIP("no file system may be mounted here (unshare -m, tmpfs)");
        }
        newHome("full");
        const QString whole = place("full/runs/whole");
        if (!QFileInfo::exists(whole + "/result.json")) {
            QCOMPARE(run(compressArguments(whole)).exitCode, 0);
        }
        const QString disk = place("disk");
        QDir().mkpath(disk);
        environment.insert("COSPADI_RUNS", disk + "/runs");
        const QString script = QString(
                                   "mount -t tmpfs -o size=64k none D && mkdir D/runs || exit 9\n"
                                   "dd if=/dev/zero of=D/filler bs=4096 2>/dev/null\n"
                                   "[ $(stat -f -c %a D) = 0 ] || exit 8\n" +
                                   command + "; code=$?\n" + left + " >&2\nexit $code")
                                   .replace("%1", COSPADI_CLI)
                                   .replace("%2", kModel)
                                   .replace("%3", whole)
                                   .replace(QRegularExpression("\\bD\\b"), disk);
        const CliOutcome outcome = run(mounts + QStringList{"sh", "-c", script}, "unshare");
        QCOMPARE(outcome.exitCode, 1);
        says.replace(QRegularExpression("^D\\b"), disk);
        QVERIFY2(outcome.error.contains(says), qPrintable(outcome.error));
        // One line is the error; any other would be a name that was left.
        const QStringList lines = outcome.error.split('\n', Qt::SkipEmptyParts);
        QVERIFY2(lines.last().startsWith("cospadi: "), qPrintable(outcome.error));
        QVERIFY2(lines.last().contains("(") && lines.last().endsWith(")"),
                 qPrintable(outcome.error));
        QVERIFY(matrix_contents::ofRun(whole.toStdString()).size() ==
                14);  // earlier runs are intact
    }

  private:
    int m_killed = 0;
};

COSPADI_TEST(TestFaults)

}  // namespace tst_faults

#include "tst_faults.moc"
