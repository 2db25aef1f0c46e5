// Commands of the command line one by one: their help, their options and what they print.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/core/cli_small_runs.h"
#include "tests/core/cli_under_test.h"
#include "tests/core/http_client.h"
#include "tests/registered_test.h"

namespace tst_cli_commands {

using cli_runs::compressArguments;
using cli_runs::kModel;
using nlohmann::json;

class TestCliCommands : public QObject, CliUnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        useDefaultRuns();
    }

    void helpTeaches() {
        const CliOutcome help = run({"--help"});
        QCOMPARE(help.exitCode, 0);
        for (const char* command :
             {"inspect", "tokenize", "logits", "calibrate", "budget", "compress", "sweep",
              "evaluate", "serve", "load", "lm-eval", "compare", "export", "runs", "report",
              "bench", "demo", "engine", "Exit codes"}) {
            QVERIFY2(help.out.contains(command), command);
        }
    }

    void budgetAsJson() {
        const CliOutcome budget =
            run({"budget", "--shape", "4096x12288", "--cr", "0.2", "--rho", "2", "--json"});
        QCOMPARE(budget.exitCode, 0);
        QCOMPARE(budget.object()["eq10"]["k"].get<int>(), 3657);
        QCOMPARE(budget.object()["eq11"]["s"].get<int>(), 1966);
        QCOMPARE(budget.out.count('\n'), 1);
    }

    void helpOfACommandIsItsOwn() {
        QVERIFY(run({"--help"}).out.contains("First steps"));
        QVERIFY(!run({"compress", "--help"}).out.contains("First steps"));
        QVERIFY(!run({"runs", "export", "--help"}).out.contains("{false}"));
    }

    // A log is no terminal: no bars, and nothing of a command that is done at once.
    void logsHaveNoBars() {
        environment.insert("COSPADI_RUNS", place("logs/runs"));
        const CliOutcome outcome = run(compressArguments(place("logged")));
        environment.remove("COSPADI_RUNS");
        QCOMPARE(outcome.exitCode, 0);
        QCOMPARE(outcome.error, QString());
    }

    void inspectListsTheLayers() {
        const json object = run({"inspect", kModel, "--json"}).object();
        QCOMPARE(object["architecture"].get<std::string>(), std::string("llama"));
        QCOMPARE(static_cast<int>(object["layers"].size()), 14);
    }

    // Recorded results of a real lm-eval run, which belong to no run here, and its failures.
    void lmEvalImport() {
        const QString results =
            COSPADI_TEST_DATA "/lm_eval/results_2026-11-21T02-03-31.333142.json";
        const CliOutcome imported = run({"lm-eval", "import", results, "--json"});
        QCOMPARE(imported.exitCode, 0);
        const json first = imported.object()["imported"][0];
        QCOMPARE(first["results"][0]["value"].get<double>(), 0.65);
        const QString id = QString::fromStdString(first["run"].get<std::string>());
        const json shown = run({"runs", "show", id, "--json"}).object();
        QCOMPARE(shown["method"].get<std::string>(), std::string("external"));
        QCOMPARE(shown["task_results"].size(), std::size_t{2});
        QVERIFY(run({"report", "--rows", "model", "--columns", "method", "--metric", "toy_mc/acc"})
                    .out.contains("0.65"));
        QCOMPARE(run({"lm-eval", "import", results, "--run", "nobody"}).exitCode, 1);
        QCOMPARE(run({"lm-eval", "import", "/nowhere"}).exitCode, 1);
        QVERIFY(run({"lm-eval", kModel}).error.contains("--tasks"));
        QCOMPARE(run({"lm-eval"}).exitCode, 2);
        QCOMPARE(run({"runs", "delete", id, "--files"}).exitCode, 0);
    }

    // Results of a model "smollm2" are of a run by this name, not of one that begins with it.
    void lmEvalImportByTheWholeName() {
        useRuns("by-name");
        const QString results =
            COSPADI_TEST_DATA "/lm_eval/results_2026-11-21T02-03-31.333142.json";
        const auto runOfResults = [&](const QString& id) {
            const QString directory = place("by-name/" + id);
            const CliOutcome made = run(compressArguments(directory));
            const std::string record = (directory + "/run.json").toStdString();
            json renamed = json::parse(std::ifstream(record));
            renamed["id"] = id.toStdString();
            std::ofstream(record) << renamed;
            const CliOutcome known = run({"runs", "import", directory});
            const CliOutcome imported = run({"lm-eval", "import", results, "--json"});
            return made.exitCode + known.exitCode + imported.exitCode == 0
                       ? imported.object()["imported"][0]["run"].get<std::string>()
                       : (made.error + known.error + imported.error).toStdString();
        };
        const std::string other = runOfResults("smollm2-compressed");
        QVERIFY2(other.find("-external-") != std::string::npos, other.c_str());
        QCOMPARE(runOfResults("smollm2"), std::string("smollm2"));
        useDefaultRuns();
    }

    // What others made stands in tables by what is stated of it, and says so.
    void lmEvalImportOfWhatOthersMade() {
        useRuns("imported");
        const QString results =
            COSPADI_TEST_DATA "/lm_eval/results_2026-11-21T02-03-31.333142.json";
        const QStringList stated{
            "lm-eval", "import",  results,  "--method", "LLM-Pruner", "--cr",    "0.2",  "--bytes",
            "100000",  "--label", "taylor", "--source", "its paper",  "--model", kModel, "--json"};
        const CliOutcome imported = run(stated);
        QVERIFY2(imported.exitCode == 0, qPrintable(imported.error));
        const auto idOf = [](const CliOutcome& outcome) {
            return QString::fromStdString(
                outcome.object()["imported"][0]["run"].get<std::string>());
        };
        QCOMPARE(idOf(run(stated)), idOf(imported));  // the same words, the same run
        const json shown = run({"runs", "show", idOf(imported), "--json"}).object();
        QCOMPARE(shown["method"].get<std::string>(), std::string("external"));
        QCOMPARE(shown["label"].get<std::string>(), std::string("LLM-Pruner (taylor, imported)"));
        QCOMPARE(shown["bytes"].get<std::int64_t>(), 0);  // none that was measured
        QCOMPARE(shown["specification"]["stated"]["bytes"].get<std::int64_t>(), 100'000);
        // The model's headers say what the same layers weigh as bf16.
        const auto dense = run({"inspect", kModel, "--json"}).object()["dense_bytes"].get<double>();
        const QString table =
            QString::fromUtf8(run({"report", "--preset", "pareto-bytes", "--format", "csv"}).out);
        const QStringList lines = table.split("\r\n");
        const auto row = std::find_if(lines.begin(), lines.end(), [](const QString& line) {
            return line.startsWith("\"LLM-Pruner (taylor, imported)\"");
        });
        QVERIFY2(row != lines.end(), qPrintable(table));
        QVERIFY2(row->contains("\"cr 0.2, bytes as stated\",") && row->contains(",100000,") &&
                     row->endsWith(",0.7"),
                 qPrintable(*row));
        const QStringList numbers = row->section("stated\",", 1).split(',');
        QVERIFY(std::abs(numbers.at(0).toDouble() - 16 * 100'000 / dense) < 1e-9);
        QVERIFY(run({"report", "--preset", "pareto-bytes"})
                    .out.contains("as stated, not as measured here"));
        useDefaultRuns();
    }

    void calibrateListsItsGrams() {
        const QString folder = model();
        const QStringList arguments{"calibrate",   folder, "--text",   text(),
                                    "--sequences", "2",    "--length", "16"};
        const CliOutcome outcome = run(arguments);
        QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.error));
        QVERIFY(outcome.out.indexOf("blk.0.") < outcome.out.indexOf("blk.1."));
        QCOMPARE(run(arguments + QStringList{"--length", "1"}).exitCode, 2);
        const CliOutcome tooShort = run({"compress", folder, "--method", "cospadi", "--calibration",
                                         text(), "--out", place("too-short")});
        QVERIFY2(tooShort.error.contains("tokens, but"), qPrintable(tooShort.error));
        QVERIFY(!QFileInfo::exists(place("too-short")));
    }

    // The inputs of a run's layers are others than those of its model, whose Grams the cache has
    // under the hash of the file that both were read from.
    void gramsOfARunAreNotTakenForThoseOfItsModel() {
        const QString out = place("not-to-be-calibrated");
        QCOMPARE(run(compress({"--cr", "0.5", "--no-model", "--out", out})).exitCode, 0);
        const QStringList how{"--text", text(), "--sequences", "2", "--length", "17", "--json"};
        const CliOutcome refused = run(QStringList{"calibrate", out} + how);
        QCOMPARE(refused.exitCode, 1);
        QVERIFY2(refused.error.contains("the original model is needed"), qPrintable(refused.error));
        const CliOutcome whole = run(QStringList{"calibrate", model()} + how);
        QVERIFY2(whole.exitCode == 0, qPrintable(whole.error));
        QVERIFY(!whole.object()["from_cache"].get<bool>());
    }

    // Ctrl-C: what is in flight is answered, and the command ends well.
    void serveEndsOnASignal() {
        const QString folder = model();
        for (const int signal : {SIGINT, SIGTERM}) {
            QProcess process;
            process.setProcessEnvironment(environment);
            process.start(COSPADI_CLI, {"serve", folder, "--port", "0", "--json"});
            QVERIFY(process.waitForReadyRead(60000));
            const int port = json::parse(process.readLine().toStdString()).at("port").get<int>();
            http::Client client(port);
            client.send(http::post(
                "/v1/completions",
                R"({"prompt": [5, 6], "max_tokens": 200, "stream": true, "temperature": 0})"));
            QVERIFY(client.receive());
            kill(static_cast<pid_t>(process.processId()), signal);
            QVERIFY(client.everything().find("data: [DONE]") != std::string::npos);
            QVERIFY(process.waitForFinished(60000));
            QCOMPARE(process.exitStatus(), QProcess::NormalExit);
            QCOMPARE(process.exitCode(), 0);
        }
        QVERIFY(run({"serve", folder, "--host", "0.0.0.0", "--port", "0"}).error.contains("token"));
        QVERIFY(run({"serve", kModel, "--port", "0"}).error.contains("tokenizer"));
    }

    void servedUnderTheNameOfItsFolder() {
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(COSPADI_CLI, {"serve", model() + "/", "--port", "0", "--json"});
        QVERIFY(process.waitForReadyRead(60000));
        const json told = json::parse(process.readLine().toStdString());
        QCOMPARE(QString::fromStdString(told.at("model")), QFileInfo(model()).fileName());
        process.terminate();
        QVERIFY(process.waitForFinished(60000));
    }

    // The first line without white space around it, which no header has at its ends.
    void serveTakesATokenFromAFile() {
        const auto serving = [&](const QByteArray& contents) {
            QFile file(place("token"));
            if (!file.open(QIODevice::WriteOnly) || file.write(contents) != contents.size()) {
                qFatal("%s cannot be written", qPrintable(file.fileName()));
            }
            return QStringList{"serve", model(), "--port", "0", "--token-file", place("token")};
        };
        for (const QByteArray& contents :
             {QByteArray("two words\n"), QByteArray("bell\a.\n"), QByteArray(" \t\r\nsecret\n")}) {
            const CliOutcome refused = run(serving(contents));
            QCOMPARE(refused.exitCode, 1);
            QVERIFY2(refused.error.contains(place("token") + ": "), qPrintable(refused.error));
        }
        QProcess server;
        server.setProcessEnvironment(environment);
        server.start(COSPADI_CLI, serving(" \tsecret \r\nmore\n") + QStringList{"--json"});
        QVERIFY(server.waitForReadyRead(60000));
        const int port = json::parse(server.readLine().toStdString()).at("port").get<int>();
        const auto statusOf = [&](const std::string& token) {
            return http::exchange(port,
                                  "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
                                  "Bearer " +
                                      token + "\r\n\r\n")
                .status;
        };
        QCOMPARE(statusOf("secret"), 200);
        QCOMPARE(statusOf("other"), 401);
        kill(static_cast<pid_t>(server.processId()), SIGTERM);
        QVERIFY(server.waitForFinished(60000));
    }

    void serveNamesAnUnreadableTokenFile() {
        for (const QString& file : {place("no-token"), place(".")}) {
            const CliOutcome refused = run({"serve", model(), "--port", "0", "--token-file", file});
            QCOMPARE(refused.exitCode, 1);
            QVERIFY2(refused.error.contains(file + ": cannot be read"), qPrintable(refused.error));
        }
    }

    void loadCountsWhatIsServed() {
        QProcess server;
        server.setProcessEnvironment(environment);
        server.start(COSPADI_CLI, {"serve", model(), "--port", "0", "--json"});
        QVERIFY(server.waitForReadyRead(60000));
        const json served = json::parse(server.readLine().toStdString());
        const QString url = QString::fromStdString(served.at("url").get<std::string>());
        const CliOutcome load = run({"load", url, "--users", "1,3", "--prompts", "2,5", "--tokens",
                                     "4", "--rounds", "2", "--json"});
        QVERIFY2(load.exitCode == 0, qPrintable(load.error));
        const json points = load.object()["points"];
        QCOMPARE(points.size(), std::size_t{4});
        int requests = 0;
        for (const json& point : points) {
            QCOMPARE(point["requests"].get<int>(), 2 * point["users"].get<int>());
            QVERIFY(point["generated_tokens"].get<int>() > 0);
            QVERIFY(point["generated_tokens"].get<int>() <= 4 * point["requests"].get<int>());
            requests += 3 * point["users"].get<int>();  // with one a user that does not count
        }
        kill(static_cast<pid_t>(server.processId()), SIGTERM);
        QVERIFY(server.waitForFinished(60000));
        const QByteArray said = server.readAllStandardError();
        QVERIFY2(said.contains(QByteArray::number(requests) + " completions"), said.constData());

        const auto refused = [&](const QStringList& arguments, int exitCode, const char* says) {
            const CliOutcome outcome = run(QStringList{"load"} + arguments);
            QVERIFY2(outcome.exitCode == exitCode && outcome.error.contains(says),
                     qPrintable(outcome.error));
        };
        refused({"ftp://here"}, 2, "ftp://here");
        refused({"http://127.0.0.1:1"}, 1, "127.0.0.1:1: cannot be reached");
        refused({"http://127.0.0.1:1", "--users", "0"}, 2, "--users");
    }

    // Whatever stands before it or behind, options replace what the preset says.
    void optionsReplaceThePresets() {
        const QString model = CliUnderTest::model();
        const QString out = place("preset");
        const CliOutcome made =
            run({"compress", model, "--iterations", "2", "--preset", "paper", "--sequences", "2",
                 "--length", "32", "--layers", "^blk\\.0\\.attn_q", "--no-model", "--out", out});
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        std::ifstream file((out + "/run.json").toStdString());
        const json s = json::parse(file)["specification"];
        QCOMPARE(s["iterations"].get<int>(), 2);
        QCOMPARE(s["calibration"]["sequences"].get<int>(), 2);
        QCOMPARE(s["solver"].get<std::string>(), std::string("ksvd"));
        QCOMPARE(s["init"].get<std::string>(), std::string("weight"));
        QCOMPARE(s["dead_atoms"].get<std::string>(), std::string("keep"));
        QCOMPARE(s["coefficient_rounding"].get<std::string>(), std::string("truncate"));
        QVERIFY(s["calibration"]["text"].get<std::string>().ends_with("web_calib.jsonl.gz"));
        const CliOutcome sweep = run({"sweep", model, "--preset", "paper", "--iterations", "2,60",
                                      "--sequences", "2", "--length", "32", "--dry-run", "--json"});
        QVERIFY2(sweep.exitCode == 0, qPrintable(sweep.error));
        const json jobs = sweep.object()["jobs"];
        QCOMPARE(jobs.size(), std::size_t{2});
        for (const json& job : jobs) {
            QCOMPARE(job["specification"]["init"].get<std::string>(), std::string("weight"));
        }
    }

    void compareSaysHowFar() {
        QCOMPARE(run(compressArguments(place("compared"))).exitCode, 0);
        const json same = run({"compare", kModel, kModel, "--weights-only", "--json"}).object();
        QCOMPARE(same["changed"].get<int>(), 0);
        const json object =
            run({"compare", kModel, place("compared"), "--weights-only", "--json"}).object();
        QCOMPARE(object["changed"].get<int>(), 14);
        for (const json& layer : object["layers"]) {
            // The plain error that the run reports for a method without calibration.
            const auto stored =
                cospadi::readMatrixFile((place("compared") + "/matrices/").toStdString() +
                                        layer["name"].get<std::string>() + ".safetensors");
            QVERIFY(std::abs(layer["plain_relative_error"].get<double>() -
                             stored.record.relativeError) < 1e-4);
        }
    }
};

COSPADI_TEST(TestCliCommands)

}  // namespace tst_cli_commands

#include "tst_cli_commands.moc"
