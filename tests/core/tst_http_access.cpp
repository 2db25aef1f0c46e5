// Who may ask the server: programs of this machine, no page of another site, and who has the token.
#include "core/serving/http_server.h"

#include <QtTest>
#include <memory>

#include "core/base/error.h"
#include "core/serving/http_client.h"
#include "http_server_under_test.h"
#include "tests/registered_test.h"

namespace tst_http_access {

using namespace cospadi;
using nlohmann::json;

class TestHttpAccess : public QObject {
    Q_OBJECT
    std::unique_ptr<HttpServerUnderTest> m_server;

    int port() const { return m_server->port(); }

  private slots:
    void initTestCase() { m_server = std::make_unique<HttpServerUnderTest>(); }

    void whoMayAskWithoutAToken_data() {
        QTest::addColumn<QByteArray>("headers");
        QTest::addColumn<int>("status");
        const auto host = [](const char* name, int status) {
            QTest::addRow("Host %s", name) << "Host: " + QByteArray(name) + "\r\n" << status;
        };
        for (const char* name : {"localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:65535",
                                 "127.8.9.10", "[::1]", "[::1]:80", "[0:0:0:0:0:0:0:1]:80"}) {
            host(name, 200);
        }
        for (const char* name : {"evil.example",
                                 "127.evil.example",
                                 "127.0.0.1.evil.example",
                                 "127.0.0.1.",
                                 "localhost.evil.example",
                                 "localhost:80@evil.example",
                                 "127.1",
                                 "127.0.0.256",
                                 "0177.0.0.1",
                                 "10.0.0.1",
                                 "0.0.0.0",
                                 "[::1].evil.example",
                                 "[::1",
                                 "[::2]",
                                 "[::1]80",
                                 "::1",
                                 "localhost:80:80",
                                 "localhost:-1",
                                 "",
                                 "127."}) {
            host(name, 403);
        }
        const QByteArray local = "Host: localhost\r\n";
        const auto row = [&](const char* header, int status) {
            QTest::newRow(header) << local + header + "\r\n" << status;
        };
        row("Origin: http://localhost:3000", 200);
        row("Origin: http://127.0.0.1", 200);
        row("Origin: https://[::1]:8443", 200);
        row("Sec-Fetch-Site: none", 200);
        row("Sec-Fetch-Site: same-origin", 200);
        row("Sec-Fetch-Site: same-site", 200);
        row("Origin: https://evil.example", 403);
        row("Origin: http://127.evil.example", 403);
        row("Origin: http://localhost.evil.example:8080", 403);
        row("Origin: null", 403);
        row("Origin: file://", 403);
        row("Origin: ", 403);
        row("Origin: http://localhost\r\nOrigin: https://evil.example", 403);
        row("Sec-Fetch-Site: cross-site", 403);
        row("Origin: http://localhost\r\nSec-Fetch-Site: cross-site", 403);
    }

    // What a page of another site can make a browser send, and what programs send.
    void whoMayAskWithoutAToken() {
        QFETCH(const QByteArray, headers);
        QFETCH(const int, status);
        const auto get =
            http::exchange(port(), "GET /health HTTP/1.1\r\n" + headers.toStdString() + "\r\n");
        QCOMPARE(get.status, status);
        const std::string body = R"({"prompt": [5], "max_tokens": 1})";
        const auto post = http::exchange(
            port(), "POST /v1/completions HTTP/1.1\r\nContent-Type: text/plain\r\n" +
                        headers.toStdString() + "Content-Length: " + std::to_string(body.size()) +
                        "\r\n\r\n" + body);
        QCOMPARE(post.status, status);
    }

    // The answer is here while the body is still owed: none of it is waited for, or asked for.
    void refusedByTheHead() {
        ServerOptions options;
        options.token = "secret";
        served::Server server(m_server->model(), options);
        const std::string rest = "Content-Length: 16000000\r\nExpect: 100-continue\r\n\r\n";
        const std::string right = "Authorization: Bearer secret\r\n";
        for (const auto& [head, status] :
             {std::pair<std::string, int>("POST /v1/completions HTTP/1.1\r\n", 401),
              {"POST /v1/completions HTTP/1.1\r\nAuthorization: Bearer x\r\n", 401},
              {"POST /nothing HTTP/1.1\r\n" + right, 404},
              {"PUT /v1/completions HTTP/1.1\r\n" + right, 405},
              {"POST /v1/completions HTTP/1.1\r\n" + right, 100}}) {
            http::Client client(server.port());
            client.send(head + rest);
            QCOMPARE(client.answer().status, status);
        }
    }

    // The address in brackets, as the server wants it of a client of IPv6 (RFC 3986, 3.2.2).
    void ownClientOverIpv6() {
        ServerOptions options;
        options.address = "::1";
        std::unique_ptr<served::Server> server;
        try {
            server = std::make_unique<served::Server>(m_server->model(), options);
        } catch (const Error&) {
            QSKIP("this machine has no IPv6");
        }
        HttpClient client("::1", server->port(), 30);
        const auto response = client.post("/tokenize", R"({"prompt": "a"})", "", {});
        QVERIFY2(response.status == 200, response.body.c_str());
    }

    void othersNeedAToken() {
        ServerOptions options;
        options.port = 0;
        options.address = "0.0.0.0";
        const QString error =
            oracle::errorOf([&] { ModelServer open(m_server->model(), json::object(), options); });
        QVERIFY2(error.contains("token"), qPrintable(error));
        options.token = "secret";
        served::Server server(m_server->model(), options);
        const auto status = [&](const std::string& header) {
            return http::exchange(server.port(),
                                  "GET /health HTTP/1.1\r\nHost: any\r\n" + header + "\r\n")
                .status;
        };
        QCOMPARE(status(""), 401);
        QCOMPARE(status("Authorization: Bearer \r\n"), 401);
        QCOMPARE(status("Authorization: Bearer secre\r\n"), 401);
        QCOMPARE(status("Authorization: Bearer secrets\r\n"), 401);
        QCOMPARE(status("Authorization: Basic secret\r\n"), 401);
        QCOMPARE(status("Authorization: Bearer secret\r\n"), 200);
        QCOMPARE(status("Authorization: bearer secret\r\n"), 200);
        QCOMPARE(status("Authorization: BEARER secret\r\n"), 200);
        QCOMPARE(status("Authorization: bearer SECRET\r\n"), 401);
        QCOMPARE(status("Authorization: Bearersecret\r\n"), 401);
        // The token decides, not where the page is from that knows it.
        QCOMPARE(status("Authorization: Bearer secret\r\nOrigin: https://own.example\r\n"), 200);
    }
};

COSPADI_TEST(TestHttpAccess)

}  // namespace tst_http_access

#include "tst_http_access.moc"
