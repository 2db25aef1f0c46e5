// The client of the engine against programs that misbehave: small shell scripts in its place.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include "core/store/run_specification.h"
#include "tests/registered_test.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/run_controller.h"

namespace tst_engine_client {

using namespace cospadi::ui;

namespace {

// Replies to hello, then does what the script says with each further request line in $line.
const char* const kHello =
    "read -r line; echo "
    "'{\"id\":1,\"result\":{\"version\":\"9\",\"device\":\"cpu\",\"cores\":2}}'\n";

}  // namespace

class TestEngineClient : public QObject {
    Q_OBJECT

    // An EngineClient whose program is `sh -c script`.
    static void useScript(EngineClient& client, const QString& script) {
        client.setProgram("/bin/sh", {"-c", script});
    }

  private slots:
    void greetsAndStops() {
        EngineClient client;
        useScript(client, QString(kHello) + "cat > /dev/null");
        QSignalSpy ready(&client, &EngineClient::ready);
        QSignalSpy died(&client, &EngineClient::died);
        client.start();
        QTRY_COMPARE(ready.count(), 1);
        QCOMPARE(ready[0][0].toString(), "9");
        QCOMPARE(ready[0][2].toInt(), 2);
        client.stop();
        QVERIFY(!client.isRunning());
        QCOMPARE(died.count(), 0);
    }

    void passesOverMalformedLines() {
        EngineClient client;
        useScript(client,
                  QString(kHello) +
                      "echo 'not json'; echo '[1,2]'; echo '{\"id\":77,\"result\":{}}'; echo;"
                      "echo '{\"event\":\"warning\",\"message\":\"NaN\"}'; printf '{\"event\":'; "
                      "sleep 0.1; echo '\"run_paused\"}'; cat > /dev/null");
        QSignalSpy malformed(&client, &EngineClient::malformedLine);
        QSignalSpy events(&client, &EngineClient::eventReceived);
        client.start();
        QTRY_COMPARE(events.count(), 2);  // the second came in two pieces
        QCOMPARE(malformed.count(), 3);
        QVERIFY(client.isRunning());
    }

    void survivesALineWithoutEnd() {
        EngineClient client;
        useScript(client, QString(kHello) +
                              "head -c 20000000 /dev/zero | tr '\\0' 'x'; echo; "
                              "echo '{\"event\":\"run_paused\"}'; cat > /dev/null");
        QSignalSpy malformed(&client, &EngineClient::malformedLine);
        QSignalSpy events(&client, &EngineClient::eventReceived);
        client.start();
        QTRY_COMPARE_WITH_TIMEOUT(events.count(), 1, 20000);
        QCOMPARE(malformed.count(), 1);
    }

    void reportsRefusals() {
        EngineClient client;
        useScript(client, QString(kHello) +
                              "read -r line; echo '{\"id\":2,\"error\":{\"message\":\"no layer\","
                              "\"where\":\"layers\",\"hint\":\"try .*\"}}'; cat > /dev/null");
        const EngineReply* reply = client.request("compress");
        QCOMPARE(reply->id(), 2);  // as the script answers; hello was the first
        QSignalSpy refused(reply, &EngineReply::failed);
        QTRY_COMPARE(refused.count(), 1);
        const auto error = refused[0][0].value<EngineError>();
        QVERIFY(!error.engineIsGone);
        QCOMPARE(error.message, "no layer");
        QCOMPARE(error.where, "layers");
        QCOMPARE(error.hint, "try .*");
    }

    void tellsOfADeadEngineAndStartsAgain() {
        EngineClient client;
        useScript(client, QString(kHello) + "kill -9 $$");
        QSignalSpy died(&client, &EngineClient::died);
        QSignalSpy ready(&client, &EngineClient::ready);
        client.start();
        QTRY_COMPARE(died.count(), 1);
        QVERIFY(!client.isRunning());
        QVERIFY(!died[0][0].value<EngineError>().message.isEmpty());
        useScript(client,
                  "read -r line; echo \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/"
                  "{\"id\":\\1,\"result\":{\"version\":\"10\"}}/'; cat > /dev/null");
        client.request("pause");
        QTRY_COMPARE(ready.count(), 2);
        QVERIFY(client.isRunning());
    }

    void tellsOfAMissingProgram() {
        EngineClient client;
        client.setProgram("/nowhere/cospadi");
        QSignalSpy died(&client, &EngineClient::died);
        client.start();
        QTRY_COMPARE(died.count(), 1);
        QVERIFY(died[0][0].value<EngineError>().where.contains("/nowhere/cospadi"));
    }

    void runSurvivesTheDeathOfItsEngine() {
        EngineClient client;
        useScript(client,
                  QString(kHello) +
                      "read -r line; echo '{\"id\":2,\"result\":{\"run\":\"r\",\"directory\":"
                      "\"/tmp/r\"}}'; echo "
                      "'{\"event\":\"iteration\",\"request\":2,\"run\":\"r\",\"matrix\":"
                      "\"a\",\"iteration\":1,\"relative_error\":0.5}'; sleep 0.1; kill -9 $$");
        RunController run(&client);
        QSignalSpy failed(&run, &RunController::failed);
        run.start(cospadi::RunSpecification{});
        QCOMPARE(run.state(), RunController::State::Starting);
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(run.state(), RunController::State::Idle);
        QCOMPARE(run.trace().matrices().size(), 1);  // nothing that came before is lost
        QVERIFY(run.canResumeInterrupted());
    }

    // It may be refused for a while only, as where another process has the run. What never began
    // cannot be resumed.
    void aRefusedResumeCanBeAskedForAgain() {
        EngineClient client;
        useScript(client,
                  QString(kHello) +
                      "read -r line; echo '{\"id\":2,\"error\":{\"message\":\"no room\"}}'; "
                      "read -r line; echo '{\"id\":3,\"error\":{\"message\":\"locked\"}}'; "
                      "cat > /dev/null");
        RunController run(&client);
        QSignalSpy failed(&run, &RunController::failed);
        run.start(cospadi::RunSpecification{});
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY(!run.canResumeInterrupted());
        run.resumeStored("{}", "/tmp/r");
        QTRY_COMPARE(failed.count(), 2);
        QCOMPARE(failed[1][0].value<EngineError>().message, "locked");
        QVERIFY(run.canResumeInterrupted());
        QCOMPARE(run.directory(), "/tmp/r");
    }

    void eventsAreCoalesced() {
        EventCoalescer coalescer;
        QSignalSpy batches(&coalescer, &EventCoalescer::batchReady);
        for (int i = 0; i < 1000; ++i) {
            coalescer.add({{"i", i}});
        }
        QCOMPARE(batches.count(), 0);
        QTRY_COMPARE(batches.count(), 1);
        const auto events = batches[0][0].value<QList<QJsonObject>>();
        QCOMPARE(events.size(), 1000);
        QCOMPARE(events.last().value("i").toInt(), 999);
    }
};

COSPADI_TEST(TestEngineClient)

}  // namespace tst_engine_client

#include "tst_engine_client.moc"
