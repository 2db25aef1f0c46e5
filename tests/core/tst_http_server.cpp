// The server as clients meet it, also bad ones: every answer has a status and OpenAI's error shape,
// limits hold, and a stop finishes what is in flight. No test waits for a time to pass; where a
// deadline is tested, it is the server's own that ends the wait.
#include "core/serving/http_server.h"

#include <QElapsedTimer>
#include <fstream>
#include <latch>

#include "http_client.h"
#include "served_model.h"

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

// The whole text that a stream of server-sent events carried.
struct Streamed {
    std::string text;
    std::vector<std::string> tokens;
    std::string finish;
    json usage;
    bool isDone = false;
};

Streamed parseEvents(const std::string& response) {
    // Chunk sizes stand on lines of their own; events are the lines that begin with "data: ".
    Streamed result;
    std::istringstream lines(response.substr(response.find("\r\n\r\n")));
    for (std::string line; std::getline(lines, line);) {
        if (line == "data: [DONE]") {
            result.isDone = true;
        } else if (line.starts_with("data: ")) {
            const json event = json::parse(line.substr(6));
            result.usage = event.value("usage", json());
            for (const json& choice : event.at("choices")) {
                result.text += choice.at("text").get<std::string>();
                if (choice.at("logprobs").is_object()) {
                    for (const json& token : choice["logprobs"]["tokens"]) {
                        result.tokens.push_back(token);
                    }
                }
                if (!choice.at("finish_reason").is_null()) {
                    result.finish = choice["finish_reason"];
                }
            }
        }
    }
    return result;
}

std::string completion(const json& body) { return http::post("/v1/completions", body.dump()); }

}  // namespace

