// What a request comes to: one completion whatever the engine does, and nobody else's news.
#include <QPointer>
#include <QSignalSpy>
#include <QtTest>
#include <memory>
#include <vector>

#include "core/store/run_specification.h"
#include "tests/registered_test.h"
#include "tests/ui/engine_in_shell.h"
#include "ui/engine/matrix_lab.h"

namespace tst_engine_reply {

using namespace cospadi::ui;

namespace {

// Counts what a reply says.
struct Ends {
    explicit Ends(const EngineReply* asked)
        : reply(const_cast<EngineReply*>(asked)),
          begun(asked, &EngineReply::begun),
          progressed(asked, &EngineReply::progressed),
          finished(asked, &EngineReply::finished),
          failed(asked, &EngineReply::failed) {}

    qsizetype count() const { return finished.count() + failed.count(); }
    EngineError error() const { return failed[0][0].value<EngineError>(); }
    QJsonObject result() const { return finished[0][0].toJsonObject(); }

    QPointer<EngineReply> reply;
    QSignalSpy begun;
    QSignalSpy progressed;
    QSignalSpy finished;
    QSignalSpy failed;
};

}  // namespace

class TestEngineReply : public QObject {
    Q_OBJECT

  private slots:
    void everyOpenRequestFailsOnceWhereTheEngineIsKilled() {
        EngineClient client;
        // The first is answered, the second begins; the others never hear anything.
        useScript(client,
                  "read -r line; echo '{\"id\":2,\"result\":{\"a\":1}}'; read -r line; echo "
                  "'{\"id\":3,\"result\":{\"run\":\"r\"}}'; " +
                      kSilence);
        QSignalSpy died(&client, &EngineClient::died);
        std::vector<std::unique_ptr<Ends>> all;
        all.push_back(std::make_unique<Ends>(client.request("portrait")));
        all.push_back(std::make_unique<Ends>(client.request("compress", {}, "run_finished")));
        for (const char* method : {"evaluate", "calibrate", "evaluate_tasks"}) {
            all.push_back(std::make_unique<Ends>(client.request(method)));
        }
        QTRY_COMPARE(all[1]->begun.count(), 1);
        QCOMPARE(all[0]->finished.count(), 1);
        QCOMPARE(all[0]->result()["a"].toInt(), 1);
        int toldBefore = 0;
        connect(&client, &EngineClient::died, &client, [&] {
            for (const auto& ends : all) {
                toldBefore += static_cast<int>(ends->count());
            }
        });
        QVERIFY(killEngine(client));
        QTRY_COMPARE(died.count(), 1);
        QCOMPARE(toldBefore, 5);  // who asked hears before who looks on
        QCOMPARE(all[0]->failed.count(), 0);
        for (std::size_t i = 1; i < all.size(); ++i) {
            QCOMPARE(all[i]->finished.count(), 0);
            QCOMPARE(all[i]->failed.count(), 1);
            QVERIFY(all[i]->error().engineIsGone);
            QVERIFY2(all[i]->error().message.contains("killed"),
                     qPrintable(all[i]->error().message));
        }
        // Nothing comes later, and nothing is kept.
        for (const auto& ends : all) {
            QTRY_VERIFY(ends->reply.isNull());
            QCOMPARE(ends->count(), 1);
        }
    }

    void aProgramThatIsNotThereFailsTheRequest() {
        EngineClient client;
        client.setProgram("/nowhere/cospadi");
        const Ends first(client.request("evaluate"));
        const Ends second(client.request("calibrate"));
        QCOMPARE(first.count(), 0);  // it could not be heard yet
        QTRY_COMPARE(first.failed.count(), 1);
        QTRY_COMPARE(second.failed.count(), 1);
        QVERIFY(first.error().engineIsGone);
        QVERIFY2(first.error().message.contains("could not be started"),
                 qPrintable(first.error().message));
        QCOMPARE(first.error().where, "/nowhere/cospadi");
    }

    // Qt says so from within QProcess::start(): still nobody is told before he could listen.
    void noProgramAtAllFailsTheRequest() {
        EngineClient client;
        client.setProgram({});
        const Ends ends(client.request("evaluate"));
        QCOMPARE(ends.count(), 0);
        QTRY_COMPARE(ends.failed.count(), 1);
        QVERIFY(ends.error().engineIsGone);
        QVERIFY(!ends.error().message.isEmpty());
    }

    void stoppingFailsWhatIsOpenAndIsNoDeath() {
        EngineClient client;
        useScript(client, kSilence);
        QSignalSpy died(&client, &EngineClient::died);
        const Ends ends(client.request("evaluate"));
        client.stop();
        QCOMPARE(ends.failed.count(), 1);
        QVERIFY(ends.error().engineIsGone);
        QVERIFY2(ends.error().message.contains("stopped"), qPrintable(ends.error().message));
        QCOMPARE(died.count(), 0);
    }

