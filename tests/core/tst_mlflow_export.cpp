// Runs as MLflow has them: what `runs export --format mlflow` writes, by our reader of such folders
// and, where there is one (trackers_under_test.h), by MLflow.
#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/records/external_records.h"
#include "core/records/mlflow_export.h"
#include "core/records/tracked_run.h"
#include "tests/core/trackers_under_test.h"
#include "tests/registered_test.h"

namespace tst_mlflow_export {

using namespace cospadi;
using nlohmann::json;
namespace fs = std::filesystem;

class TestMlflowExport : public QObject, TrackersUnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(isValid()); }

    // On 10 items and on 100 a task's accuracy is two metrics, not one with a history.
    void measuresAreMetricsOfTheirOwn() {
        const fs::path folder = path("measures/runs/a");
        write(folder / "run.json",
              R"({"format": 1, "id": "run-a", "created": "2026-11-21T04:15:00Z",
                                    "specification": {"model": "m", "method": "svd"}})");
        write(folder / "result.json", R"({"status": "finished", "matrices": []})");
        const auto evaluate = [&](const char* file, const json& fields) {
            write(folder / "evaluations" / file, fields.dump());
        };
        for (const int samples : {10, 100}) {
            const json metric{{"metric", "acc"}, {"value", 1.0 / samples}, {"stderr", 0.5}};
            evaluate(samples == 10 ? "few.json" : "many.json",
                     {{"kind", "lm-eval"},
                      {"tasks",
                       {{{"task", "piqa"},
                         {"samples", samples},
                         {"shots", 0},
                         {"metrics", json::array({metric})}}}}});
        }
        for (const char* score : {"all", "second-half"}) {
            evaluate((std::string(score) + ".json").c_str(), {{"kind", "perplexity"},
                                                              {"text", "/t/wiki.txt"},
                                                              {"text_sha256", "ab"},
                                                              {"context", 32},
                                                              {"score", score},
                                                              {"perplexity", 7}});
        }
        RunStore store = RunStore::open(path("measures/cospadi.sqlite"));
        store.importRun(folder);
        exportToMlflow(path("measures/mlruns"), store, {"run-a"});
        const auto metrics = trackedRunsAt(path("measures/mlruns")).front().metrics;
        QVERIFY(!metrics.contains("piqa/acc"));
        for (const char* name : {"piqa/acc-10-samples", "piqa/acc-100-samples",
                                 "piqa/acc_stderr-10-samples", "piqa/acc_stderr-100-samples",
                                 "perplexity/wiki-32-all", "perplexity/wiki-32-second-half"}) {
            QVERIFY2(metrics.contains(name), name);
            QCOMPARE(metrics.at(name).size(), std::size_t{1});
        }
        QCOMPARE(metrics.at("piqa/acc-100-samples")[0].value, 0.01);
    }

    // Names with slashes are paths: none leads out of its folder, and none goes through a file.
    void namesAreFilesOfTheirFolders() {
        const fs::path folder = path("names/runs/a");
        write(folder / "run.json",
              R"({"format": 1, "id": "run-a", "created": "2026-11-21T04:15:00Z",
                                    "specification": {"model": "m", "method": "svd"}})");
        write(folder / "result.json", R"({"status": "finished", "matrices": []})");
        const json metric{{"metric", "acc"}, {"value", 0.5}, {"stderr", 0.5}};
        write(folder / "evaluations/foreign.json",
              json{{"kind", "lm-eval"},
                   {"tasks",
                    json::array({{{"task", "../../../out"}, {"metrics", json::array({metric})}}})}}
                  .dump());
        RunStore store = RunStore::open(path("names/cospadi.sqlite"));
        store.importRun(folder);
        for (const char* tag : {"paper", "paper/ablation", "../../out"}) {
            store.tag("run-a", tag);
        }
        exportToMlflow(path("names/mlruns"), store, {"run-a"});
        const std::vector<TrackedRun> found = trackedRunsAt(path("names/mlruns"));
        QCOMPARE(found.size(), std::size_t{1});
        for (const char* tag :
             {"cospadi.tag.paper=paper", "cospadi.tag.paper_ablation=paper/ablation",
              "cospadi.tag..._.._out=../../out"}) {
            QVERIFY2(
                std::find(found[0].tags.begin(), found[0].tags.end(), tag) != found[0].tags.end(),
                tag);
        }
        QVERIFY(found[0].metrics.contains(".._.._.._out_acc"));
        QVERIFY(!fs::exists(path("names/mlruns/out")));
    }

    // What MLflow itself finds in an export: settings, results, and every iteration at its step.
    void mlflowReadsAnExport() {
        useRuns("own");
        const CliOutcome compressed =
            run(compress({"--layers", "blk.0.ffn_up", "--solver", "ksvd", "--iterations", "4"}));
        QVERIFY2(compressed.exitCode == 0, qPrintable(compressed.error));
        const QString id = QString::fromStdString(compressed.object()["run"].get<std::string>());
        QCOMPARE(run({"evaluate", id, "--perplexity", text(), "--context", "32", "--max-tokens",
                      "128", "--json"})
                     .exitCode,
                 0);
        run({"runs", "tag", id, "paper"});
        const QStringList exporting{"runs",  "export",        id,      "--format", "mlflow",
                                    "--out", place("mlruns"), "--json"};
        const CliOutcome exported = run(exporting);
        QVERIFY2(exported.exitCode == 0, qPrintable(exported.error));
        const json told = exported.object();
        QCOMPARE(told["runs"].size(), std::size_t{1});
        // The reader here, of which the packages above think the same.
        const TrackedRun read = trackedRunsAt(path("mlruns")).front();
        QCOMPARE(read.name, id.toStdString());
        QCOMPARE(read.project, std::string("CoSpaDi"));
        QCOMPARE(read.parameters.at("method"), std::string("cospadi-free"));
        const auto& errors = read.metrics.at("blk.0.ffn_up/relative_error");
        QCOMPARE(errors.size(), std::size_t{4});
        QCOMPARE(errors[3].step, std::int64_t{4});
        // A second export replaces the first.
        QCOMPARE(run(exporting).exitCode, 0);
        QCOMPARE(trackedRunsAt(path("mlruns")).size(), std::size_t{1});

        // And back: the curve of the matrix is the curve of the matrix.
        useRuns("back");
        const json back = imported(place("mlruns"));
        const QString external =
            QString::fromStdString(back["imported"][0]["run"].get<std::string>());
        std::ifstream events(path("back") / external.toStdString() / "events.jsonl");
        int lines = 0;
        for (std::string line; std::getline(events, line); ++lines) {
            const json event = json::parse(line);
            const auto& point = errors[static_cast<std::size_t>(lines)];
            QCOMPARE(event["iteration"].get<std::int64_t>(), point.step);
            QCOMPARE(event["relative_error"].get<double>(), point.value);
        }
        QCOMPARE(lines, 4);

        const json mlflow = by({"read", "mlflow", place("mlruns")});
        if (mlflow.is_null() || mlflow.contains("skipped")) {
            QSKIP("COSPADI_TEST_TRACKERS_PYTHON names no Python with mlflow");
        }
        QCOMPARE(mlflow["runs"].size(), std::size_t{1});
        const json& one = mlflow["runs"][0];
        QCOMPARE(one["name"].get<std::string>(), id.toStdString());
        QCOMPARE(one["experiment"].get<std::string>(), std::string("CoSpaDi"));
        QCOMPARE(one["status"].get<std::string>(), std::string("FINISHED"));
        QCOMPARE(one["parameters"]["method"].get<std::string>(), std::string("cospadi-free"));
        QCOMPARE(one["parameters"]["solver"].get<std::string>(), std::string("ksvd"));
        const json& history = one["history"]["blk.0.ffn_up/relative_error"];
        QCOMPARE(history.size(), errors.size());
        for (std::size_t i = 0; i < errors.size(); ++i) {
            QCOMPARE(history[i][0].get<std::int64_t>(), errors[i].step);
            QCOMPARE(history[i][1].get<double>(), errors[i].value);
        }
        QVERIFY(one["metrics"].contains("perplexity/text-32-128"));
        QCOMPARE(one["tags"]["cospadi.tag.paper"].get<std::string>(), std::string("paper"));
        const auto artefacts = one["artefacts"].get<std::vector<std::string>>();
        for (const char* file : {"run.json", "result.json", "events.jsonl"}) {
            QVERIFY2(std::find(artefacts.begin(), artefacts.end(), file) != artefacts.end(), file);
        }
    }
};

COSPADI_TEST(TestMlflowExport)

}  // namespace tst_mlflow_export

#include "tst_mlflow_export.moc"
