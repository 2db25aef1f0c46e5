// Sweeps on a real Slurm of one node, which the test starts and ends: needs root, munge and
// slurm-wlm, else it is skipped. Whatever happens to jobs, afterwards every run is there once and
// has the bits of a local one.
#include <unistd.h>

#include <QStandardPaths>
#include <QtTest>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/core/cli_under_test.h"
#include "tests/core/matrix_contents.h"
#include "tests/registered_test.h"

namespace tst_slurm {

using nlohmann::json;
namespace fs = std::filesystem;

class TestSlurm : public QObject, CliUnderTest {
    Q_OBJECT

    const QString kOneNode = COSPADI_SOURCE_DIR "/tests/slurm/one-node";
    const QStringList kSlow{"--method",     "cospadi-free", "--solver",    "ksvd",
                            "--iterations", "300",          "--tolerance", "0"};
    bool m_runs = false;

    QString sweepFile(const QString& name) const { return place(name + "/sweep.json"); }

    QStringList submitting(const QString& name, const QStringList& grid) const {
        return QStringList{"sweep", model()} + grid +
               QStringList{"--write-jobs", sweepFile(name), "--on", "slurm", "--json"};
    }

    json status(const QString& name) const {
        return run({"sweep", "status", sweepFile(name), "--json"}).object();
    }

    static std::string stateOf(const json& told, std::size_t job) {
        return told.at("jobs").at(job).at("state");
    }

    QString ask(const QStringList& command) const {
        return QString::fromUtf8(run(command.mid(1), command.front()).out).trimmed();
    }

    static bool comes(const std::function<bool()>& condition) {
        return QTest::qWaitFor(condition, 120'000);
    }

    bool isDone(const QString& name, int jobs) const {
        return comes([&] { return status(name).at("done") == jobs; });
    }

    // Of "4711 on HOST, slurm 17_3" the part that stands where.
    static QString processOf(const json& told, std::size_t job, bool scheduler) {
        const QString text =
            QString::fromStdString(told.at("jobs").at(job).at("process").get<std::string>());
        return scheduler ? text.section("slurm ", 1) : text.section(' ', 0, 0);
    }

    // Of every job of the file, its matrices against those of `compress`.
    void compareWithLocalRuns(const QString& name, const QStringList& settings) {
        const json sweep = json::parse(oracle::text(sweepFile(name).toStdString()));
        for (const json& job : sweep.at("jobs")) {
            const double cr = job.at("specification").at("cr");
            const QString out = place(QString("%1-local-%2").arg(name).arg(cr));
            const CliOutcome made = run(QStringList{"compress", model(), "--no-model", "--out", out,
                                                    "--cr", QString::number(cr)} +
                                        settings);
            QVERIFY2(made.exitCode == 0, qPrintable(made.error));
            const fs::path there =
                fs::path(place(name).toStdString()) / "runs" / job.at("id").get<std::string>();
            QVERIFY(matrix_contents::ofRun(there) == matrix_contents::ofRun(out.toStdString()));
        }
    }

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        environment.insert("PATH", environment.value("PATH") + ":/usr/sbin");
        const QStringList path = environment.value("PATH").split(':');
        for (const char* program : {"munged", "slurmctld", "slurmd", "sbatch"}) {
            if (QStandardPaths::findExecutable(program, path).isEmpty()) {
                QSKIP(qPrintable(
                    QString("no %1: slurm-wlm and munge are not installed").arg(program)));
            }
        }
        if (geteuid() != 0) {
            QSKIP("a Slurm of one's own needs root");
        }
        QStringList lines{"MaxArraySize=4"};
        if (environment.contains("COSPADI_TEST_SLURM_PLUGINS")) {
            lines << "PluginDir=" + environment.value("COSPADI_TEST_SLURM_PLUGINS");
        }
        m_runs = true;  // from here on there may be something to end
        const CliOutcome started = run(QStringList{"start", place("node")} + lines, kOneNode);
        QVERIFY2(started.exitCode == 0, qPrintable(started.error));
        environment.insert("SLURM_CONF", place("node/slurm.conf"));
    }