    // What the engine still says while it ends counts.
    void anAnswerAtTheEndIsHeard() {
        EngineClient client;
        useScript(client, "cat > /dev/null; echo '{\"id\":2,\"result\":{}}'");
        const Ends ends(client.request("evaluate"));
        client.stop();
        QCOMPARE(ends.finished.count(), 1);
        QCOMPARE(ends.failed.count(), 0);
    }

    void aSecondAnswerIsNone() {
        EngineClient client;
        useScript(client,
                  "read -r line; echo '{\"id\":2,\"result\":{\"a\":1}}'; echo "
                  "'{\"id\":2,\"result\":{\"a\":2}}'; echo '{\"id\":2,\"error\":{}}'; " +
                      kSilence);
        QSignalSpy malformed(&client, &EngineClient::malformedLine);
        const Ends ends(client.request("portrait"));
        QTRY_COMPARE(malformed.count(), 2);
        QCOMPARE(ends.count(), 1);
        QCOMPARE(ends.result()["a"].toInt(), 1);
    }

    void eventsReachWhoAsked() {
        EngineClient client;
        // Events of three requests, one of nobody's, the last event of the first.
        useScript(client,
                  "read -r line; read -r line; read -r line; echo '{\"id\":2,\"result\":{}}'\n"
                  "for id in 2 3 3 77; do echo '{\"event\":\"progress\",\"request\":'$id'}'; done\n"
                  "echo '{\"event\":\"device\"}'\n"
                  "echo '{\"event\":\"run_finished\",\"request\":2,\"status\":\"cancelled\"}'\n" +
                      kSilence);
        QSignalSpy events(&client, &EngineClient::eventReceived);
        const Ends run(client.request("compress", {}, "run_finished"));
        const Ends evaluation(client.request("evaluate"));
        const Ends other(client.request("calibrate"));
        QTRY_COMPARE(run.finished.count(), 1);
        QCOMPARE(run.result()["status"].toString(), "cancelled");
        QCOMPARE(run.begun.count(), 1);
        QCOMPARE(run.progressed.count(), 1);
        QCOMPARE(evaluation.progressed.count(), 2);
        QCOMPARE(other.progressed.count(), 0);
        QCOMPARE(evaluation.count() + other.count(), 0);
        QCOMPARE(events.count(), 6);  // who looks on sees all
    }

    // A handler that asks again talks to the next engine: this death is not its.
    void whoAsksAgainIsAnsweredByTheNextEngine() {
        EngineClient client;
        useScript(client, kSilence);
        std::unique_ptr<Ends> again;
        const EngineReply* first = client.request("evaluate");
        connect(first, &EngineReply::failed, &client, [&] {
            // hello is the third request, this the fourth
            client.setProgram("/bin/sh",
                              {"-c",
                               "read -r line; echo '{\"id\":3,\"result\":{}}'; read -r line; "
                               "echo '{\"id\":4,\"result\":{\"a\":4}}'; cat > /dev/null"});
            again = std::make_unique<Ends>(client.request("evaluate"));
        });
        QTRY_VERIFY(client.processId() > 0);
        QVERIFY(killEngine(client));
        QTRY_VERIFY(again != nullptr && again->count() == 1);
        QCOMPARE(again->failed.count(), 0);
        QCOMPARE(again->result()["a"].toInt(), 4);
    }

    // After its answer an exploration goes on: the engine's end is its end, too.
    void anExplorationThatBeganEndsWithTheEngine() {
        EngineClient client;
        useScript(client,
                  "read -r line; echo '{\"id\":2,\"result\":{\"exploration\":1}}'; " + kSilence);
        MatrixLab lab(&client);
        QSignalSpy failed(&lab, &MatrixLab::exploreFailed);
        lab.explore({}, {"blk.0.attn_q"}, {2}, {0.2});
        QTRY_COMPARE(lab.trace().number(), 1);
        QVERIFY(lab.isExploring());
        QVERIFY(killEngine(client));
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY(!lab.isExploring());
    }

    // Only the latest look of a kind counts.
    void anEarlierPortraitIsDropped() {
        EngineClient client;
        useScript(client,
                  "read -r line; read -r line; echo '{\"id\":2,\"result\":{\"layer\":\"a\"}}'; "
                  "echo '{\"id\":3,\"result\":{\"layer\":\"b\"}}'; " +
                      kSilence);
        MatrixLab lab(&client);
        QSignalSpy ready(&lab, &MatrixLab::portraitReady);
        lab.requestPortrait({}, "a");
        lab.requestPortrait({}, "b");
        QTRY_COMPARE(ready.count(), 1);
        QCOMPARE(ready[0][0].value<MatrixPortraitData>().layer, "b");
    }
};

COSPADI_TEST(TestEngineReply)

}  // namespace tst_engine_reply

#include "tst_engine_reply.moc"
