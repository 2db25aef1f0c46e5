// What the server lends a client: memory, time, connections, a port. No test waits for a time to
// pass; where a deadline is tested, it is the server's own that ends the wait.
#include "core/serving/http_server.h"

#include <QElapsedTimer>
#include <QtTest>
#include <fstream>
#include <memory>
#include <thread>

#include "core/serving/http_client.h"
#include "http_server_under_test.h"
#include "tests/registered_test.h"

namespace tst_http_limits {

using namespace cospadi;
using nlohmann::json;

namespace {

std::int64_t residentKilobytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) {
            return std::stoll(line.substr(6));
        }
    }
    return 0;
}

}  // namespace

class TestHttpLimits : public QObject {
    Q_OBJECT
    std::unique_ptr<HttpServerUnderTest> m_server;

    int port() const { return m_server->port(); }

  private slots:
    void initTestCase() { m_server = std::make_unique<HttpServerUnderTest>(); }

    void endlessHeadersCostNothing() {
        const std::int64_t before = residentKilobytes();
        http::Client client(port());
        client.send("GET / HTTP/1.1\r\n");
        const std::string line = "X: " + std::string(4000, 'a') + "\r\n";
        int sent = 0;
        while (sent < 20'000 && client.send(line)) {  // 80 MB, if anybody took them
            ++sent;
        }
        QVERIFY2(sent < 5'000, "the server went on reading");
        QVERIFY(residentKilobytes() - before < 20'000);
        QVERIFY(m_server->isAlive());
    }

    void slowClientsAreLetGo_data() {
        QTest::addColumn<QByteArray>("beginning");
        QTest::addColumn<int>("status");
        QTest::newRow("head") << QByteArray("GET /health HT") << 408;
        QTest::newRow("body") << QByteArray(
                                     "POST /tokenize HTTP/1.1\r\nContent-Length: 90000\r\n\r\n{")
                              << 408;
        QTest::newRow("idle") << QByteArray() << 0;
    }

    // A byte now and then does not put the deadline off: the server ends it.
    void slowClientsAreLetGo() {
        QFETCH(const QByteArray, beginning);
        QFETCH(const int, status);
        ServerOptions options;
        options.http.headSeconds = options.http.bodySeconds = options.http.idleSeconds = 0.2;
        served::Server server(m_server->model(), options);
        http::Client client(server.port());
        client.send(beginning.toStdString());
        std::jthread drip([&](const std::stop_token& stop) {
            while (!stop.stop_requested() && !beginning.isEmpty() && client.send(" ")) {
                QThread::msleep(20);  // the client's slowness is what is tested
            }
        });
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(client.answer().status, status);
        QVERIFY(timer.elapsed() < 15'000);
    }

    // What was kept open and is closed by now is no failure of the next request.
    void connectionsAreMadeAnew() {
        auto server = std::make_unique<served::Server>(m_server->model());
        ServerOptions options;
        options.port = server->port();
        HttpClient client("127.0.0.1", options.port, 20);
        const std::string body = json{{"prompt", "x"}}.dump();
        QCOMPARE(client.post("/tokenize", body).status, 200);
        QCOMPARE(client.post("/tokenize", body).status, 200);
        server->stop();
        server = std::make_unique<served::Server>(m_server->model(), options);
        QCOMPARE(client.post("/tokenize", body).status, 200);
    }

    // It reads, but so slowly that its response would take an hour; its thread is free before.
    void slowReadersAreLetGo() {
        ServerOptions options;
        options.http.connections = 1;
        options.http.writeSeconds = 0.2;
        options.http.writtenBytesPerSecond = 1e8;  // what the kernel takes at once counts little
        served::Server server(m_server->model(), options);
        std::string text;
        for (int i = 0; i < 2'000'000; ++i) {
            text += static_cast<char>('a' + i % 26);
        }
        http::Client client(server.port(), 1, 4096);
        client.send(http::post("/tokenize", json{{"prompt", text}}.dump()));
        std::jthread drip([&](const std::stop_token& stop) {
            while (!stop.stop_requested() && client.receiveFew(100)) {
                QThread::msleep(10);  // the client's slowness is what is tested
            }
        });
        const std::string health = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
        // Once is enough: the next question may come before this one's connection is given back.
        bool answered = false;
        QTRY_VERIFY_WITH_TIMEOUT(
            answered = answered || http::exchange(server.port(), health).status == 200, 20'000);
    }

    void connectionsOfOneAddress() {
        ServerOptions options;
        options.address = "0.0.0.0";
        options.token = "secret";
        options.http.connectionsPerAddress = 2;
        served::Server server(m_server->model(), options);
        const std::string health =
            "GET /health HTTP/1.1\r\nHost: any\r\nAuthorization: Bearer secret\r\n\r\n";
        http::Client first(server.port());
        http::Client second(server.port());
        http::Client third(server.port());
        http::Client other(server.port(), 2);
        for (const auto& [client, status] :
             {std::pair(&first, 200), {&second, 200}, {&third, 503}, {&other, 200}}) {
            client->send(health);
            QCOMPARE(client->answer().status, status);
        }
    }

    void connectionsAreCounted() {
        ServerOptions options;
        options.http.connections = 2;
        served::Server server(m_server->model(), options);
        const std::string health = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
        http::Client first(server.port());
        http::Client second(server.port());
        for (http::Client* client : {&first, &second}) {  // both are being served
            client->send(health);
            QCOMPARE(client->answer().status, 200);
        }
        const http::Answer third = http::exchange(server.port(), health);
        QCOMPARE(third.status, 503);
        QCOMPARE(third.json()["error"]["code"].get<std::string>(),
                 std::string("too_many_connections"));
        first.close();
        int status = 503;
        for (int attempt = 0; attempt < 1000 && status == 503; ++attempt) {
            status = http::exchange(server.port(), health).status;
        }
        QCOMPARE(status, 200);
        second.send(health);
        QCOMPARE(second.answer().status, 200);
    }

    void takenPort() {
        ServerOptions options;
        options.port = port();
        const QString error = oracle::errorOf(
            [&] { ModelServer second(m_server->model(), json::object(), options); });
        QVERIFY2(error.contains("in use") && error.contains("--port"), qPrintable(error));
    }
};

COSPADI_TEST(TestHttpLimits)

}  // namespace tst_http_limits

#include "tst_http_limits.moc"
