// Sweeps from the command line: what is done is skipped, what was killed goes on, and reports and
// lists find the runs again.
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/core/cli_small_runs.h"
#include "tests/core/cli_under_test.h"
#include "tests/core/small_task_data.h"
#include "tests/registered_test.h"

namespace tst_cli_sweep {

using cli::codesIn;
using cli::kModel;
using nlohmann::json;
namespace fs = std::filesystem;

class TestCliSweep : public QObject, CliUnderTest {
    Q_OBJECT

    QStringList sweepArguments() const {
        return {"sweep",    kModel,  "--method", "svd,cospadi-free", "--cr", "0.2,0.4",
                "--layers", "attn_", "--json"};
    }

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        useDefaultRuns();
    }

    void sweepSkipsWhatIsDone() {
        environment.insert("COSPADI_RUNS", place("swept/runs"));
        const json plan = run(sweepArguments() + QStringList{"--dry-run"}).object();
        QCOMPARE(static_cast<int>(plan["jobs"].size()), 4);
        QVERIFY(plan["seconds"].get<double>() > 0);
        QVERIFY(plan["jobs"][0]["memory_bytes"].get<double>() > 0);
        QVERIFY(QDir(place("swept/runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).isEmpty());
        const CliOutcome first = run(sweepArguments());
        QCOMPARE(first.exitCode, 0);
        QCOMPARE(first.object()["finished"].get<int>(), 4);
        QCOMPARE(first.object()["skipped"].get<int>(), 0);
        const json again = run(sweepArguments()).object();
        QCOMPARE(again["skipped"].get<int>(), 4);
        // One of whose matrices is damaged is not done.
        const fs::path damaged = fs::path(again["jobs"][0]["directory"].get<std::string>()) /
                                 "matrices" / "blk.0.attn_q.safetensors";
        fs::resize_file(damaged, 100);
        QCOMPARE(run(sweepArguments()).object()["skipped"].get<int>(), 3);
        QVERIFY(fs::file_size(damaged) > 100);
        QCOMPARE(run({"report", "--metric", "error", "--format", "csv"})
                     .out.split('\n')
                     .first()
                     .trimmed(),
                 QByteArray("method,cr 0.2,cr 0.4"));
        // A designed table is found again, and forgotten.
        const QByteArray designed =
            run({"report", "--metric", "error", "--column-order", "method;cr 0.4", "--row-order",
                 "svd", "--rename", "svd=SVD", "--format", "csv", "--save", "mine"})
                .out;
        QVERIFY2(designed.startsWith("method,cr 0.4,cr 0.2\r\nSVD,"), designed.constData());
        QCOMPARE(run({"report", "--saved", "mine", "--format", "csv"}).out, designed);
        QCOMPARE(run({"report", "--forget", "mine"}).exitCode, 0);
        QCOMPARE(run({"report", "--saved", "mine"}).exitCode, 1);
        // So is a figure, with its choice of runs.
        const QByteArray drawn = run({"report", "--series", "ablation", "--x", "cr", "--metric",
                                      "error", "--method", "svd", "--save", "curve"})
                                     .out;
        QVERIFY2(drawn.contains("svd") && !drawn.contains("cospadi"), drawn.constData());
        QCOMPARE(run({"report", "--saved", "curve"}).out, drawn);
        QVERIFY(run({"report", "--metric", "error", "--save", "curve"}).error.contains("figure"));
        const CliOutcome bundled = run({"report", "--saved", "curve", "--bundle", place("folder")});
        QCOMPARE(bundled.exitCode, 2);
        QVERIFY2(bundled.error.contains("curve") && bundled.error.contains("is a figure"),
                 qPrintable(bundled.error));
        QVERIFY(!QFileInfo::exists(place("folder")));
        QCOMPARE(run({"report", "--forget", "curve"}).exitCode, 0);
        QCOMPARE(run({"report", "--saved", "curve"}).exitCode, 1);
        QVERIFY(run({"report", "--metric", "error", "--rename", "svd"}).error.contains("OLD=NEW"));
        for (const char* word : {"--metric", "--series"}) {
            const CliOutcome wrong = run({"report", word, "nonsense"});
            QCOMPARE(wrong.exitCode, 2);
            QVERIFY2(wrong.error.contains("\"nonsense\" (there are: "), qPrintable(wrong.error));
        }
        // Where the bytes went: fast puts the dictionary on the shorter side (decision 2), in bf16;
        // the mask has a bit for every atom and column (eq 10).
        const QList<QByteArray> storage =
            run({"report", "--preset", "storage", "--format", "csv"}).out.split('\n');
        QCOMPARE(storage.first().trimmed(),
                 QByteArray("run,method,layers,cr,accounting,dense,dictionary,values,mask,total,"
                            "active atoms (%),mults a token (M),mults / dense"));
        QCOMPARE(storage.size(), 4);  // two sparse runs, and the end
        const QList<QByteArray> cells = storage[1].trimmed().split(',');
        const json stored = run({"runs", "show", QString(cells[0]), "--json"}).object();
        std::map<std::string, std::pair<std::int64_t, std::int64_t>> shapes;
        const json model = run({"inspect", kModel, "--layers", "--json"}).object();
        for (const json& layer : model["layers"]) {
            shapes[layer["name"]] = {layer["d1"], layer["d2"]};
        }
        std::int64_t dictionary = 0;
        std::int64_t mask = 0;
        std::int64_t dense = 0;
        std::int64_t atMost = 0;  // d1 k + s d2, with all atoms in use
        for (const json& matrix : stored["matrices_list"]) {
            const auto [d1, d2] = shapes.at(matrix["name"]);
            const auto k = matrix["k"].get<std::int64_t>();
            dictionary += 2 * k * std::min(d1, d2);
            mask += (k * std::max(d1, d2) + 7) / 8;
            dense += d1 * d2;
            atMost += k * std::min(d1, d2) + matrix["s"].get<std::int64_t>() * std::max(d1, d2);
        }
        QCOMPARE(cells[6].toLongLong(), dictionary);
        QCOMPARE(cells[8].toLongLong(), mask);
        const double multiplications = 1e6 * cells[11].toDouble();
        QVERIFY(multiplications <= static_cast<double>(atMost) + 0.5);
        QVERIFY(multiplications > 0.9 * static_cast<double>(atMost));
        QCOMPARE(cells[12].toDouble(), multiplications / static_cast<double>(dense));
        const QList<QByteArray> solvers =
            run({"report", "--preset", "solvers", "--format", "csv"}).out.trimmed().split('\n');
        QCOMPARE(solvers.size(), 3);  // columns and two runs
        QVERIFY(solvers[1].startsWith("attn_"));
        const json groups = run({"runs", "list", "--group", "method", "--json"}).object();
        QCOMPARE(static_cast<int>(groups["groups"].size()), 2);
        QCOMPARE(groups["groups"][0]["runs"].get<int>(), 2);
        // Groups are of the very runs that the list shows, whatever chooses them.
        for (const QStringList& filter :
             {QStringList{"--cr", "0.2"}, QStringList{"--cr", "0.2,0.3", "--rho", "2"},
              QStringList{"--layers", "attn_"}, QStringList{"--where", "accounting=eq11"},
              QStringList{"--tag", "a", "--tag", "b"}, QStringList{"--model", "gguf"},
              QStringList{"--limit", "3"}, QStringList{"--archived", "--status", "finished"},
              QStringList{"--cr", "0.9"}}) {
            const QString named = filter.join(' ');
            const CliOutcome listed = run(QStringList{"runs", "list", "--json"} + filter);
            const CliOutcome grouped =
                run(QStringList{"runs", "list", "--group", "method,cr", "--json"} + filter);
            QVERIFY2(grouped.exitCode == 0, qPrintable(named + ": " + grouped.error));
            std::size_t runs = 0;
            const json found = grouped.object();
            for (const json& group : found["groups"]) {
                runs += group["runs"].get<std::size_t>();
            }
            const json all = listed.object();
            QVERIFY2(runs == all["runs"].size(), qPrintable(named));
        }

        const CliOutcome failing = run({"sweep", kModel, "--method", "svd", "--layers",
                                        "ffn_sideways", "--layers", "attn_", "--json"});
        QCOMPARE(failing.exitCode, 1);
        QCOMPARE(failing.object()["failed"].get<int>(), 1);
        QCOMPARE(failing.object()["skipped"].get<int>(), 1);
        environment.remove("COSPADI_RUNS");
    }

    // A file holds the grid, its name, tags and what is measured; its runs are found by name.
    void sweepsAreFoundByName() {
        environment.insert("COSPADI_RUNS", place("named/runs"));
        const QString folder = model();
        QFile grid(place("tiny.yaml"));
        QVERIFY(grid.open(QIODevice::WriteOnly));
        grid.write("model: " + folder.toUtf8() +
                   "\nmethod: [svd, cospadi-free]\nlayers: attn_k\nseed: [1, 2]\ntags: [paper, "
                   "small]\nevaluate: {text: " +
                   text().toUtf8() + ", context: 16}\n");
        grid.close();
        const CliOutcome swept = run({"sweep", grid.fileName(), "--tag", "more", "--json"});
        QVERIFY2(swept.exitCode == 0, qPrintable(swept.error));
        QVERIFY2(swept.error.contains("4 combinations are 2 runs"), qPrintable(swept.error));
        const json told = swept.object();
        for (const json& job : told.at("jobs")) {
            QVERIFY(job["perplexity"].get<double>() > 0);
        }
        const auto count = [&](const QStringList& filters) {
            return static_cast<int>(
                run(QStringList{"runs", "list", "--json"} + filters).object()["runs"].size());
        };
        QCOMPARE(count({"--sweep", "tiny"}), 2);
        QCOMPARE(count({"--tag", "paper", "--tag", "more"}), 2);
        QCOMPARE(count({"--tag", "paper", "--tag", "other"}), 0);
        QCOMPARE(count({"--where", "method=svd"}), 1);
        QCOMPARE(count({"--where", "solver=fast", "--where", "cr=0.20"}), 1);
        QCOMPARE(run({"runs", "list", "--where", "colour=red"}).exitCode, 1);
        const QByteArray listed = run({"runs", "list"}).out;
        QVERIFY2(listed.contains("tags") && listed.contains("more, paper, small"),
                 listed.constData());
        // What one kind of run has another value of than the other.
        const json runs = run({"runs", "list", "--json"}).object()["runs"];
        const json diff = run({"runs", "diff", QString::fromStdString(runs[0]["id"]),
                               QString::fromStdString(runs[1]["id"]), "--json"})
                              .object();
        QStringList fields;
        for (const json& difference : diff["settings"]) {
            fields << QString::fromStdString(difference["field"]);
        }
        QVERIFY(fields.contains("method") && fields.contains("rho") && !fields.contains("cr"));
        QCOMPARE(diff["environment"].size(), std::size_t{0});
        environment.remove("COSPADI_RUNS");
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
        const auto compressed = fs::last_write_time(matrix);

        // What is compressed is left to measure alone, and the plan says so.
        const QStringList whole = grid + tasks + text16;
        const CliOutcome planned = run(whole + QStringList{"--dry-run"});
        const json plan = planned.object();
        for (const json& job : plan.at("jobs")) {
            QCOMPARE(job["state"].get<std::string>(), std::string("finished"));
            QCOMPARE(job["left_to_measure"].dump(), std::string(R"(["perplexity","piqa"])"));
        }
        QVERIFY(!fs::exists(folder / "evaluations"));
        QStringList told = whole + QStringList{"--dry-run"};
        told.removeAll("--json");
        const QByteArray words = run(told).out;
        QVERIFY2(
            words.contains("perplexity of 2 runs, piqa of 2 runs; all tasks are 3 items a run; "
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
        wrong = run(grid + QStringList{"--tasks", "piqa,sciq", "--data",
                                       QString::fromStdString(data.string())});
        QCOMPARE(wrong.exitCode, 1);
        QVERIFY2(wrong.error.contains("the data of sciq is not there"), qPrintable(wrong.error));
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

    // Killed at many points, a sweep ends in the same factors as one that was not.
    void sweepSurvivesKill() {
        environment.insert("COSPADI_RUNS", place("killed-sweep/runs"));
        int kills = 0;
        for (int milliseconds = 20; milliseconds < 600; milliseconds += 40) {
            QProcess process;
            process.setProcessEnvironment(environment);
            process.start(COSPADI_CLI, sweepArguments());
            QVERIFY(process.waitForStarted());
            if (process.waitForFinished(milliseconds)) {
                break;
            }
            process.kill();
            QVERIFY(process.waitForFinished());
            ++kills;
        }
        QVERIFY(kills > 0);
        const json last = run(sweepArguments()).object();
        QCOMPARE(last["finished"].get<int>(), 4);
        environment.insert("COSPADI_RUNS", place("swept/runs"));
        const json whole = run(sweepArguments()).object();
        environment.remove("COSPADI_RUNS");
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(last["jobs"][i]["relative_error"], whole["jobs"][i]["relative_error"]);
            if (last["jobs"][i]["specification"]["method"] == "cospadi-free") {
                QVERIFY(codesIn(QString::fromStdString(last["jobs"][i]["directory"])) ==
                        codesIn(QString::fromStdString(whole["jobs"][i]["directory"])));
            }
        }
    }
};

COSPADI_TEST(TestCliSweep)

}  // namespace tst_cli_sweep

#include "tst_cli_sweep.moc"
