// Sweeps from the command line that ask tasks: of what is compressed, each once, by the engine and
// by lm-eval.
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/core/cli_under_test.h"
#include "tests/core/small_task_data.h"
#include "tests/registered_test.h"

namespace tst_cli_sweep_tasks {

using nlohmann::json;
namespace fs = std::filesystem;

class TestCliSweepTasks : public QObject, CliUnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        useDefaultRuns();
    }

    // Compression, perplexity and tasks are one job: each is done once, and what is missing alone.
    void tasksArePartOfAJob() {
        environment.insert("COSPADI_RUNS", place("asked/runs"));
        const fs::path data = place("asked/data").toStdString();
        fs::create_directories(data);
        small_task_data::writeLines(data / "piqa.jsonl", small_task_data::kQuestions);
        const QStringList grid{"sweep",   model(),    "--method", "svd",   "--cr",
                               "0.2,0.3", "--layers", "attn_k",   "--json"};
        const QStringList tasks{"--tasks", "piqa", "--data", QString::fromStdString(data.string())};
        const QStringList text16{"--evaluate", text(), "--context", "16"};
        const json bare = run(grid).object();
        QCOMPARE(bare["finished"].get<int>(), 2);
        QVERIFY(!bare["jobs"][0].contains("task_results"));
        const fs::path folder = bare["jobs"][0]["directory"].get<std::string>();
        const fs::path matrix = folder / "matrices" / "blk.0.attn_k.safetensors";
        auto compressed = fs::last_write_time(matrix);

        // What is compressed is left to measure alone, and the plan says so.
        const QStringList whole = grid + tasks + text16;
        const CliOutcome planned = run(whole + QStringList{"--dry-run"});
        const json plan = planned.object();
        for (const json& job : plan.at("jobs")) {
            QCOMPARE(job["state"].get<std::string>(), std::string("finished"));
            QCOMPARE(job["left_to_measure"].dump(), std::string(R"(["perplexity","piqa"])"));
            QVERIFY(job["evaluation_seconds"].get<double>() > 0);
        }
        QCOMPARE(plan["evaluation_seconds"].get<double>(),
                 2 * plan["jobs"][0]["evaluation_seconds"].get<double>());
        QVERIFY(!fs::exists(folder / "evaluations"));
        QStringList told = whole + QStringList{"--dry-run"};
        told.removeAll("--json");
        const QByteArray words = run(told).out;
        QVERIFY(words.contains("In addition, measuring, ~"));  // nothing of the kind was timed
        QVERIFY2(
            words.contains("perplexity of 2 runs, piqa of 2 runs; all tasks are 3 items per run; "
                           "2 runs of these are compressed already"),
            words.constData());

        const CliOutcome asked = run(whole);
        QVERIFY2(asked.exitCode == 0, qPrintable(asked.error));
        const json answers = asked.object();
        QCOMPARE(answers["skipped"].get<int>(), 0);
        QVERIFY(fs::last_write_time(matrix) == compressed);
        for (const json& job : answers.at("jobs")) {
            QVERIFY(job["perplexity"].get<double>() > 0);
            const QString id = QString::fromStdString(job["run"]);
            const json alone = run({"evaluate", id, "--tasks", "piqa", "--data",
                                    QString::fromStdString(data.string()), "--again", "--json"})
                                   .object();
            QCOMPARE(job["task_results"].size(), std::size_t{2});
            QCOMPARE(job["task_results"].dump(), alone["results"].dump());
            // acc of three questions is a third of a whole number.
            const double thirds = 3 * job["task_results"][0]["value"].get<double>();
            QVERIFY(std::abs(thirds - std::round(thirds)) < 1e-12);
            QCOMPARE(job["task_results"][0]["samples"].get<int>(), 3);
        }
        const json again = run(whole).object();
        QCOMPARE(again["skipped"].get<int>(), 2);
        QCOMPARE(again["jobs"][0]["task_results"].dump(),
                 answers["jobs"][0]["task_results"].dump());

        // Without its matrices, as archives of results have runs, one counts until something is to
        // be measured of it.
        fs::remove_all(folder / "matrices");
        QCOMPARE(run(whole).object()["skipped"].get<int>(), 2);
        QVERIFY(!fs::exists(folder / "matrices"));
        const json enough = run(whole + QStringList{"--dry-run"}).object();
        QCOMPARE(enough["jobs"][0]["state"].get<std::string>(), std::string("finished"));
        QCOMPARE(enough["seconds"].get<double>(), 0.0);
        QStringList another =
            grid + tasks + QStringList{"--evaluate", text(), "--context", "8", "--dry-run"};
        const json lacking = run(another).object();
        QCOMPARE(lacking["jobs"][0]["state"].get<std::string>(), std::string("incomplete"));
        QCOMPARE(lacking["jobs"][1]["state"].get<std::string>(), std::string("finished"));
        QVERIFY(lacking["jobs"][0]["seconds"].get<double>() > 0);
        QCOMPARE(lacking["seconds"], lacking["jobs"][0]["seconds"]);
        QCOMPARE(lacking["bytes"], lacking["jobs"][0]["bytes"]);
        another.removeAll("--json");
        const QByteArray explained = run(another).out;
        QVERIFY2(explained.contains("incomplete: the run is finished, but some or all") &&
                     explained.contains("; 1 run of these is compressed already"),
                 explained.constData());
        QVERIFY(run(grid + tasks + QStringList{"--evaluate", text(), "--context", "8"}).exitCode ==
                0);
        QVERIFY(fs::exists(matrix));
        compressed = fs::last_write_time(matrix);

        // Another number of items is another question, and so is other data.
        QStringList limited = whole + QStringList{"--limit", "2", "--dry-run"};
        QCOMPARE(run(limited).object()["jobs"][0]["left_to_measure"].dump(),
                 std::string(R"(["piqa"])"));
        QCOMPARE(run(whole + QStringList{"--limit", "2"})
                     .object()["jobs"][0]["task_results"][0]["samples"]
                     .get<int>(),
                 2);
        // An answer that is lost is asked for again, of that run alone.
        const json third = run(whole + QStringList{"--dry-run"}).object();
        QVERIFY(third["jobs"][0]["left_to_measure"].empty());
        QVERIFY(!third["jobs"][0].contains("evaluation_seconds"));
        QCOMPARE(third["evaluation_seconds"].get<double>(), 0.0);
        for (const auto& entry : fs::directory_iterator(folder / "evaluations")) {
            if (entry.path().filename().string().starts_with("lm-eval-")) {
                fs::remove_all(entry.path());
            }
        }
        QCOMPARE(run(whole).object()["skipped"].get<int>(), 1);
        QVERIFY(fs::last_write_time(matrix) == compressed);

        // The mean is a metric: of tables, of filters, and of a run by itself.
        const json table =
            run({"report", "--metric", "avg_acc:piqa", "--limit", "2", "--json"}).object();
        QCOMPARE(table["rows"].size(), std::size_t{1});
        const CliOutcome none = run({"report", "--metric", "avg_acc"});
        QCOMPARE(none.exitCode, 1);
        QVERIFY2(none.error.contains("lacks hellaswag, lambada_openai"), qPrintable(none.error));
        QCOMPARE(run({"report", "--metric", "avg_acc:piqa+"}).exitCode, 2);
        const json above =
            run({"runs", "list", "--where", "avg_acc:piqa>=0", "--where", "cr<0.25", "--json"})
                .object();
        QCOMPARE(above["runs"].size(), std::size_t{1});
        QVERIFY(above["runs"][0]["avg_acc"].is_null());
        QCOMPARE(above["runs"][0]["avg_acc_lacks"].size(), std::size_t{7});
        QCOMPARE(
            run({"runs", "list", "--where", "avg_acc:piqa>1", "--json"}).object()["runs"].size(),
            std::size_t{0});

        // What is wrong is told before anything is made.
        environment.insert("COSPADI_RUNS", place("refused/runs"));
        CliOutcome wrong = run(grid + QStringList{"--tasks", "piqua"});
        QCOMPARE(wrong.exitCode, 2);
        QVERIFY2(wrong.error.contains("did you mean piqa"), qPrintable(wrong.error));
        QCOMPARE(run(grid + QStringList{"--limit", "5"}).exitCode, 2);
        QCOMPARE(run(grid + QStringList{"--tasks", "piqa", "--tasks-by", "me"}).exitCode, 2);
        const QString unnamed = place("refused/unnamed.json");
        fs::create_directories(fs::path(unnamed.toStdString()).parent_path());
        std::ofstream(unnamed.toStdString()) << json{{"model", model().toStdString()},
                                                     {"method", "svd"},
                                                     {"cr", 0.2},
                                                     {"evaluate", {{"tasks", {{"limit", 2}}}}}};
        wrong = run({"sweep", unnamed});
        QCOMPARE(wrong.exitCode, 1);
        QVERIFY2(wrong.error.contains("evaluate.tasks"), qPrintable(wrong.error));
        for (const QString ofText : {"--context", "--max-tokens"}) {
            wrong = run(grid + QStringList{ofText, "16"});
            QCOMPARE(wrong.exitCode, 2);
            QVERIFY2(wrong.error.contains(ofText + ": applies to a text"), qPrintable(wrong.error));
        }
        wrong = run(grid + QStringList{"--tasks", "piqa,sciq", "--data",
                                       QString::fromStdString(data.string())});
        QCOMPARE(wrong.exitCode, 1);
        QVERIFY2(wrong.error.contains("the data of sciq is missing"), qPrintable(wrong.error));
        QVERIFY(QDir(place("refused/runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).isEmpty());
        environment.remove("COSPADI_RUNS");
    }

    // The same by lm-eval, here one that answers as it is told and writes down what it was asked.
    void tasksByLmEval() {
        environment.insert("COSPADI_RUNS", place("by-lm-eval/runs"));
        QFile python(place("python"));
        QVERIFY(python.open(QIODevice::WriteOnly));
        python.write(
            "#!/bin/sh\n"
            "if [ \"$1\" = -c ]; then echo 0.4.13; echo /nowhere; exit 0; fi\n"
            "echo \"$@\" >> " +
            place("asked-of-lm-eval").toUtf8() +
            "\nwhile [ $# -gt 0 ]; do case $1 in --output_path) out=$2 ;; --tasks) tasks=$2 ;; "
            "esac; "
            "shift; done\n"
            "mkdir -p $out/m\nresults=; counts=\n"
            "for task in $(echo $tasks | tr , ' '); do\n"
            "results=\"$results,\\\"$task\\\":{\\\"acc,none\\\":0.5,"
            "\\\"acc_stderr,none\\\":0.25}\"\n"
            "counts=\"$counts,\\\"$task\\\":0\"\ndone\n"
            "echo \"{\\\"results\\\":{${results#,}},\\\"n-shot\\\":{${counts#,}},"
            "\\\"lm_eval_version\\\":\\\"0.4.13\\\",\\\"config\\\":{\\\"limit\\\":4},"
            "\\\"date\\\":1700000000}\" > $out/m/results_2026-01-01T00-00-00.000001.json\n");
        python.close();
        QVERIFY(python.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        environment.insert("COSPADI_LM_EVAL_PYTHON", python.fileName());
        QFile grid(place("by.yaml"));
        QVERIFY(grid.open(QIODevice::WriteOnly));
        grid.write("model: " + model().toUtf8() +
                   "\nmethod: svd\nlayers: attn_k\nevaluate: {tasks: {names: [alpha, beta], by: "
                   "lm-eval, limit: 4}}\n");
        grid.close();
        const auto calls = [&] {
            QFile log(place("asked-of-lm-eval"));
            return log.open(QIODevice::ReadOnly) ? log.readAll().trimmed().split('\n')
                                                 : QList<QByteArray>();
        };
        const CliOutcome first = run({"sweep", grid.fileName(), "--json"});
        QVERIFY2(first.exitCode == 0, qPrintable(first.error));
        const json job = first.object()["jobs"][0];
        QCOMPARE(job["task_results"].size(), std::size_t{2});
        QCOMPARE(job["task_results"][1]["task"].get<std::string>(), std::string("beta"));
        QCOMPARE(job["task_results"][1]["value"].get<double>(), 0.5);
        QCOMPARE(calls().size(), 1);
        QVERIFY(calls()[0].contains("--tasks alpha,beta") && calls()[0].contains("--limit 4"));
        // What it has answered is not asked again; of more tasks those that are missing are.
        QCOMPARE(run({"sweep", grid.fileName(), "--json"}).object()["skipped"].get<int>(), 1);
        QCOMPARE(calls().size(), 1);
        QCOMPARE(run({"sweep", grid.fileName(), "--tasks", "alpha,gamma", "--json"}).exitCode, 0);
        QCOMPARE(calls().size(), 2);
        QVERIFY2(calls()[1].contains("--tasks gamma "), calls()[1].constData());
        // With no limit the answers to four items are none.
        QFile all(place("all.yaml"));
        QVERIFY(all.open(QIODevice::WriteOnly));
        all.write("model: " + model().toUtf8() +
                  "\nmethod: svd\nlayers: attn_k\nevaluate: {tasks: {names: [alpha], by: "
                  "lm-eval}}\n");
        all.close();
        QCOMPARE(run({"sweep", all.fileName(), "--dry-run", "--json"})
                     .object()["jobs"][0]["left_to_measure"]
                     .dump(),
                 std::string(R"(["alpha"])"));
        environment.remove("COSPADI_LM_EVAL_PYTHON");
        environment.remove("COSPADI_RUNS");
    }
};

COSPADI_TEST(TestCliSweepTasks)

}  // namespace tst_cli_sweep_tasks

#include "tst_cli_sweep_tasks.moc"
