// The command line as its users meet it: the built program, its output and its exit codes.
#include <QtTest>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/forms/matrix_file.h"
#include "http_client.h"

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const QString kModel = COSPADI_TEST_DATA "/oracle/arch/a_llama_gqa";

struct Outcome {
    int exitCode = -1;
    QByteArray out;
    QByteArray error;
    json object() const { return json::parse(out.toStdString()); }
};

}  // namespace

class TestCli : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QProcessEnvironment m_environment = QProcessEnvironment::systemEnvironment();

    QString place(const QString& name) const { return m_folder.filePath(name); }

    Outcome run(const QStringList& arguments, const QString& program = COSPADI_CLI) const {
        QProcess process;
        process.setProcessEnvironment(m_environment);
        process.start(program, arguments);
        process.waitForFinished(120000);
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
                process.readAllStandardOutput(), process.readAllStandardError()};
    }

    QStringList compressArguments(const QString& out) const {
        return {"compress", kModel, "--method",   "cospadi-free",
                "--out",    out,    "--no-model", "--json"};
    }

    QString modelWithTokenizer(const char* name) const {
        const QString folder = place(name);
        QDir().mkpath(folder);
        for (const char* file : {"config.json", "model.safetensors"}) {
            QFile::copy(kModel + "/" + file, folder + "/" + file);
        }
        QFile::copy(COSPADI_TEST_DATA "/fuzz/byte_level.json", folder + "/tokenizer.json");
        return folder;
    }

    static std::vector<Eigen::MatrixXf> codesIn(const QString& run) {
        std::vector<fs::path> paths;
        for (const auto& entry : fs::directory_iterator((run + "/matrices").toStdString())) {
            paths.push_back(entry.path());
        }
        std::sort(paths.begin(), paths.end());
        std::vector<Eigen::MatrixXf> codes;
        for (const fs::path& path : paths) {
            const auto stored = cospadi::readMatrixFile(path);
            codes.push_back(cospadi::sparseFactors(stored.weight)->codes);
        }
        return codes;
    }

  private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        m_environment.insert("XDG_DATA_HOME", place("data"));
        m_environment.insert("XDG_CACHE_HOME", place("cache"));
        m_environment.remove("COSPADI_RUNS");
        m_environment.remove("COSPADI_DEFAULT_MODEL");
    }

    void helpTeaches() {
        const Outcome help = run({"--help"});
        QCOMPARE(help.exitCode, 0);
        for (const char* command :
             {"inspect", "tokenize", "logits", "calibrate", "budget", "compress", "sweep",
              "evaluate", "serve", "lm-eval", "compare", "export", "runs", "report", "bench",
              "demo", "engine", "Exit codes"}) {
            QVERIFY2(help.out.contains(command), command);
        }
    }

    void budgetAsJson() {
        const Outcome budget =
            run({"budget", "--shape", "4096x12288", "--cr", "0.2", "--rho", "2", "--json"});
        QCOMPARE(budget.exitCode, 0);
        QCOMPARE(budget.object()["eq10"]["k"].get<int>(), 3657);
        QCOMPARE(budget.object()["eq11"]["s"].get<int>(), 1966);
        QCOMPARE(budget.out.count('\n'), 1);
    }

    void failuresAreNamed_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("says");
        QTest::newRow("no command") << QStringList{} << 2 << "subcommand";
        QTest::newRow("unknown option")
            << QStringList{"inspect", kModel, "--colour"} << 2 << "--colour";
        QTest::newRow("no such model")
            << QStringList{"inspect", "/nowhere.gguf"} << 1 << "/nowhere.gguf";
        QTest::newRow("default not fetched")
            << QStringList{"inspect", "default"} << 1 << "./run fetch";
        QTest::newRow("unknown command") << QStringList{"foo"} << 2 << "\"foo\"";
        QTest::newRow("unknown command of runs") << QStringList{"runs", "foo"} << 2 << "\"foo\"";
        QTest::newRow("bad shape") << QStringList{"budget", "--shape", "12by8"} << 2 << "12by8";
        QTest::newRow("method that is none")
            << QStringList{"compress", kModel, "--method", "magic"} << 2 << "magic";
        QTest::newRow("bad length")
            << QStringList{"compress", kModel, "--length", "0"} << 2 << "between 2 and 65536";
        QTest::newRow("negative seed")
            << QStringList{"compress", kModel, "--seed", "-1"} << 2 << "'-1' is not";
        QTest::newRow("seed beyond 64 bits")
            << QStringList{"compress", kModel, "--seed", "18446744073709551616"} << 2
            << "is not a whole number";
        QTest::newRow("fractional seed")
            << QStringList{"sweep", kModel, "--method", "svd", "--set", "seed=1.5", "--dry-run"}
            << 2 << "seed: is not a whole number";
        QTest::newRow("negative seed in a sweep")
            << QStringList{"sweep", kModel, "--method", "svd", "--set", "seed=-1", "--dry-run"} << 2
            << "seed: is not a whole number";
        QTest::newRow("demo at once") << QStringList{"demo", "--cr", "2"} << 2 << "2";
        QTest::newRow("no text") << QStringList{"tokenize", kModel} << 2 << "--decode";
        QTest::newRow("report format")
            << QStringList{"report", "--format", "nosuch"} << 2 << "nosuch";
        QTest::newRow("hidden by no name")
            << QStringList{"report", "--published", "main-results", "--hide", "nosuch"} << 1
            << "nosuch";
        QTest::newRow("a folder that is no run")
            << QStringList{"runs", "show", COSPADI_TEST_DATA} << 1 << "no run has this id";
        QTest::newRow("bad ratio")
            << QStringList{"budget", "--shape", "12x8", "--cr", "1.5"} << 2 << "1.5";
        QTest::newRow("no layer") << QStringList{"compress", kModel,     "--method",
                                                 "svd",      "--layers", "nothing"}
                                  << 1 << "nothing";
        QTest::newRow("no device")
            << QStringList{"compress", kModel, "--device", "gpu"} << 2 << "is not a device";
        // Whatever the machine has, the reason names what was asked for.
        QTest::newRow("device that is not there")
            << QStringList{"compress", kModel, "--device", "cuda:99"} << 1 << "--device cuda:99";
        QTest::newRow("unknown run") << QStringList{"runs", "show", "nobody"} << 1 << "nobody";
        // A shell's unset variable.
        QTest::newRow("empty layers")
            << QStringList{"compress", kModel, "--layers", ""} << 2 << "the value is empty";
        QTest::newRow("empty directory")
            << QStringList{"compress", kModel, "--out="} << 2 << "--out";
        QTest::newRow("command that is nearly one")
            << QStringList{"comprss", kModel} << 2 << "did you mean compress?";
        QTest::newRow("option that is nearly one")
            << QStringList{"compress", kModel, "--layer", "ffn"} << 2 << "did you mean --layers?";
        QTest::newRow("command of runs that is nearly one")
            << QStringList{"runs", "lsit"} << 2 << "did you mean list?";
        QTest::newRow("unknown preset")
            << QStringList{"compress", kModel, "--preset", "papr"} << 2 << "use paper";
        QTest::newRow("unknown preset of a sweep")
            << QStringList{"sweep", kModel, "--preset", "papr", "--dry-run"} << 2 << "use paper";
        QTest::newRow("unknown word that would not count")
            << QStringList{"compress", kModel, "--method", "svd", "--init", "nonsense"} << 2
            << "nonsense";
        QTest::newRow("unknown task")
            << QStringList{"evaluate", kModel, "--tasks", "piqq", "--data", "/"} << 2
            << "did you mean piqa?";
        QTest::newRow("items by halves")
            << QStringList{"evaluate", kModel, "--tasks", "piqa", "--limit", "2.5"} << 2 << "2.5";
        QTest::newRow("unknown status")
            << QStringList{"runs", "list", "--status", "bogus"} << 2 << "interrupted";
        QTest::newRow("a folder without runs")
            << QStringList{"runs", "import", COSPADI_TEST_DATA} << 1 << "no run that can be";
        QTest::newRow("no setting")
            << QStringList{"runs", "list", "--where", "cr"} << 2 << "FIELD=VALUE";
        QTest::newRow("a preset of no runs")
            << QStringList{"report", "--preset", "rho", "--tag", "nosuch"} << 1 << "perplexity";
        QTest::newRow("a table as printed has no runs")
            << QStringList{"report", "--published", "main-results", "--tag", "x"} << 2 << "--tag";
        QTest::newRow("a plan of no layer")
            << QStringList{"sweep", kModel, "--method", "svd", "--layers", "sideways", "--dry-run"}
            << 1 << "sideways";
        QTest::newRow("a plan with no text")
            << QStringList{"sweep",      kModel,     "--method", "svd",
                           "--evaluate", "/nowhere", "--dry-run"}
            << 1 << "/nowhere";
        QTest::newRow("unknown preset")
            << QStringList{"report", "--preset", "nothing"} << 2 << "nothing";
    }

    void failuresAreNamed() {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QString, says);
        const Outcome outcome = run(arguments);
        QCOMPARE(outcome.exitCode, exitCode);
        QVERIFY2(QString::fromUtf8(outcome.error + outcome.out).contains(says),
                 outcome.error.constData());
        QVERIFY(!outcome.error.isEmpty());
    }

    void errorsAsJson() {
        const Outcome outcome = run({"inspect", "/nowhere.gguf", "--json"});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY(!outcome.object()["error"]["hint"].get<std::string>().empty());
        for (const QStringList& arguments :
             {QStringList{"inspect", "--json"}, QStringList{"foo", "--json"},
              QStringList{"inspect", kModel, "--colour", "--json"}}) {
            const Outcome usage = run(arguments);
            QCOMPARE(usage.exitCode, 2);
            QVERIFY(!usage.object()["error"]["message"].get<std::string>().empty());
        }
    }

    void helpOfACommandIsItsOwn() {
        QVERIFY(run({"--help"}).out.contains("First steps"));
        QVERIFY(!run({"compress", "--help"}).out.contains("First steps"));
        QVERIFY(!run({"runs", "export", "--help"}).out.contains("{false}"));
    }

    void threadsAreANumber() {
        m_environment.insert("COSPADI_THREADS", "abc");
        const Outcome outcome = run({"inspect", kModel});
        m_environment.remove("COSPADI_THREADS");
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY(outcome.error.contains("COSPADI_THREADS"));
    }

    // A log is no terminal: no bars, and nothing of a command that is done at once.
    void logsHaveNoBars() {
        m_environment.insert("COSPADI_RUNS", place("logs/runs"));
        const Outcome outcome = run(compressArguments(place("logged")));
        m_environment.remove("COSPADI_RUNS");
        QCOMPARE(outcome.exitCode, 0);
        QCOMPARE(outcome.error, QByteArray());
    }

    void runsAreTakenByDirectory() {
        m_environment.insert("COSPADI_RUNS", place("by-directory/runs"));
        const QString out = place("by-directory/my-run");
        QCOMPARE(run(compressArguments(out)).exitCode, 0);
        const Outcome shown = run({"runs", "show", out});
        QCOMPARE(shown.exitCode, 0);
        QVERIFY2(!shown.out.contains("nan") && !shown.out.contains("rank") &&
                     shown.out.contains("\n  coefficient_bits       14\n") &&
                     !shown.out.contains("\n  calibration."),
                 shown.out.constData());
        QCOMPARE(run({"runs", "tag", out, "mine"}).exitCode, 0);
        QVERIFY(run({"compress", out}).error.contains("is a run"));
        // A damaged record is named with its field, and mended by the command that made it.
        QFile result(out + "/result.json");
        QVERIFY(result.open(QIODevice::WriteOnly));
        result.write("{\"bytes\":\"x\"}");
        result.close();
        const Outcome compared = run({"compare", kModel, out, "--weights-only"});
        QVERIFY2(compared.error.contains("result.json: has no field \"matrices\""),
                 compared.error.constData());
        QCOMPARE(run(compressArguments(out)).exitCode, 0);
        QCOMPARE(run({"compare", kModel, out, "--weights-only"}).exitCode, 0);
        QCOMPARE(run({"runs", "delete", out, "--files"}).exitCode, 0);
        QVERIFY(!QFileInfo::exists(out));
        m_environment.remove("COSPADI_RUNS");
    }

    // The directory of a run that was removed by hand, then used by another run.
    void deletingSparesOtherRuns() {
        m_environment.insert("COSPADI_RUNS", place("reused/runs"));
        const QString out = place("reused/my-run");
        const auto make = [&](const char* layers) {
            return run(compressArguments(out) + QStringList{"--layers", layers});
        };
        const std::string first = make("attn_q").object()["run"];
        QVERIFY(QDir(out).removeRecursively());
        const Outcome second = make("attn_k");
        QVERIFY2(
            second.error.contains("note: the files of run " + QByteArray::fromStdString(first)),
            second.error.constData());
        const QString id = QString::fromStdString(first);
        QVERIFY(run({"runs", "delete", id, "--files"}).error.contains("is gone"));
        QVERIFY(QFileInfo::exists(out + "/run.json"));
        QVERIFY(run({"compare", kModel, id, "--weights-only"}).error.contains("is gone"));
        const Outcome series = run({"report", "--series", "error-iteration", "--search", id});
        QVERIFY(!series.out.contains("attn_k"));
        QCOMPARE(run({"runs", "delete", id}).exitCode, 0);
        m_environment.remove("COSPADI_RUNS");
    }

    // Killed while it works: listed all the same, and gone on with by the same command.
    void killedRunsAreListedAndGoOn() {
        m_environment.insert("COSPADI_RUNS", place("killed-run/runs"));
        const QStringList arguments{"compress",     kModel, "--method", "cospadi-free",
                                    "--iterations", "3000", "--json"};
        QProcess process;
        process.setProcessEnvironment(m_environment);
        process.start(COSPADI_CLI, arguments);
        const auto listed = [&](const char* status) {
            return run({"runs", "list", "--status", status, "--json"}).object()["runs"];
        };
        QTRY_COMPARE_WITH_TIMEOUT(static_cast<int>(listed("running").size()), 1, 30000);
        process.kill();
        QVERIFY(process.waitForFinished());
        QCOMPARE(static_cast<int>(listed("running").size()), 0);
        const json interrupted = listed("interrupted");
        QCOMPARE(static_cast<int>(interrupted.size()), 1);
        QProcess again;
        again.setProcessEnvironment(m_environment);
        again.start(COSPADI_CLI, arguments);
        QTRY_COMPARE_WITH_TIMEOUT(static_cast<int>(listed("running").size()), 1, 30000);
        QCOMPARE(listed("running")[0]["id"], interrupted[0]["id"]);
        again.kill();
        QVERIFY(again.waitForFinished());
        QVERIFY(again.readAllStandardError().contains("goes on with"));
        m_environment.remove("COSPADI_RUNS");
    }

    void aBrokenStoreIsNamedFirst() {
        m_environment.insert("COSPADI_RUNS", place("garbage/runs"));
        QVERIFY(QDir().mkpath(place("garbage/runs")));
        QFile store(place("garbage/runs/cospadi.sqlite"));
        QVERIFY(store.open(QIODevice::WriteOnly));
        store.write(QByteArray(9000, 'x'));
        store.close();
        const QString out = place("garbage/my-run");
        const Outcome outcome = run(compressArguments(out));
        m_environment.remove("COSPADI_RUNS");
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY(!QFileInfo::exists(out));
    }

    // A store that will not open is told before an evaluation, not after it.
    void aBrokenStoreIsNamedBeforeAnEvaluation() {
        const QString folder = modelWithTokenizer("measured");
        m_environment.insert("COSPADI_RUNS", place("measured-runs/runs"));
        const QString out = place("measured-runs/runs/a");
        QStringList compress = compressArguments(out);
        compress.replaceInStrings(kModel, folder);
        QCOMPARE(run(compress).exitCode, 0);
        QFile text(place("measured.txt"));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write(QByteArray("some words to be read ").repeated(200));
        text.close();
        QFile store(place("measured-runs/runs/cospadi.sqlite"));
        QVERIFY(store.open(QIODevice::WriteOnly | QIODevice::Truncate));
        store.write(QByteArray(9000, 'x'));
        store.close();
        const QStringList evaluate{"evaluate",      out,         "--perplexity",
                                   text.fileName(), "--context", "16"};
        const Outcome outcome = run(evaluate);
        m_environment.remove("COSPADI_RUNS");
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.error.contains("cospadi.sqlite"), outcome.error.constData());
        QCOMPARE(QDir(out + "/evaluations").entryList(QDir::Files).size(), 0);
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
        const Outcome imported = run({"lm-eval", "import", results, "--json"});
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

    void calibrateListsItsGrams() {
        const QString folder = modelWithTokenizer("calibrated");
        QFile text(place("calibration.txt"));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write(QByteArray("some words to be read ").repeated(200));
        text.close();
        const QStringList arguments{"calibrate",   folder, "--text",   text.fileName(),
                                    "--sequences", "2",    "--length", "16"};
        const Outcome outcome = run(arguments);
        QVERIFY2(outcome.exitCode == 0, outcome.error.constData());
        QVERIFY(outcome.out.indexOf("blk.0.") < outcome.out.indexOf("blk.1."));
        QCOMPARE(run(arguments + QStringList{"--length", "1"}).exitCode, 2);
        const Outcome tooShort = run({"compress", folder, "--method", "cospadi", "--calibration",
                                      text.fileName(), "--out", place("too-short")});
        QVERIFY2(tooShort.error.contains("tokens, but"), tooShort.error.constData());
        QVERIFY(!QFileInfo::exists(place("too-short")));
    }

    // Ctrl-C: what is in flight is answered, and the command ends well.
    void serveEndsOnASignal() {
        const QString folder = modelWithTokenizer("served");
        for (const int signal : {SIGINT, SIGTERM}) {
            QProcess process;
            process.setProcessEnvironment(m_environment);
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

    void compressListShowDelete() {
        const Outcome run1 = run(compressArguments(place("listed")));
        QCOMPARE(run1.exitCode, 0);
        const std::string id = run1.object()["run"];
        const json listed = run({"runs", "list", "--json"}).object();
        QCOMPARE(static_cast<int>(listed["runs"].size()), 1);
        QCOMPARE(listed["runs"][0]["bytes"], run1.object()["bytes"]);
        QCOMPARE(run({"runs", "tag", QString::fromStdString(id), "mine"}).exitCode, 0);
        QCOMPARE(static_cast<int>(
                     run({"runs", "list", "--tag", "mine", "--json"}).object()["runs"].size()),
                 1);
        QCOMPARE(run({"runs", "delete", QString::fromStdString(id)}).exitCode, 0);
        QCOMPARE(static_cast<int>(run({"runs", "list", "--json"}).object()["runs"].size()), 0);
        QCOMPARE(run({"runs", "import", place("listed")}).exitCode, 0);
        QCOMPARE(static_cast<int>(run({"runs", "list", "--json"}).object()["runs"].size()), 1);
    }

    // A file-size limit stands for a full disk: the write fails in the middle of a file.
    // Whatever stands before it or behind, options replace what the preset says.
    void optionsReplaceThePresets() {
        const QString model = modelWithTokenizer("preset-model");
        const QString out = place("preset");
        const Outcome made =
            run({"compress", model, "--iterations", "2", "--preset", "paper", "--sequences", "2",
                 "--length", "32", "--layers", "^blk\\.0\\.attn_q", "--no-model", "--out", out});
        QVERIFY2(made.exitCode == 0, made.error.constData());
        std::ifstream file((out + "/run.json").toStdString());
        const json s = json::parse(file)["specification"];
        QCOMPARE(s["iterations"].get<int>(), 2);
        QCOMPARE(s["calibration"]["sequences"].get<int>(), 2);
        QCOMPARE(s["solver"].get<std::string>(), std::string("ksvd"));
        QCOMPARE(s["init"].get<std::string>(), std::string("weight"));
        QCOMPARE(s["dead_atoms"].get<std::string>(), std::string("keep"));
        QCOMPARE(s["coefficient_rounding"].get<std::string>(), std::string("truncate"));
        QVERIFY(s["calibration"]["text"].get<std::string>().ends_with("web_calib.jsonl.gz"));
        const Outcome sweep = run({"sweep", model, "--preset", "paper", "--iterations", "2,60",
                                   "--sequences", "2", "--length", "32", "--dry-run", "--json"});
        QVERIFY2(sweep.exitCode == 0, sweep.error.constData());
        const json jobs = sweep.object()["jobs"];
        QCOMPARE(jobs.size(), std::size_t{2});
        for (const json& job : jobs) {
            QCOMPARE(job["specification"]["init"].get<std::string>(), std::string("weight"));
        }
    }

    void fullDiskIsAnErrorAndCanBeResumed() {
        const QString out = place("full");
        QCOMPARE(run(compressArguments(place("whole"))).exitCode, 0);
        const QStringList shell{"-c", "ulimit -f 10; trap '' XFSZ; exec \"$0\" \"$@\"",
                                COSPADI_CLI};
        const Outcome failed = run(shell + compressArguments(out), "/bin/sh");
        QCOMPARE(failed.exitCode, 1);
        QVERIFY2(!failed.object()["error"]["hint"].get<std::string>().empty(),
                 failed.out.constData());
        QVERIFY(!QFileInfo::exists(out + "/result.json"));
        QCOMPARE(run(compressArguments(out)).exitCode, 0);
        QVERIFY(codesIn(out) == codesIn(place("whole")));
    }

    // A run leaves as one file that any tar reads, and comes back with what people wrote to it.
    void runsTravel() {
        const std::string id = run(compressArguments(place("traveller"))).object()["run"];
        const QString name = QString::fromStdString(id);
        QCOMPARE(run({"runs", "tag", name, "mine"}).exitCode, 0);
        QCOMPARE(run({"runs", "note", name, "a note"}).exitCode, 0);
        QCOMPARE(run({"runs", "star", name}).exitCode, 0);
        // What a task of lm-eval leaves lies deepest.
        const QString task = place("traveller/evaluations/lm-eval-0123456789ab");
        QVERIFY(QDir().mkpath(task));
        for (const char* part : {"results.json", "samples_arc_challenge.jsonl"}) {
            QFile result(task + "/" + part);
            QVERIFY(result.open(QIODevice::WriteOnly));
            result.write("{}");
        }
        const QString file = place("run.tar");
        QCOMPARE(run({"runs", "export", name, "--out", file}).exitCode, 0);
        QVERIFY(run({"runs", "export", name, "--out", file}).error.contains("is there already"));
        const Outcome listed = run({"-tf", file}, "tar");
        QCOMPARE(listed.exitCode, 0);
        QVERIFY(listed.out.contains(name.toUtf8() + "/matrices/blk.0.attn_q.safetensors"));
        QVERIFY(!listed.out.contains("run.lock"));
        QDir().mkpath(place("unpacked"));
        QCOMPARE(run({"-xf", file, "-C", place("unpacked")}, "tar").exitCode, 0);
        QVERIFY(codesIn(place("unpacked/" + name)) == codesIn(place("traveller")));

        QCOMPARE(run({"runs", "delete", name, "--files"}).exitCode, 0);
        QVERIFY(!QFileInfo::exists(place("traveller")));
        const json taken = run({"runs", "import", file, "--json"}).object();
        QCOMPARE(taken["imported"].get<int>(), 1);
        const json shown = run({"runs", "show", name, "--json"}).object();
        QCOMPARE(shown["tags"], json::array({"mine"}));
        QCOMPARE(shown["note"].get<std::string>(), std::string("a note"));
        QVERIFY(shown["starred"].get<bool>());
        QVERIFY(codesIn(QString::fromStdString(shown["directory"])) ==
                codesIn(place("unpacked/" + name)));
        QVERIFY(run({"runs", "import", file}).error.contains("is there already"));

        // A tar that someone packed again comes in too.
        QCOMPARE(run({"runs", "delete", name, "--files"}).exitCode, 0);
        QCOMPARE(run({"-cf", place("again.tar"), "-C", place("unpacked"), name}, "tar").exitCode,
                 0);
        const Outcome packed = run({"runs", "import", place("again.tar")});
        QVERIFY2(packed.exitCode == 0, packed.error.constData());
        QCOMPARE(run({"runs", "delete", name, "--files"}).exitCode, 0);
    }

    void badArchives_data() {
        QTest::addColumn<QString>("python");
        QTest::addColumn<QString>("says");
        const QString add =
            "i = tarfile.TarInfo('%1'); i.size = 2; t.addfile(i, io.BytesIO(b'{}'))";
        QTest::newRow("climbs") << add.arg("x/../../evil") << "no file of a run";
        QTest::newRow("absolute") << add.arg("/tmp/evil") << "no file of a run";
        QTest::newRow("top level") << add.arg("evil") << "no file of a run";
        QTest::newRow("link") << "i = tarfile.TarInfo('x/run.json'); i.type = tarfile.SYMTYPE; "
                                 "i.linkname = '/etc/passwd'; t.addfile(i)"
                              << "no plain file";
        QTest::newRow("no run") << add.arg("x/letter.txt") << "run.json";
        QTest::newRow("empty") << "pass"
                               << "holds no run";
    }

    void badArchives() {
        QFETCH(QString, python);
        QFETCH(QString, says);
        const QString file = place("bad.tar");
        QFile::remove(file);
        QCOMPARE(run({"-c",
                      "import io, sys, tarfile\nt = tarfile.open(sys.argv[1], 'w')\n" + python +
                          "\nt.close()",
                      file},
                     "python3")
                     .exitCode,
                 0);
        const Outcome outcome = run({"runs", "import", file});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.error.contains(says.toUtf8()), outcome.error.constData());
        QVERIFY(!QFileInfo::exists(place("evil")) && !QFileInfo::exists("/tmp/evil"));
        const QDir runs(place("data/cospadi/runs"));
        QVERIFY(!runs.exists() ||
                runs.entryList({".import*", "x"}, QDir::AllEntries | QDir::Hidden).isEmpty());
    }

    void damagedArchivesAreNamed() {
        const QString file = place("cut.tar");
        QFile whole(file);
        QVERIFY(whole.open(QIODevice::WriteOnly));
        whole.write(QByteArray(5000, 'x'));
        whole.close();
        QVERIFY(run({"runs", "import", file}).error.contains("no tar archive"));
    }

    QStringList sweepArguments() const {
        return {"sweep",    kModel,  "--method", "svd,cospadi-free", "--cr", "0.2,0.4",
                "--layers", "attn_", "--json"};
    }

    void sweepSkipsWhatIsDone() {
        m_environment.insert("COSPADI_RUNS", place("swept/runs"));
        const json plan = run(sweepArguments() + QStringList{"--dry-run"}).object();
        QCOMPARE(static_cast<int>(plan["jobs"].size()), 4);
        QVERIFY(plan["seconds"].get<double>() > 0);
        QVERIFY(plan["jobs"][0]["memory_bytes"].get<double>() > 0);
        QVERIFY(QDir(place("swept/runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).isEmpty());
        const Outcome first = run(sweepArguments());
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
        QVERIFY(run({"report", "--metric", "error", "--rename", "svd"}).error.contains("OLD=NEW"));
        for (const char* word : {"--metric", "--series"}) {
            const Outcome wrong = run({"report", word, "nonsense"});
            QCOMPARE(wrong.exitCode, 2);
            QVERIFY2(wrong.error.contains("\"nonsense\" (there are: "), wrong.error.constData());
        }
        // Where the bytes went: fast puts the dictionary on the shorter side (decision 2), in bf16;
        // the mask has a bit for every atom and column (eq 10).
        const QList<QByteArray> storage =
            run({"report", "--preset", "storage", "--format", "csv"}).out.split('\n');
        QCOMPARE(storage.first().trimmed(),
                 QByteArray("run,method,layers,cr,accounting,dense,dictionary,values,mask,total"));
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
        for (const json& matrix : stored["matrices_list"]) {
            const auto [d1, d2] = shapes.at(matrix["name"]);
            const auto k = matrix["k"].get<std::int64_t>();
            dictionary += 2 * k * std::min(d1, d2);
            mask += (k * std::max(d1, d2) + 7) / 8;
        }
        QCOMPARE(cells[6].toLongLong(), dictionary);
        QCOMPARE(cells[8].toLongLong(), mask);
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
            const QByteArray named = filter.join(' ').toUtf8();
            const Outcome listed = run(QStringList{"runs", "list", "--json"} + filter);
            const Outcome grouped =
                run(QStringList{"runs", "list", "--group", "method,cr", "--json"} + filter);
            QVERIFY2(grouped.exitCode == 0, named + ": " + grouped.error);
            std::size_t runs = 0;
            const json found = grouped.object();
            for (const json& group : found["groups"]) {
                runs += group["runs"].get<std::size_t>();
            }
            const json all = listed.object();
            QVERIFY2(runs == all["runs"].size(), named);
        }

        const Outcome failing = run({"sweep", kModel, "--method", "svd", "--layers", "ffn_sideways",
                                     "--layers", "attn_", "--json"});
        QCOMPARE(failing.exitCode, 1);
        QCOMPARE(failing.object()["failed"].get<int>(), 1);
        QCOMPARE(failing.object()["skipped"].get<int>(), 1);
        m_environment.remove("COSPADI_RUNS");
    }

    // A file holds the grid, its name, tags and what is measured; its runs are found by name.
    void sweepsAreFoundByName() {
        m_environment.insert("COSPADI_RUNS", place("named/runs"));
        const QString folder = modelWithTokenizer("named-model");
        QFile text(place("named.txt"));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write(QByteArray("some words to be read ").repeated(200));
        text.close();
        QFile grid(place("tiny.yaml"));
        QVERIFY(grid.open(QIODevice::WriteOnly));
        grid.write("model: " + folder.toUtf8() +
                   "\nmethod: [svd, cospadi-free]\nlayers: attn_k\nseed: [1, 2]\ntags: [paper, "
                   "small]\nevaluate: {text: " +
                   text.fileName().toUtf8() + ", context: 16}\n");
        grid.close();
        const Outcome swept = run({"sweep", grid.fileName(), "--tag", "more", "--json"});
        QVERIFY2(swept.exitCode == 0, swept.error.constData());
        QVERIFY2(swept.error.contains("4 combinations are 2 runs"), swept.error.constData());
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
        m_environment.remove("COSPADI_RUNS");
    }

    // Both kinds of evaluation of a model stand with its dense run.
    void evaluationsOfAModelAreRecorded() {
        m_environment.insert("COSPADI_RUNS", place("recorded/runs"));
        const QString folder = modelWithTokenizer("recorded-model");
        QFile text(place("recorded.txt"));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write(QByteArray("some words to be read ").repeated(200));
        text.close();
        const Outcome outcome =
            run({"evaluate", folder, "--perplexity", text.fileName(), "--context", "16", "--json"});
        QVERIFY2(outcome.exitCode == 0, outcome.error.constData());
        const json runs = run({"runs", "list", "--json"}).object()["runs"];
        QCOMPARE(runs.size(), std::size_t{1});
        QCOMPARE(runs[0]["method"].get<std::string>(), std::string("dense"));
        QCOMPARE(runs[0]["evaluations"][0]["perplexity"], outcome.object()["perplexity"]);
        m_environment.remove("COSPADI_RUNS");
    }

    void inspectShowsRuns() {
        const QString out = place("inspected");
        const json made = run(compressArguments(out) + QStringList{"--layers", "attn_k"}).object();
        const json object = run({"inspect", out, "--json"}).object();
        QCOMPARE(object["run"], made["run"]);
        std::int64_t bytes = 0;
        for (const json& layer : object["layers"]) {
            if (layer["kind"] == "attn_k") {
                QVERIFY(layer["dtype"].get<std::string>().starts_with("k "));
                bytes += layer["bytes"].get<std::int64_t>();
            } else {
                QVERIFY(!layer["dtype"].get<std::string>().starts_with("k "));
            }
        }
        QCOMPARE(bytes, made["bytes"].get<std::int64_t>());
    }

    // Killed at many points, a sweep ends in the same factors as one that was not.
    void sweepSurvivesKill() {
        m_environment.insert("COSPADI_RUNS", place("killed-sweep/runs"));
        int kills = 0;
        for (int milliseconds = 20; milliseconds < 600; milliseconds += 40) {
            QProcess process;
            process.setProcessEnvironment(m_environment);
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
        m_environment.insert("COSPADI_RUNS", place("swept/runs"));
        const json whole = run(sweepArguments()).object();
        m_environment.remove("COSPADI_RUNS");
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(last["jobs"][i]["relative_error"], whole["jobs"][i]["relative_error"]);
            if (last["jobs"][i]["specification"]["method"] == "cospadi-free") {
                QVERIFY(codesIn(QString::fromStdString(last["jobs"][i]["directory"])) ==
                        codesIn(QString::fromStdString(whole["jobs"][i]["directory"])));
            }
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

    void newerStoresAreNamed() {
        m_environment.insert("COSPADI_RUNS", place("sealed/runs"));
        QCOMPARE(run(compressArguments(place("sealed-run"))).exitCode, 0);
        const QString store = place("sealed/runs/cospadi.sqlite");
        QCOMPARE(run({"-c",
                      "import sqlite3, sys\n"
                      "c = sqlite3.connect(sys.argv[1]); c.execute('PRAGMA user_version = 99')\n"
                      "c.commit()",
                      store},
                     "python3")
                     .exitCode,
                 0);
        const Outcome newer = run({"runs", "list"});
        QCOMPARE(newer.exitCode, 1);
        QVERIFY2(newer.error.contains("schema 99"), newer.error.constData());
        m_environment.remove("COSPADI_RUNS");
    }

    void engineSpeaksItsProtocol() {
        QProcess engine;
        engine.setProcessEnvironment(m_environment);
        engine.start(COSPADI_CLI, {"engine"});
        QVERIFY(engine.waitForStarted());
        const auto ask = [&](const QByteArray& line) { engine.write(line + "\n"); };
        const auto hear = [&]() -> json {
            while (!engine.canReadLine()) {
                if (!engine.waitForReadyRead(60000)) {
                    return nullptr;
                }
            }
            return json::parse(engine.readLine().toStdString());
        };
        ask(R"({"id": 1, "method": "hello"})");
        QCOMPARE(hear()["result"]["protocol"].get<int>(), 1);
        ask("this is no JSON");
        QVERIFY(hear().contains("error"));
        ask(R"({"id": 2, "method": "dance"})");
        QVERIFY(hear()["error"]["message"].get<std::string>().find("dance") != std::string::npos);
        const json request{
            {"id", 3},
            {"method", "compress"},
            {"params",
             {{"specification", {{"model", kModel.toStdString()}, {"method", "cospadi-free"}}},
              {"directory", place("engine").toStdString()}}}};
        ask(QByteArray::fromStdString(request.dump()));
        const json reply = hear();
        const std::string id = reply["result"]["run"];
        int iterations = 0;
        int matrices = 0;
        json event;
        do {
            event = hear();
            QVERIFY(event.contains("event"));
            QCOMPARE(event["run"].get<std::string>(), id);
            iterations += event["event"] == "iteration" ? 1 : 0;
            matrices += event["event"] == "matrix_finished" ? 1 : 0;
        } while (event["event"] != "run_finished");
        QCOMPARE(event["status"].get<std::string>(), std::string("finished"));
        QCOMPARE(matrices, 14);
        QVERIFY(iterations >= 14);
        engine.closeWriteChannel();
        QVERIFY(engine.waitForFinished());
        QCOMPARE(engine.exitCode(), 0);
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