    void cleanupTestCase() {
        if (m_runs) {
            ask({"scancel", "--user=root"});
            run({"stop", place("node")}, kOneNode);
        }
    }

    void wrongWordsAreToldBySlurm() {
        const CliOutcome outcome =
            run(submitting("wrong", {"--method", "svd", "--partition", "nowhere"}));
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.error.contains("invalid partition"), qPrintable(outcome.error));
        QCOMPARE(ask({"squeue", "-h"}), QString());
    }

    // Two submit the same at once, in two arrays each; every job is begun once a stage.
    void twoSubmitters() {
        const QStringList settings{"--method",      "svd-llm", "--layers",    "attn_",
                                   "--calibration", text(),    "--sequences", "2",
                                   "--length",      "16"};
        const QStringList grid = settings + QStringList{"--cr",       "0.1,0.2,0.3,0.4,0.5,0.6",
                                                        "--name",     "tiny",
                                                        "--evaluate", text(),
                                                        "--context",  "16"};
        QProcess both[2];
        for (QProcess& process : both) {
            process.setProcessEnvironment(environment);
            process.start(COSPADI_CLI, submitting("both", grid));
        }
        std::map<std::string, std::size_t> tasks;
        for (QProcess& process : both) {
            QVERIFY(process.waitForFinished(120'000));
            QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
            const json told = json::parse(process.readAllStandardOutput().toStdString());
            for (const json& array : told.at("arrays")) {
                tasks[array.at("stage")] += array.at("tasks").get<std::size_t>();
                QVERIFY(array.at("tasks") <= 4);
            }
        }
        QVERIFY((tasks == std::map<std::string, std::size_t>{
                              {"calibrate", 1}, {"compress", 6}, {"evaluate", 6}}));
        QVERIFY(isDone("both", 6));
        const json told = status("both");
        for (const json& job : told.at("jobs")) {
            QCOMPARE(job.at("attempts").get<int>(), 2);  // to compress and to evaluate
        }
        QCOMPARE(run({"runs", "list", "--sweep", "tiny", "--json"}).object().at("runs").size(),
                 std::size_t{6});
        compareWithLocalRuns("both", settings);
        // What is done is not submitted again.
        const json again = run(submitting("both", grid)).object();
        QVERIFY(again.at("arrays").empty());
        QCOMPARE(again.at("done").get<int>(), 6);
    }

    // One job is killed, one cancelled; told to start again, both go on.
    void killedAndCancelled() {
        const QStringList grid = kSlow + QStringList{"--cr", "0.2,0.3"};
        QVERIFY(run(submitting("ended", grid)).exitCode == 0);
        json told;
        QVERIFY(comes([&] {
            told = status("ended");
            return told.at("running") == 2 && told.at("jobs").at(0).at("matrices") > 0 &&
                   told.at("jobs").at(1).at("matrices") > 0;
        }));
        kill(processOf(told, 0, false).toInt(), SIGKILL);
        ask({"scancel", processOf(told, 1, true)});
        QVERIFY(comes([&] {
            told = status("ended");
            return told.at("running") == 0 && ask({"squeue", "-h"}).isEmpty();
        }));
        QCOMPARE(stateOf(told, 0), std::string("lost"));
        QVERIFY(stateOf(told, 1) == "waiting" || stateOf(told, 1) == "lost");
        const QString line = QString::fromStdString(told.at("start_again"));
        QVERIFY2(line.contains("--on slurm"), qPrintable(line));
        QCOMPARE(run(line.split(' ').mid(1)).exitCode, 0);
        QVERIFY(isDone("ended", 2));
        compareWithLocalRuns("ended", kSlow);
    }

    // By the program's own words: a job is cancelled while another goes on, then all are, and what
    // is missing is submitted as before.
    void cancelledAndResumed() {
        QVERIFY(run(submitting("own", kSlow + QStringList{"--cr", "0.2,0.3", "--time", "30"}))
                    .exitCode == 0);
        QVERIFY(comes([&] {
            const json told = status("own");
            return told.at("jobs").at(0).at("matrices") > 0 &&
                   told.at("jobs").at(1).at("matrices") > 0;
        }));
        const auto cancel = [&](const QStringList& more) {
            return run(QStringList{"sweep", "cancel", sweepFile("own"), "--json"} + more).object();
        };
        json answer = cancel({"--index", "0"});
        QCOMPARE(answer.at("on_slurm").get<bool>(), true);
        QCOMPARE(answer.at("cancelled").get<int>(), 1);
        QVERIFY(comes([&] { return stateOf(status("own"), 0) != "running"; }));
        QCOMPARE(stateOf(status("own"), 1), std::string("running"));
        QVERIFY(cancel({}).at("cancelled").get<int>() >= 1);
        QVERIFY(comes([&] {
            return status("own").at("running") == 0 && ask({"squeue", "-h"}).isEmpty();
        }));
        const json resumed = run({"sweep", "resume", sweepFile("own"), "--json"}).object();
        QCOMPARE(resumed.at("problem").get<std::string>(), std::string());
        QVERIFY(comes([&] {  // with the options of the first time
            return ask({"squeue", "-h", "-o", "%l"}).contains("30:00") ||
                   status("own").at("done") == 2;
        }));
        QVERIFY(isDone("own", 2));
        compareWithLocalRuns("own", kSlow);
        QVERIFY(run({"sweep", "resume", sweepFile("own"), "--json"}).object().at("arrays").empty());
    }

    // Slurm announces that time is up: the job is put back into the queue by itself, and goes on.
    void timeIsUp() {
        QVERIFY(run(submitting("time", kSlow)).exitCode == 0);
        json told;
        QVERIFY(comes([&] {
            told = status("time");
            return told.at("running") == 1 && told.at("jobs").at(0).at("matrices") > 0;
        }));
        const QString task = processOf(told, 0, true);
        ask({"scancel", "--signal=USR1", "--batch", task});
        QVERIFY(comes([&] {
            return ask({"scontrol", "show", "job", task}).contains("Restarts=1") &&
                   ask({"squeue", "-h", "-o", "%t"}) == "PD";
        }));
        // Slurm holds what was put back for two minutes.
        QVERIFY(comes([&] {
            ask({"scontrol", "update", "jobid=" + task, "starttime=now"});
            return status("time").at("done") == 1;
        }));
        QVERIFY(status("time").at("jobs").at(0).at("attempts") == 2);
        compareWithLocalRuns("time", kSlow);
    }

    // The node goes down in the middle of a job and comes back.
    void theNodeGoesDown() {
        QVERIFY(run(submitting("down", kSlow)).exitCode == 0);
        QVERIFY(comes([&] {
            const json told = status("down");
            return told.at("running") == 1 && told.at("jobs").at(0).at("matrices") > 0;
        }));
        const QString node = ask({"sinfo", "-h", "-o", "%n"});
        ask({"scontrol", "update", "nodename=" + node, "state=down", "reason=test"});
        QVERIFY(comes([&] { return status("down").at("running") == 0; }));
        QVERIFY(status("down").at("done") == 0);
        ask({"scontrol", "update", "nodename=" + node, "state=resume"});
        QVERIFY(comes([&] {
            const QString task = ask({"squeue", "-h", "-o", "%i"});
            if (!task.isEmpty()) {
                ask({"scontrol", "update", "jobid=" + task, "starttime=now"});
            }
            return status("down").at("done") == 1;
        }));
        compareWithLocalRuns("down", kSlow);
    }
};

COSPADI_TEST(TestSlurm)

}  // namespace tst_slurm

#include "tst_slurm.moc"
