// The command line as its users meet it: the built program, its output and its exit codes.
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/pipeline/matrix_file.h"

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

    static std::vector<Eigen::MatrixXf> codesIn(const QString& run) {
        std::vector<fs::path> paths;
        for (const auto& entry : fs::directory_iterator((run + "/matrices").toStdString())) {
            paths.push_back(entry.path());
        }
        std::sort(paths.begin(), paths.end());
        std::vector<Eigen::MatrixXf> codes;
        for (const fs::path& path : paths) {
            const auto stored = cospadi::readMatrixFile(path);
            codes.push_back(std::get<cospadi::SparseDictionaryFactors>(stored.factors).codes);
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
             {"inspect", "tokenize", "logits", "calibrate", "budget", "compress", "evaluate",
              "runs", "report", "bench", "demo", "engine", "Exit codes"}) {
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
        QTest::newRow("bad shape") << QStringList{"budget", "--shape", "12by8"} << 1 << "12by8";
        QTest::newRow("bad ratio")
            << QStringList{"budget", "--shape", "12x8", "--cr", "1.5"} << 1 << "1.5";
        QTest::newRow("no layer") << QStringList{"compress", kModel,     "--method",
                                                 "svd",      "--layers", "nothing"}
                                  << 1 << "nothing";
        QTest::newRow("unknown run") << QStringList{"runs", "show", "nobody"} << 1 << "nobody";
        QTest::newRow("unknown preset")
            << QStringList{"report", "--preset", "nothing"} << 1 << "nothing";
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
    }

    void inspectListsTheLayers() {
        const json object = run({"inspect", kModel, "--json"}).object();
        QCOMPARE(object["architecture"].get<std::string>(), std::string("llama"));
        QCOMPARE(static_cast<int>(object["layers"].size()), 14);
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

    // Killed at many points, a run ends in the same factors as one that was not.
    void survivesKill() {
        QCOMPARE(run(compressArguments(place("whole"))).exitCode, 0);
        const QString killed = place("killed");
        int kills = 0;
        for (int milliseconds = 20; milliseconds < 400; milliseconds += 20) {
            QProcess process;
            process.setProcessEnvironment(m_environment);
            process.start(COSPADI_CLI, compressArguments(killed));
            QVERIFY(process.waitForStarted());
            if (process.waitForFinished(milliseconds)) {
                break;
            }
            process.kill();
            QVERIFY(process.waitForFinished());
            ++kills;
            // Whatever stands under a final name is whole.
            if (fs::exists((killed + "/matrices").toStdString())) {
                for (const auto& entry :
                     fs::directory_iterator((killed + "/matrices").toStdString())) {
                    if (entry.path().extension() == ".safetensors") {
                        static_cast<void>(cospadi::readMatrixFile(entry.path()));
                    }
                }
            }
        }
        QVERIFY(kills > 0);
        const Outcome last = run(compressArguments(killed));
        QCOMPARE(last.exitCode, 0);
        QVERIFY(codesIn(killed) == codesIn(place("whole")));
    }

    // A file-size limit stands for a full disk: the write fails in the middle of a file.
    void fullDiskIsAnErrorAndCanBeResumed() {
        const QString out = place("full");
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