class TestHttpServer : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    std::unique_ptr<Model> m_model;
    std::unique_ptr<served::Server> m_server;

    int port() const { return m_server->port(); }
    bool isAlive() const {
        return http::exchange(port(), "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").status ==
               200;
    }

  private slots:
    void initTestCase() {
        m_model = std::make_unique<Model>(served::model(m_folder));
        ServerOptions options;
        options.http.bodyBytes = 100'000;
        m_server = std::make_unique<served::Server>(*m_model, options);
    }

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
        QVERIFY(isAlive());
    }

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
        served::Server server(*m_model, options);
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

    void streamsSayTheSame() {
        json body{{"prompt", "Once"},
                  {"max_tokens", 20},
                  {"temperature", 0},
                  {"echo", true},
                  {"logprobs", 2}};
        const json whole = http::exchange(port(), completion(body)).json();
        body["stream"] = true;
        body["stream_options"] = {{"include_usage", true}};
        http::Client client(port());
        client.send("POST /v1/completions HTTP/1.0\r\nContent-Length: " +
                    std::to_string(body.dump().size()) + "\r\n\r\n" + body.dump());
        const Streamed plain =
            parseEvents(client.everything());  // HTTP/1.0: ends with the connection
        const json& choice = whole["choices"][0];
        QCOMPARE(plain.text, choice["text"].get<std::string>());
        QCOMPARE(plain.tokens, choice["logprobs"]["tokens"].get<std::vector<std::string>>());
        QCOMPARE(plain.finish, choice["finish_reason"].get<std::string>());
        QCOMPARE(plain.usage["completion_tokens"], whole["usage"]["completion_tokens"]);
        QVERIFY(plain.isDone);

        http::Client modern(port());
        const std::string request = body.dump();
        modern.send(http::post("/v1/completions", request, "Connection: close\r\n"));
        const std::string response = modern.everything();
        QVERIFY(response.find("Transfer-Encoding: chunked") != std::string::npos);
        QVERIFY(response.ends_with("0\r\n\r\n"));
        QCOMPARE(parseEvents(response).text, plain.text);
    }

    // lm-eval's slices: every list as long as the prompt and one generated entry, no null but the
    // first, and offsets that lead to the tokens' text.
    void echoedLogprobsAreComplete_data() {
        QTest::addColumn<int>("logprobs");
        for (const int count : {0, 1, 5}) {
            QTest::addRow("%d", count) << count;
        }
    }

    void echoedLogprobsAreComplete() {
        QFETCH(const int, logprobs);
        const json body{{"prompt", {"Hello there", "née ☃ x"}},
                        {"max_tokens", 1},
                        {"temperature", 0},
                        {"echo", true},
                        {"logprobs", logprobs}};
        const json answer = http::exchange(port(), completion(body)).json();
        QCOMPARE(answer["choices"].size(), std::size_t{2});
        for (const json& choice : answer["choices"]) {
            const json& found = choice["logprobs"];
            const json prompt{{"prompt", body["prompt"][choice["index"].get<std::size_t>()]}};
            const json tokens =
                http::exchange(port(), http::post("/tokenize", prompt.dump())).json()["tokens"];
            for (const char* list : {"tokens", "token_logprobs", "top_logprobs", "text_offset"}) {
                QCOMPARE(found[list].size(), tokens.size() + 1);
            }
            QVERIFY(found["token_logprobs"][0].is_null() && found["top_logprobs"][0].is_null());
            const auto text = QString::fromStdString(choice["text"]).toUcs4();
            for (std::size_t t = 0; t < tokens.size(); ++t) {
                if (t > 0) {
                    QVERIFY(found["token_logprobs"][t].is_number());
                    QVERIFY(found["top_logprobs"][t].size() >= 1);
                }
                const std::string token = found["tokens"][t];
                if (!token.starts_with("bytes:")) {
                    const auto letters = QString::fromStdString(token).toUcs4();
                    QCOMPARE(text.mid(found["text_offset"][t].get<int>(), letters.size()), letters);
                }
            }
            double best = -1e9;
            for (const json& value : found["top_logprobs"].back()) {
                best = std::max(best, value.get<double>());
            }
            QCOMPARE(best,
                     found["token_logprobs"].back().get<double>());  // greedy: to the last bit
        }
    }

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
        QVERIFY(isAlive());
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
        served::Server server(*m_model, options);
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

    // It reads, but so slowly that its response would take an hour; its thread is free before.
    void slowReadersAreLetGo() {
        ServerOptions options;
        options.http.connections = 1;
        options.http.writeSeconds = 0.2;
        options.http.writtenBytesPerSecond = 1e8;  // what the kernel takes at once counts little
        served::Server server(*m_model, options);
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
        served::Server server(*m_model, options);
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
        served::Server server(*m_model, options);
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
        const QString error =
            oracle::errorOf([&] { ModelServer second(*m_model, json::object(), options); });
        QVERIFY2(error.contains("taken") && error.contains("--port"), qPrintable(error));
    }

    void othersNeedAToken() {
        ServerOptions options;
        options.port = 0;
        options.address = "0.0.0.0";
        const QString error =
            oracle::errorOf([&] { ModelServer open(*m_model, json::object(), options); });
        QVERIFY2(error.contains("token"), qPrintable(error));
        options.token = "secret";
        served::Server server(*m_model, options);
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
        // The token decides, not where the page is from that knows it.
        QCOMPARE(status("Authorization: Bearer secret\r\nOrigin: https://own.example\r\n"), 200);
    }

    // Stopping while completions are under way: they end as if nothing had happened, newcomers are
    // not let in, and idle connections do not hold the server up.
    void stopFinishesWhatIsInFlight() {
        served::Server server(*m_model);
        http::Client idle(server.port());
        idle.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
        QCOMPARE(idle.answer().status, 200);
        const json body{{"prompt", {5, 6}}, {"max_tokens", 200}, {"stream", true}, {"seed", 1}};
        http::Client client(server.port());
        client.send(http::post("/v1/completions", body.dump()));
        QVERIFY(client.receive());  // the first piece is here: it is in flight
        server.requestStop();
        const Streamed streamed = parseEvents(client.everything());
        QVERIFY(streamed.isDone);
        QVERIFY(streamed.finish == "length" || streamed.finish == "stop");
        server.stop();
        QVERIFY(!idle.receive() && !idle.wasSilent());
        QVERIFY(!http::Client(server.port()).isConnected());
    }

    // A client that leaves does not keep the model busy.
    void leavingCancels() {
        SchedulerOptions scheduler;
        scheduler.activeSequences = 1;
        ServerOptions options;
        options.scheduler = scheduler;
        served::Server server(*m_model, options);
        for (const bool stream : {true, false}) {
            const auto finished = server->counts().finished;
            const auto computed = server->counts().computedTokens;
            json prompts = json::array();
            for (int i = 0; i < 400; ++i) {  // all different: minutes of work
                prompts.push_back({5 + i, 6, 7});
            }
            http::Client client(server.port());
            client.send(completion({{"prompt", prompts}, {"max_tokens", 250}, {"stream", stream}}));
            QTRY_VERIFY(server->counts().computedTokens > computed);
            client.close();
            QTRY_COMPARE_WITH_TIMEOUT(server->counts().finished, finished + 400, 20000);
            QVERIFY(server->counts().computedTokens - computed < 400 * 250 / 2);
        }
    }

    void manyClientsAtOnce() {
        const json body{{"prompt", {5, 6, 7}}, {"max_tokens", 8}, {"temperature", 0}};
        const json expected = http::exchange(port(), completion(body)).json()["choices"];
        std::latch start(16);
        std::atomic<int> same{0};
        {
            std::vector<std::jthread> clients;
            for (int i = 0; i < 16; ++i) {
                clients.emplace_back([&] {
                    start.arrive_and_wait();
                    for (int round = 0; round < 10; ++round) {
                        same +=
                            http::exchange(port(), completion(body)).json()["choices"] == expected;
                    }
                });
            }
        }
        QCOMPARE(same.load(), 160);
    }
};

QTEST_GUILESS_MAIN(TestHttpServer)
#include "tst_http_server.moc"
