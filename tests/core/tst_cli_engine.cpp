// `cospadi engine`, by its own protocol of JSON lines.
#include <QtTest>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/cli_small_runs.h"
#include "tests/core/cli_under_test.h"
#include "tests/registered_test.h"

namespace tst_cli_engine {

using cli_runs::kModel;
using nlohmann::json;

class TestCliEngine : public QObject, CliUnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        useDefaultRuns();
    }

    void engineSpeaksItsProtocol() {
        QProcess engine;
        engine.setProcessEnvironment(environment);
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

    // What cannot run is refused with its reason, and leaves no folder that would be listed as a
    // run.
    void whatCannotRunLeavesNoFolder() {
        const QString runs = useRuns("refused/runs");
        const auto asked = [&](const json& fields) {
            json specification{{"model", kModel.toStdString()}, {"method", "cospadi-free"}};
            specification.update(fields);
            const json request{
                {"id", 1}, {"method", "compress"}, {"params", {{"specification", specification}}}};
            const CliOutcome outcome =
                run({"engine"}, COSPADI_CLI, QByteArray::fromStdString(request.dump()) + "\n");
            return json::parse(outcome.out.split('\n').first().toStdString());
        };
        const auto whereOf = [&](const json& fields) {
            return asked(fields).at("error").at("where").get<std::string>();
        };
        const auto folders = [&] {
            return QDir(runs).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size();
        };
        QCOMPARE(whereOf({{"layers", "ffn_sideways"}}), std::string("layers"));
        QCOMPARE(whereOf({{"method", "svd"}, {"ratios", {{"blk.7.attn_q", 0.3}}}}),
                 std::string("ratios"));
        // The model has two blocks.
        QCOMPARE(whereOf({{"method", "replaceme"}, {"blocks", 2}}), std::string("blocks"));
        QCOMPARE(folders(), 0);
        QVERIFY(asked({{"layers", "attn_k"}}).at("result").contains("run"));
        QCOMPARE(folders(), 1);
        useDefaultRuns();
    }

    // Nobody is left waiting for an answer: what has not begun is told so, what has begun ends.
    void everyRequestIsAnsweredWhereTheEngineEnds() {
        QProcess engine;
        engine.setProcessEnvironment(environment);
        engine.start(COSPADI_CLI, {"engine"});
        QVERIFY(engine.waitForStarted());
        const auto ask = [&](int id, const char* method, const json& params) {
            const json request{{"id", id}, {"method", method}, {"params", params}};
            engine.write(QByteArray::fromStdString(request.dump()) + "\n");
        };
        const auto compress = [&](int id, const QString& directory) {
            const json specification{{"model", kModel.toStdString()},
                                     {"method", "cospadi-free"},
                                     {"solver", "ksvd"},
                                     {"iterations", 100000}};  // longer than anybody waits
            ask(id, "compress",
                {{"specification", specification}, {"directory", place(directory).toStdString()}});
        };
        const json ofModel{{"model", kModel.toStdString()}};
        compress(1, "at-work");
        compress(2, "waits");
        ask(3, "evaluate", ofModel);
        ask(4, "calibrate", {{"specification", ofModel}});
        ask(5, "fetch_data", {{"job", "fetch"}, {"tasks", json::array({"piqa"})}});
        std::map<int, int> results;
        std::map<int, int> errors;
        std::map<int, std::vector<std::string>> ends;
        bool isClosed = false;
        for (;;) {
            if (!engine.canReadLine() && !engine.waitForReadyRead(60000)) {
                break;
            }
            while (engine.canReadLine()) {
                const json message = json::parse(engine.readLine().toStdString());
                const std::string event = message.value("event", "");
                if (event == "run_finished") {
                    ends[message.value("request", 0)].push_back(
                        message["status"].get<std::string>());
                } else if (event.empty()) {
                    ++(message.contains("error") ? errors : results)[message["id"].get<int>()];
                } else if (event == "iteration" && !std::exchange(isClosed, true)) {
                    engine.closeWriteChannel();
                }
            }
        }
        QVERIFY(isClosed);
        QVERIFY(engine.state() == QProcess::NotRunning || engine.waitForFinished());
        QCOMPARE(engine.exitCode(), 0);
        QCOMPARE(results, (std::map<int, int>{{1, 1}, {2, 1}}));
        QCOMPARE(errors, (std::map<int, int>{{3, 1}, {4, 1}, {5, 1}}));
        const std::vector<std::string> cancelled{"cancelled"};
        QCOMPARE(ends, (std::map<int, std::vector<std::string>>{{1, cancelled}, {2, cancelled}}));
    }
};

COSPADI_TEST(TestCliEngine)

}  // namespace tst_cli_engine

#include "tst_cli_engine.moc"
