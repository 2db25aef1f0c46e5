// Requests to the server, good and bad ones, whole and in pieces: every answer has a status and
// OpenAI's error shape.
#include "core/serving/http_server.h"

#include <QtTest>
#include <memory>

#include "http_server_under_test.h"
#include "tests/registered_test.h"

namespace tst_http_requests {

using namespace cospadi;
using nlohmann::json;

class TestHttpRequests : public QObject {
    Q_OBJECT
    std::unique_ptr<HttpServerUnderTest> m_server;

    int port() const { return m_server->port(); }

  private slots:
    void initTestCase() { m_server = std::make_unique<HttpServerUnderTest>(); }

    void malformedRequests_data() {
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<int>("status");
        const auto row = [](const char* name, const QByteArray& request, int status) {
            QTest::newRow(name) << request << status;
        };
        const QByteArray host = "Host: localhost\r\n";
        row("no HTTP", "hello\r\n\r\n", 400);
        row("HTTP/2", "GET / HTTP/2.0\r\n\r\n", 505);
        row("no target", "GET HTTP/1.1\r\n\r\n", 400);
        row("absolute target", "GET http://x/ HTTP/1.1\r\n\r\n", 400);
        row("bare line feeds", "GET /health HTTP/1.1\nHost: x\n\r\n\r\n", 400);
        row("empty", "\r\n\r\n", 400);
        row("folded header", "GET /health HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400);
        row("space before the colon", "GET /health HTTP/1.1\r\nA : b\r\n\r\n", 400);
        row("no colon", "GET /health HTTP/1.1\r\nhello\r\n\r\n", 400);
        row("NUL in a header", QByteArray("GET /health HTTP/1.1\r\nA: b\0c\r\n\r\n", 32), 400);
        row("long target", "GET /" + QByteArray(5000, 'a') + " HTTP/1.1\r\n\r\n", 414);
        row("long header", "GET / HTTP/1.1\r\nA: " + QByteArray(20000, 'a') + "\r\n\r\n", 431);
        row("many headers", "GET / HTTP/1.1\r\n" + QByteArray("A: b\r\n").repeated(65) + "\r\n",
            431);
        row("unknown path", "GET /nothing HTTP/1.1\r\n" + host + "\r\n", 404);
        row("wrong method", "GET /v1/completions HTTP/1.1\r\n" + host + "\r\n", 405);
        row("two lengths",
            "POST /tokenize HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400);
        row("length and chunks",
            "POST /tokenize HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: "
            "chunked\r\n\r\n0\r\n\r\n",
            400);
        row("length -1", "POST /tokenize HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400);
        row("length 2^64",
            "POST /tokenize HTTP/1.1\r\nContent-Length: 18446744073709551616\r\n\r\n", 413);
        row("length too large", "POST /tokenize HTTP/1.1\r\nContent-Length: 100001\r\n\r\n", 413);
        row("other encoding", "POST /tokenize HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501);
        row("compressed",
            "POST /tokenize HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
            415);
        const QByteArray chunked = "POST /tokenize HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        row("chunk size", chunked + "zz\r\n", 400);
        row("chunk longer than it says", chunked + "2\r\nabcd\r\n", 400);
        row("chunk too large", chunked + "186a1\r\n", 413);
        row("chunk of 2^64", chunked + "10000000000000000\r\n", 413);
        row("chunks without end",
            chunked + QByteArray("4000\r\n" + QByteArray(0x4000, 'a') + "\r\n").repeated(8), 413);
        row("endless chunk line", chunked + "1;" + QByteArray(5000, 'x'), 431);
        row("endless trailer", chunked + "0\r\n" + QByteArray("a: b\r\n").repeated(1000), 431);
        row("foreign host", "GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403);
        row("two hosts", "GET /health HTTP/1.1\r\n" + host + host + "\r\n", 400);
    }

    void malformedRequests() {
        QFETCH(const QByteArray, request);
        QFETCH(const int, status);
        const http::Answer answer = http::exchange(port(), request.toStdString());
        QCOMPARE(answer.status, status);
        const json error = answer.json().at("error");
        QVERIFY(!error.at("message").get<std::string>().empty());
        QVERIFY(!error.at("type").get<std::string>().empty());
        QVERIFY(error.contains("param") && error.contains("code"));
        QVERIFY(m_server->isAlive());
    }

    void headHasNoBody() {
        const std::string host = " HTTP/1.1\r\nHost: localhost\r\n\r\n";
        http::Client client(port());
        for (const auto& [path, status] : {std::pair("/health", 200),
                                           {"/v1/models", 200},
                                           {"/v1/completions", 405},
                                           {"/nothing", 404}}) {
            client.send(std::string("HEAD ") + path + host);
            const http::Answer head = client.answer(true);
            QCOMPARE(head.status, status);
            QVERIFY(head.head.find("Content-Length: ") != std::string::npos);
            // Had a body come, the next response would begin with it.
            client.send(std::string("GET ") + path + host);
            QCOMPARE(client.answer().status, status);
        }
    }

    void badBodies_data() {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("field");
        const auto row = [](const char* name, const QByteArray& body, const char* field) {
            QTest::newRow(name) << body << QString(field);
        };
        row("empty", "", "body");
        row("half", "{\"prompt\": ", "body");
        row("a list", "[1]", "body");
        row("invalid UTF-8", "{\"prompt\": \"\xff\"}", "body");
        row("deep", "{\"prompt\": " + QByteArray(50000, '[') + "}", "body");
        row("a number that is none", "{\"prompt\": \"a\", \"temperature\": 1e999}", "body");
        row("no prompt", "{}", "prompt");
        row("null prompt", R"({"prompt": null})", "prompt");
        row("number as prompt", R"({"prompt": 5})", "prompt");
        row("no prompts", R"({"prompt": []})", "prompt");
        row("one empty prompt", R"({"prompt": [[5], []]})", "prompt");
        row("mixed ids", R"({"prompt": [5, "a"]})", "prompt");
        row("unknown id", R"({"prompt": [512]})", "prompt");
        row("negative id", R"({"prompt": [[-1]]})", "prompt");
        row("id beyond 32 bits", R"({"prompt": [4294967297]})", "prompt");
        row("fraction as id", R"({"prompt": [1.5]})", "prompt");
        row("object as prompt", R"({"prompt": [{"a": 1}]})", "prompt");
        row("prompt too long", "{\"prompt\": [5" + QByteArray(",5").repeated(256) + "]}", "prompt");
        row("too many prompts", "{\"prompt\": [[5]" + QByteArray(",[5]").repeated(512) + "]}",
            "prompt");
        row("max_tokens", R"({"prompt": "a", "max_tokens": -1})", "max_tokens");
        row("max_tokens text", R"({"prompt": "a", "max_tokens": "5"})", "max_tokens");
        row("max_tokens huge", R"({"prompt": "a", "max_tokens": 18446744073709551615})",
            "max_tokens");
        row("logprobs", R"({"prompt": "a", "logprobs": 21})", "logprobs");
        row("logprobs true", R"({"prompt": "a", "logprobs": true})", "logprobs");
        row("temperature", R"({"prompt": "a", "temperature": -0.1})", "temperature");
        row("top_p", R"({"prompt": "a", "top_p": 1.1})", "top_p");
        row("seed", R"({"prompt": "a", "seed": 0.5})", "seed");
        row("stop", R"({"prompt": "a", "stop": [1]})", "stop");
        row("stop object", R"({"prompt": "a", "stop": {}})", "stop");
        row("echo", R"({"prompt": "a", "echo": 1})", "echo");
        row("stream", R"({"prompt": "a", "stream": "yes"})", "stream");
        row("n", R"({"prompt": "a", "n": 2})", "n");
        row("penalty", R"({"prompt": "a", "presence_penalty": 1})", "presence_penalty");
        row("bias", R"({"prompt": "a", "logit_bias": {"5": 1}})", "logit_bias");
        row("suffix", R"({"prompt": "a", "suffix": "b"})", "suffix");
        row("model", R"({"prompt": "a", "model": 5})", "model");
    }

    void badBodies() {
        QFETCH(const QByteArray, body);
        QFETCH(const QString, field);
        const auto answer =
            http::exchange(port(), http::post("/v1/completions", body.toStdString()));
        QCOMPARE(answer.status, 400);
        const json error = answer.json().at("error");
        QCOMPARE(QString::fromStdString(error.at("param").get<std::string>()), field);
        QCOMPARE(error.at("type").get<std::string>(), std::string("invalid_request_error"));
    }

    void otherPaths() {
        http::Client client(port());  // one connection for all
        client.send("GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n");
        QCOMPARE(client.answer().json()["data"][0]["id"].get<std::string>(), std::string("model"));
        client.send("GET /tokenizer_info HTTP/1.1\r\nHost: localhost\r\n\r\n");
        QCOMPARE(client.answer().json()["eos_token"].get<std::string>(), std::string("<|end|>"));
        client.send(
            http::post("/tokenize", R"({"prompt": "Hello <|end|>", "add_special_tokens": false})"));
        const json tokens = client.answer().json();
        QCOMPARE(tokens["tokens"].back().get<int>(), 1);
        QCOMPARE(tokens["count"].get<std::size_t>(), tokens["tokens"].size());
        client.send(http::post("/detokenize", json({{"tokens", tokens["tokens"]}}).dump()));
        QCOMPARE(client.answer().json()["prompt"].get<std::string>(), std::string("Hello <|end|>"));
        for (const char* body : {R"({"tokens": [512]})", R"({"tokens": "a"})", R"({})"}) {
            client.send(http::post("/detokenize", body));
            QCOMPARE(client.answer().json()["error"]["param"].get<std::string>(),
                     std::string("tokens"));
        }
    }

    // The same body in one piece, in chunks, and byte by byte.
    void bodiesInPieces() {
        const std::string body = R"({"prompt": [5, 6], "max_tokens": 1, "temperature": 0})";
        const json whole = http::exchange(port(), http::post("/v1/completions", body)).json();
        std::string chunked =
            "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
            "chunked\r\n\r\n";
        for (const char c : body) {
            chunked += std::string("1;x=y\r\n") + c + "\r\n";
        }
        chunked += "0\r\nTrailer: x\r\n\r\n";
        http::Client client(port());
        for (const char c : chunked) {
            QVERIFY(client.send(std::string(1, c)));
        }
        QCOMPARE(client.answer().json()["choices"], whole["choices"]);
        // Two requests at once on one connection, and one that waits for 100 Continue.
        client.send(http::post("/v1/completions", body) + http::post("/v1/completions", body));
        QCOMPARE(client.answer().json()["choices"], whole["choices"]);
        QCOMPARE(client.answer().json()["choices"], whole["choices"]);
        client.send(
            "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nExpect: "
            "100-continue\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n");
        QCOMPARE(client.answer().status, 100);
        client.send(body);
        QCOMPARE(client.answer().json()["choices"], whole["choices"]);
    }
};

COSPADI_TEST(TestHttpRequests)

}  // namespace tst_http_requests

#include "tst_http_requests.moc"
