// Sweeps on a real Slurm of one node, which the test starts and ends: needs root, munge and
// slurm-wlm, else it is skipped. Whatever happens to jobs, afterwards every run is there once and
// has the bits of a local one.
#include <QtTest>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/core/slurm_under_test.h"
#include "tests/registered_test.h"

namespace tst_slurm {

using nlohmann::json;
namespace fs = std::filesystem;

class TestSlurm : public QObject, SlurmUnderTest {
    Q_OBJECT

    // Both submit the same at once. How many tasks of each stage they have started together.
    std::map<std::string, std::size_t> submitTwice(const QString& name, const QStringList& grid) {
        QProcess both[2];
        for (QProcess& process : both) {
            process.setProcessEnvironment(environment);
            process.start(COSPADI_CLI, submitting(name, grid));
        }
        std::map<std::string, std::size_t> tasks;
        for (QProcess& process : both) {
            if (!process.waitForFinished(120'000) || process.exitCode() != 0) {
                qWarning("%s", process.readAllStandardError().constData());
                return {};
            }
            const json told = json::parse(process.readAllStandardOutput().toStdString());
            for (const json& array : told.at("arrays")) {
                tasks[array.at("stage")] += array.at("tasks").get<std::size_t>();
            }
        }
        return tasks;
    }

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        if (const QString none = startSlurm(); !none.isEmpty()) {
            QSKIP(qPrintable(none));
        }
    }

    void cleanupTestCase() { stopSlurm(); }

    void wrongWordsAreToldBySlurm_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("says");
        QTest::newRow("partition") << QStringList{"--partition", "nowhere"} << "invalid partition";
        QTest::newRow("memory") << QStringList{"--mem", "900T"} << "not available";
        QTest::newRow("devices") << QStringList{"--device", "cuda", "--gpus", "8"}
                                 << "Invalid generic resource";
    }

    // Nothing is begun then, and nobody can be told to go on as before.
    void wrongWordsAreToldBySlurm() {
        QFETCH(QStringList, words);
        QFETCH(QString, says);
        const QString name = QString("wrong-") + QTest::currentDataTag();
        const CliOutcome outcome = run(submitting(name, QStringList{"--method", "svd"} + words));
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.error.contains(says), qPrintable(outcome.error));
        QVERIFY(isIdle());
        QCOMPARE(status(name).at("waiting").get<int>(), 1);
        QCOMPARE(run({"sweep", "resume", sweepFile(name)}).exitCode, 1);
    }

    // A controller that cannot be asked is named; how far the sweep is can be told all the same.
    void noController() {
        QVERIFY(run(submitting("away", {"--method", "svd"})).exitCode == 0);
        QVERIFY(isDone("away", 1));
        QVERIFY(run(submitting("other", kSlow)).exitCode == 0);
        const QString configuration = environment.value("SLURM_CONF");
        environment.insert("SLURM_CONF", place("nowhere.conf"));
        const CliOutcome resumed = run({"sweep", "resume", sweepFile("other")});
        const CliOutcome cancelled = run({"sweep", "cancel", sweepFile("other")});
        const json told = status("away");
        const json other = status("other");
        environment.insert("SLURM_CONF", configuration);
        QCOMPARE(resumed.exitCode, 1);
        QVERIFY2(resumed.error.contains("Slurm does not answer"), qPrintable(resumed.error));
        QCOMPARE(cancelled.exitCode, 1);
        QVERIFY2(cancelled.error.contains("Slurm did not return"), qPrintable(cancelled.error));
        QCOMPARE(told.at("done").get<int>(), 1);
        QVERIFY(other.at("running") == 1 || other.at("done") == 1 ||
                other.at("problem").get<std::string>().starts_with("Slurm did not return"));
        QVERIFY(isDone("other", 1));
        QCOMPARE(status("other").at("jobs").at(0).at("attempts").get<int>(), 1);
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
        QVERIFY(
            (submitTwice("both", grid) == std::map<std::string, std::size_t>{
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

    // Forty on two processors, by two submitters at once; while they go on, jobs are killed and
    // cancelled and the node goes down. What is lost is submitted again until nothing is.
    void fortyJobs() {
        const QStringList settings{"--method",     "cospadi-free", "--solver",    "ksvd",
                                   "--iterations", "60",           "--tolerance", "0"};
        QStringList ratios;
        for (int i = 0; i < 40; ++i) {
            ratios << QString::number(0.10 + 0.01 * i);
        }
        const QStringList grid =
            settings + QStringList{"--cr",       ratios.join(','), "--name",    "forty",
                                   "--evaluate", text(),           "--context", "16"};
        QVERIFY((submitTwice("forty", grid) ==
                 std::map<std::string, std::size_t>{{"compress", 40}, {"evaluate", 40}}));
        const QString node = ask({"sinfo", "-h", "-o", "%n"});
        int kills = 0;
        int cancels = 0;
        int falls = 0;
        std::set<std::size_t> hit;
        const auto disturb = [&](const json& told) {
            for (std::size_t job = 0; job < told.at("jobs").size(); ++job) {
                if (stateOf(told, job) != "running" || !hit.insert(job).second) {
                    continue;
                }
                if (kills < 6 && kills <= cancels) {
                    kills += kill(processOf(told, job, false).toInt(), SIGKILL) == 0 ? 1 : 0;
                } else if (cancels < 6) {
                    ask({"scancel", processOf(told, job, true)});
                    ++cancels;
                } else if (falls == 0) {
                    ask({"scontrol", "update", "nodename=" + node, "state=down", "reason=test"});
                    ask({"scontrol", "update", "nodename=" + node, "state=resume"});
                    ++falls;
                }
                return;
            }
        };
        QVERIFY(comes(
            [&] {
                const json told = status("forty");
                disturb(told);
                hurry();
                if (told.at("done") != 40 && isIdle()) {
                    run({"sweep", "resume", sweepFile("forty")});
                }
                return told.at("done") == 40;
            },
            600'000));
        QVERIFY(kills == 6 && cancels == 6 && falls == 1);
        QCOMPARE(run({"runs", "list", "--sweep", "forty", "--json"}).object().at("runs").size(),
                 std::size_t{40});
        const auto entries = fs::directory_iterator(place("forty/runs").toStdString());
        QCOMPARE(std::count_if(begin(entries), end(entries),
                               [](const fs::directory_entry& e) { return e.is_directory(); }),
                 std::ptrdiff_t{40});
        compareWithLocalRuns("forty", settings);
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
