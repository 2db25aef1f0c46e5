// What a real Slurm of one node cannot help: a disk that is full, a folder that the nodes do not
// see, a job that is over its time limit. Each is named, nothing is lost, and afterwards every run
// is there once and has the bits of a local one. Skipped where tst_slurm is.
#include <QtTest>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/core/slurm_under_test.h"
#include "tests/registered_test.h"

namespace tst_slurm_faults {

using nlohmann::json;
namespace fs = std::filesystem;

class TestSlurmFaults : public QObject, SlurmUnderTest {
    Q_OBJECT

    CliOutcome resume(const QString& name) const {
        return run({"sweep", "resume", sweepFile(name), "--json"});
    }

    // Whether a signal waits for a process that is halted.
    static bool isWaitedForBy(int process, int signal) {
        std::ifstream status("/proc/" + std::to_string(process) + "/status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("ShdPnd:")) {
                return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1U) != 0;
            }
        }
        return false;
    }

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        if (const QString none = startSlurm(); !none.isEmpty()) {
            QSKIP(qPrintable(none));
        }
    }

    void cleanupTestCase() {
        stopSlurm();
        umount2(qPrintable(place("small")), MNT_DETACH);
        umount2(qPrintable(place("hidden")), MNT_DETACH);
    }

    // Room for a task alone, so that of four jobs two are at work and two begin when it is full.
    void aFullDisk() {
        QDir().mkpath(place("small"));
        QVERIFY(mount("none", qPrintable(place("small")), "tmpfs", 0, "size=16m") == 0);
        QVERIFY(run(submitting("small", kSlow + QStringList{"--cr", "0.2,0.3,0.4,0.5"})).exitCode ==
                0);
        QVERIFY(areAtWork("small", {0, 1}));
        const QString filler = place("small/filler");
        run({"if=/dev/zero", "of=" + filler, "bs=4096"}, "dd");
        QVERIFY(comes([&] { return isIdle(); }));

        const json told = status("small");
        QCOMPARE(told.at("failed").get<int>(), 4);
        QVERIFY(QString::fromStdString(told.at("problem")).contains("No space left on device"));
        for (std::size_t job = 0; job < 4; ++job) {
            QCOMPARE(told.at("jobs").at(job).at("never").get<bool>(), false);
            const QString reason = reasonOf(told, job);
            // Those that had begun say it themselves, of the others Slurm knows the code.
            QVERIFY2(job < 2 ? reason.contains("No space left on device") ||
                                   reason.contains("the disk may be full")
                             : reason.contains("NonZeroExitCode"),
                     qPrintable(reason));
        }
        const QString codes = ask({"scontrol", "show", "job"});
        QVERIFY2(codes.count("ExitCode=1:0") >= 4, qPrintable(codes));
        // What has its final name is whole, and nothing else is left.
        std::size_t whole = 0;
        for (const json& job : jobsOf("small")) {
            const fs::path run = runOf("small", job);
            QVERIFY(!fs::exists(run / "result.json"));
            if (!fs::exists(run / "matrices")) {
                continue;
            }
            const auto here = localOf("small", job, kSlow);
            for (const auto& [matrix, content] : matrix_contents::ofRun(run)) {
                QVERIFY(here.at(matrix) == content);
                ++whole;
            }
        }
        QVERIFY(whole >= 2);
        for (const auto& entry :
             fs::recursive_directory_iterator(fs::path(place("small").toStdString()))) {
            QVERIFY2(entry.path().filename().string().find(".tmp.") == std::string::npos,
                     entry.path().c_str());
        }
        // Still full: it is refused by name, and nothing is submitted.
        const CliOutcome refused = resume("small");
        QCOMPARE(refused.exitCode, 1);
        QVERIFY2(refused.out.contains("No space left on device"), refused.out.constData());
        QVERIFY(isIdle());

        QVERIFY(QFile::remove(filler));
        QCOMPARE(resume("small").exitCode, 0);
        QVERIFY(isDone("small", 4));
        QCOMPARE(status("small").at("problem").get<std::string>(), std::string());
        compareWithLocalRuns("small", kSlow);
    }

    // The submitter has mounted it, the node has not: there its name is an empty folder.
    void aFolderThatTheNodeDoesNotSee() {
        const QString real = place("real");
        const QString hidden = place("hidden");
        QDir().mkpath(real);
        QDir().mkpath(hidden);
        const auto asSubmitter = [&](const QStringList& arguments) {
            return run(
                QStringList{"-m", "sh", "-c", R"(mount --bind "$0" "$1" && shift && exec "$@")",
                            real, hidden, COSPADI_CLI} +
                    arguments,
                "unshare");
        };
        const CliOutcome submitted =
            asSubmitter(submitting("hidden", kSlow + QStringList{"--cr", "0.2,0.3"}));
        QVERIFY2(submitted.exitCode == 0, qPrintable(submitted.error));
        QVERIFY(comes([&] { return isIdle(); }));

        const json told = asSubmitter({"sweep", "status", sweepFile("hidden"), "--json"}).object();
        QCOMPARE(told.at("failed").get<int>(), 2);
        const QString node = ask({"sinfo", "-h", "-o", "%n"});
        for (std::size_t job = 0; job < 2; ++job) {
            QCOMPARE(told.at("jobs").at(job).at("attempts").get<int>(), 0);
            const QString reason = reasonOf(told, job);
            QVERIFY2(
                reason.contains(QString("check that %1 can see and write %2 under the same path")
                                    .arg(node, hidden)),
                qPrintable(reason));
        }
        QVERIFY(!told.at("start_again").get<std::string>().empty());
        QVERIFY(QDir(hidden).isEmpty());

        // Where a log can be written, the job says it.
        const CliOutcome job = run({"job", "--sweep", sweepFile("hidden"), "--index", "0"});
        QCOMPARE(job.exitCode, 1);
        QVERIFY2(job.error.contains("cannot see the sweep file"), qPrintable(job.error));

        QVERIFY(mount(qPrintable(real), qPrintable(hidden), nullptr, MS_BIND, nullptr) == 0);
        QCOMPARE(resume("hidden").exitCode, 0);
        QVERIFY(isDone("hidden", 2));
        compareWithLocalRuns("hidden", kSlow);
    }

    // Slurm's own limit of a minute, and two halted jobs. One is woken when it is warned: it stops
    // and goes on from the queue. The other hears of it from Slurm's last signals alone, and is put
    // back by itself, or killed: then that is said, and it goes on when it is told to.
    void overTheTimeLimit() {
        QVERIFY(run(submitting("limit", kSlow + QStringList{"--cr", "0.2,0.3", "--time", "1"}))
                    .exitCode == 0);
        QVERIFY(areAtWork("limit", {0, 1}));
        json told = status("limit");
        const int warned = processOf(told, 0, false).toInt();
        const int deaf = processOf(told, 1, false).toInt();
        kill(warned, SIGSTOP);
        kill(deaf, SIGSTOP);
        QVERIFY(comes([&] { return isWaitedForBy(warned, SIGUSR1); }, 180'000));
        kill(warned, SIGCONT);
        QVERIFY(comes(
            [&] {
                hurry();
                told = status("limit");
                return stateOf(told, 0) == "done" && isIdle();
            },
            240'000));
        QCOMPARE(told.at("jobs").at(0).at("attempts").get<int>(), 2);
        told = status("limit");
        if (stateOf(told, 1) != "done") {
            QVERIFY2(reasonOf(told, 1).contains("TIMEOUT"), qPrintable(reasonOf(told, 1)));
            QCOMPARE(resume("limit").exitCode, 0);
        }
        QVERIFY(isDone("limit", 2));
        QCOMPARE(status("limit").at("jobs").at(1).at("attempts").get<int>(), 2);
        compareWithLocalRuns("limit", kSlow);
    }
};

COSPADI_TEST(TestSlurmFaults)

}  // namespace tst_slurm_faults

#include "tst_slurm_faults.moc"
