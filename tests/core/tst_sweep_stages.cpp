// The stages of a sweep's jobs: a calibration that several share is made once, evaluation follows
// compression on its own, and tasks are asked of what is compressed.
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/core/jobs_under_test.h"
#include "tests/core/oracle_data.h"
#include "tests/core/small_task_data.h"
#include "tests/registered_test.h"

namespace tst_sweep_stages {

using nlohmann::json;
namespace fs = std::filesystem;

class TestSweepStages : public QObject, JobsUnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        QVERIFY(QFileInfo::exists(model()));
    }

    // Jobs that share a calibration find it made; one alone made it.
    void calibratesOnce() {
        const QStringList grid{"--method",      "svd-llm", "--cr",     "0.2,0.3",
                               "--calibration", text(),    "--layers", "attn_k",
                               "--sequences",   "2",       "--length", "16"};
        QVERIFY(write("calibrated", grid).exitCode == 0);
        QCOMPARE(job("calibrated", 1, {"--stage", "calibrate"}).exitCode, kDone);
        QVERIFY(!fs::exists(runOf("calibrated", 1)));
        const fs::path states = place("calibrated/calibrations").toStdString();
        const auto attempts = [&] {
            std::vector<fs::path> files;
            for (const auto& entry : fs::recursive_directory_iterator(states)) {
                if (entry.is_regular_file()) {
                    files.push_back(entry.path());
                }
            }
            return files;
        };
        QCOMPARE(attempts().size(), std::size_t{1});
        const auto made = fs::last_write_time(attempts().front());
        const auto one = start("calibrated", 0);
        QCOMPARE(job("calibrated", 1).exitCode, kDone);
        QVERIFY(one->waitForFinished(120'000));
        QCOMPARE(one->exitCode(), kDone);
        QCOMPARE(attempts().size(), std::size_t{1});
        QVERIFY(fs::last_write_time(attempts().front()) == made);
        // Nothing of it lies in the user's own cache.
        QVERIFY(!QFileInfo::exists(place("cache/cospadi/grams")));
    }

    // Without a stage for it, jobs that begin at once calibrate once, too: the others wait.
    void jobsWaitForACalibration() {
        const QStringList grid{"--method",      "svd-llm", "--cr",     "0.2,0.3,0.4",
                               "--calibration", text(),    "--layers", "attn_k",
                               "--sequences",   "3",       "--length", "32"};
        QVERIFY(write("waiting", grid).exitCode == 0);
        std::vector<std::unique_ptr<QProcess>> processes;
        for (int index = 0; index < 3; ++index) {
            processes.push_back(start("waiting", index));
        }
        for (const auto& process : processes) {
            QVERIFY(process->waitForFinished(120'000));
            QCOMPARE(process->exitCode(), kDone);
        }
        std::size_t attempts = 0;
        for (const auto& entry : fs::recursive_directory_iterator(
                 fs::path(place("waiting/calibrations").toStdString()))) {
            attempts += entry.is_regular_file() ? 1 : 0;
        }
        QCOMPARE(attempts, std::size_t{1});
    }

    void evaluatesInAStageOfItsOwn() {
        QVERIFY(write("measured", kQuick + QStringList{"--evaluate", text(), "--context", "16"})
                    .exitCode == 0);
        QCOMPARE(job("measured", 0, {"--stage", "evaluate"}).exitCode, kFailed);
        QCOMPARE(job("measured", 0, {"--stage", "compress"}).exitCode, kDone);
        json told = status("measured")["jobs"][0];
        QCOMPARE(told["state"].get<std::string>(), std::string("waiting"));
        QCOMPARE(told["reason"].get<std::string>(), std::string("compressed, not evaluated yet"));
        QCOMPARE(job("measured", 0, {"--stage", "evaluate"}).exitCode, kDone);
        QCOMPARE(status("measured")["done"].get<int>(), 1);
        std::ifstream file(stateOf("measured", 0) / "result.json");
        const double measured = json::parse(file)["perplexity"];
        QVERIFY(!local(kQuick, "measured-local").empty());
        const json here = run({"evaluate", place("measured-local"), "--perplexity", text(),
                               "--context", "16", "--json"})
                              .object();
        QCOMPARE(measured, here["perplexity"].get<double>());
    }

    // Sweeps that measure the same runs differently are both done, and so the store hears of both.
    void sweepsOfAFolderMeasureSideBySide() {
        useRuns("side-by-side");
        const auto written = [&](const QString& name, const QStringList& more) {
            const QString file = place("shared/" + name + ".json");
            const CliOutcome outcome =
                run(QStringList{"sweep", model()} + kQuick + QStringList{"--evaluate", text()} +
                    more + QStringList{"--write-jobs", file});
            return outcome.exitCode == 0 ? file : QString();
        };
        const QString first = written("first", {"--context", "16"});
        const QString second = written("second", {"--context", "8", "--name", "second"});
        const QString third = written("third", {"--context", "16", "--name", "third"});
        const auto told = [&](const QString& file) {
            return run({"sweep", "status", file, "--json"}).object();
        };
        const auto isDone = [&](const QString& file) {
            return run({"job", "--sweep", file, "--left"}).exitCode == kDone &&
                   told(file)["done"].get<int>() == 1;
        };
        QVERIFY(isDone(first));
        QVERIFY(isDone(second));
        const json one = told(first);
        QCOMPARE(one["done"].get<int>(), 1);
        QCOMPARE(one["known"].get<int>(), 1);
        QVERIFY(one["jobs"][0]["perplexity"] != told(second)["jobs"][0]["perplexity"]);
        const auto runsOf = [&](const QString& name) {
            return run({"runs", "list", "--sweep", name, "--json"}).object()["runs"];
        };
        QCOMPARE(runsOf("second").size(), std::size_t{1});
        QCOMPARE(runsOf("second")[0]["evaluations"].size(), std::size_t{2});
        // One that has nothing to add leaves its name.
        QCOMPARE(runsOf("third").size(), std::size_t{0});
        QCOMPARE(told(third)["known"].get<int>(), 1);
        QCOMPARE(runsOf("third").size(), std::size_t{1});
        useRuns("runs");
    }

    // A run without its matrices, as archives of results have runs, is made again only where
    // something is left to measure of it.
    void aRecordIsEnoughOfWhatIsMeasured() {
        const QStringList measured = kQuick + QStringList{"--evaluate", text()};
        QVERIFY(write("record", measured + QStringList{"--context", "16"}).exitCode == 0);
        QCOMPARE(job("record", 0).exitCode, kDone);
        const fs::path matrices = runOf("record", 0) / "matrices";
        const fs::path result = stateOf("record", 0) / "result.json";
        const std::string before = oracle::text(result);
        fs::remove_all(matrices);
        for (const char* stage : {"evaluate", "all"}) {
            fs::remove(result);
            QCOMPARE(job("record", 0, {"--stage", stage}).exitCode, kDone);
            QVERIFY(!fs::exists(matrices));
            QCOMPARE(oracle::text(result), before);
        }
        const QString other = place("record/other.json");
        QVERIFY(run(QStringList{"sweep", model()} + measured +
                    QStringList{"--context", "8", "--write-jobs", other})
                    .exitCode == 0);
        const QStringList one{"job", "--sweep", other, "--index", "0", "--json"};
        QCOMPARE(run(one + QStringList{"--stage", "evaluate"}).exitCode, kFailed);
        QVERIFY(!fs::exists(matrices));
        QCOMPARE(run(one).exitCode, kDone);
        QVERIFY(fs::exists(matrices));
    }

    // Model folders are added to runs that a sweep without them made, with nothing solved again.
    void modelFoldersAreAdded() {
        QVERIFY(write("modelled", kQuick).exitCode == 0);
        QCOMPARE(job("modelled", 0).exitCode, kDone);
        const fs::path made = runOf("modelled", 0);
        QVERIFY(!fs::exists(made / "model"));
        const fs::path matrix = fs::directory_iterator(made / "matrices")->path();
        const auto compressed = fs::last_write_time(matrix);
        const QString other = place("modelled/with-models.json");
        QVERIFY(run(QStringList{"sweep", model()} + kQuick +
                    QStringList{"--models", "--write-jobs", other})
                    .exitCode == 0);
        const QStringList one{"job", "--sweep", other, "--index", "0", "--json"};
        for (const bool isThere : {false, true}) {
            const CliOutcome done = run(one);
            QVERIFY2(done.exitCode == kDone, qPrintable(done.error));
            QCOMPARE(done.object()["jobs"][0]["earlier"].get<bool>(), isThere);
            QVERIFY(fs::exists(made / "model"));
        }
        QVERIFY(fs::last_write_time(matrix) == compressed);
    }

    // Tasks are a part of the stage; another sweep of the folder finds what is compressed.
    void asksTasksOfWhatIsCompressed() {
        const fs::path data = place("questions").toStdString();
        fs::create_directories(data);
        small_task_data::writeLines(data / "piqa.jsonl", small_task_data::kQuestions);
        QVERIFY(write("asked", kQuick).exitCode == 0);
        QCOMPARE(job("asked", 0).exitCode, kDone);
        const fs::path matrix = fs::directory_iterator(runOf("asked", 0) / "matrices")->path();
        const auto compressed = fs::last_write_time(matrix);
        const QString other = place("asked/with-tasks.json");
        QVERIFY(run(QStringList{"sweep", model()} + kQuick +
                    QStringList{"--tasks", "piqa", "--data", place("questions"), "--limit", "2",
                                "--write-jobs", other})
                    .exitCode == 0);
        const auto told = [&] { return run({"sweep", "status", other, "--json"}).object(); };
        QCOMPARE(told()["jobs"][0]["reason"].get<std::string>(),
                 std::string("compressed, not evaluated yet"));
        const QStringList one{"job", "--sweep", other, "--index", "0", "--json"};
        QCOMPARE(run(one + QStringList{"--stage", "evaluate"}).exitCode, kDone);
        QVERIFY(fs::last_write_time(matrix) == compressed);
        QCOMPARE(told()["done"].get<int>(), 1);
        QVERIFY(run(one).object()["jobs"][0]["earlier"].get<bool>());
        const json here =
            run({"evaluate", QString::fromStdString(runOf("asked", 0).string()), "--tasks", "piqa",
                 "--data", place("questions"), "--limit", "2", "--json"})
                .object();
        QCOMPARE(here["items"].get<int>(), 0);  // it has the answers
        QCOMPARE(here["results"][0]["samples"].get<int>(), 2);
        // Other data than when the sweep was written: never, and nothing is asked.
        const QString late = place("late/sweep.json");
        QVERIFY(
            run(QStringList{"sweep", model()} + kQuick +
                QStringList{"--tasks", "piqa", "--data", place("questions"), "--write-jobs", late})
                .exitCode == 0);
        std::ofstream(data / "piqa.jsonl", std::ios::app) << small_task_data::kQuestions[0] << "\n";
        const CliOutcome never = run({"job", "--sweep", late, "--index", "0", "--json"});
        QCOMPARE(never.exitCode, kNever);
        const std::string reason = never.object()["jobs"][0]["reason"];
        QVERIFY2(reason.find("the data of the tasks has changed") != std::string::npos,
                 reason.c_str());
        QVERIFY(!fs::exists(fs::path(place("late/runs").toStdString())));  // nor compressed
    }
};

COSPADI_TEST(TestSweepStages)

}  // namespace tst_sweep_stages

#include "tst_sweep_stages.moc"
