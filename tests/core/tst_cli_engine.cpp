// `cospadi engine`, by its own protocol of JSON lines.
#include <QtTest>
#include <nlohmann/json.hpp>

#include "tests/core/cli_small_runs.h"
#include "tests/core/cli_under_test.h"

using cli::kModel;
using nlohmann::json;

class TestCliEngine : public QObject {
    Q_OBJECT
    CliUnderTest m_cli;

    QString place(const QString& name) const { return m_cli.place(name); }

  private slots:
    void initTestCase() {
        QVERIFY(m_cli.isValid());
        m_cli.useDefaultRuns();
    }

    void engineSpeaksItsProtocol() {
        QProcess engine;
        engine.setProcessEnvironment(m_cli.environment);
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
            QCOMPARE(event.value("request", 0), 3);  // whose work it is
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

QTEST_GUILESS_MAIN(TestCliEngine)
#include "tst_cli_engine.moc"
