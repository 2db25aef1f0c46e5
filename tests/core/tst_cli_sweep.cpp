// Sweeps from the command line: what is done is skipped, what was killed goes on, and reports and
// lists find the runs again.
#include <QFile>
#include <QtTest>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/report/figure_design.h"
#include "tests/core/cli_small_runs.h"
#include "tests/core/cli_under_test.h"
#include "tests/registered_test.h"

namespace tst_cli_sweep {

using cli_runs::codesIn;
using cli_runs::kModel;
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

    // One whose copy elsewhere is in the index, which therefore refuses this one.
    void aRunThatCannotBeIndexedEndsNoSweep() {
        environment.insert("COSPADI_RUNS", place("copied/runs"));
        const QStringList asked{"sweep",   kModel,     "--method", "svd",   "--cr",
                                "0.2,0.4", "--layers", "attn_k",   "--json"};
        const fs::path here = run(asked).object()["jobs"][0]["directory"].get<std::string>();
        const fs::path there = place("copied/elsewhere").toStdString();
        fs::rename(here, there);
        QCOMPARE(run({"runs", "import", QString::fromStdString(there)}).exitCode, 0);
        fs::copy(there, here, fs::copy_options::recursive);
        const CliOutcome again = run(asked);
        QCOMPARE(again.exitCode, 0);
        QCOMPARE(again.object()["skipped"].get<int>(), 2);
        QVERIFY2(again.error.contains("could not be added to the index"), qPrintable(again.error));
    }

    // Hidden from lists, wherever it lies, it is done all the same.
    void archivedRunsCount() {
        environment.insert("COSPADI_RUNS", place("archived/runs"));
        const QString elsewhere = place("archived/elsewhere");
        const QStringList settings{"--method", "svd",    "--cr",  "0.2",
                                   "--layers", "attn_k", "--json"};
        const json made =
            run(QStringList{"compress", kModel, "--no-model", "--out", elsewhere} + settings)
                .object();
        QCOMPARE(run({"runs", "archive", QString::fromStdString(made["run"])}).exitCode, 0);
        const json again = run(QStringList{"sweep", kModel} + settings).object();
        QCOMPARE(again["skipped"].get<int>(), 1);
        QCOMPARE(again["jobs"][0]["directory"].get<std::string>(), elsewhere.toStdString());
        environment.remove("COSPADI_RUNS");
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
        QCOMPARE(bundled.exitCode, 0);
        QFile points(place("folder/figure.csv"));
        QVERIFY(points.open(QIODevice::ReadOnly));
        QCOMPARE(points.readAll(), drawn);
        const QByteArray floating = run({"report", "--saved", "curve", "--format", "latex",
                                         "--caption", "Errors.", "--label", "tab:errors"})
                                        .out;
        QVERIFY2(
            floating.contains("\\caption{Errors.}") && floating.contains("\\label{tab:errors}"),
            floating.constData());
        QCOMPARE(run({"report", "--saved", "curve", "--no-best"}).exitCode, 2);
        // Under another name it is the same, with what only the window says of it.
        const fs::path figures = place("swept/runs/figures.json").toStdString();
        cospadi::FigureDesign curve = cospadi::savedFigure(figures, "curve");
        curve.isLogY = true;
        cospadi::saveFigure(figures, curve);
        QCOMPARE(run({"report", "--saved", "curve", "--save", "copy"}).exitCode, 0);
        const cospadi::FigureDesign copy = cospadi::savedFigure(figures, "copy");
        QVERIFY(copy.isLogY && !copy.isLogX && copy.axes == curve.axes);
        QCOMPARE(run({"report", "--forget", "copy"}).exitCode, 0);
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
