// Completions over HTTP: streamed, echoed, for many clients at once, for one that leaves, and while
// the server stops. No test waits for a time to pass.
#include <QtTest>
#include <atomic>
#include <fstream>
#include <latch>
#include <memory>
#include <sstream>

#include "http_server_under_test.h"
#include "tests/registered_test.h"

namespace tst_http_completions {

using namespace cospadi;
using nlohmann::json;

namespace {

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

// Token N is the word wN after a space, but for one that is the byte of a newline; decoded as by
// SentencePiece.
Model wordModel(const QTemporaryDir& folder, int newline = -1) {
    json vocabulary = json::object();
    for (int i = 0; i < 512; ++i) {
        vocabulary[i == newline ? "<0x0A>" : "\u2581w" + std::to_string(i)] = i;
    }
    const json decoder{
        {"type", "Sequence"},
        {"decoders",
         {{{"type", "Replace"}, {"pattern", {{"String", "\u2581"}}}, {"content", " "}},
          {{"type", "ByteFallback"}},
          {{"type", "Fuse"}},
          {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}};
    const json tokenizer{
        {"version", "1.0"},
        {"added_tokens", json::array()},
        {"normalizer", nullptr},
        {"pre_tokenizer", nullptr},
        {"post_processor", nullptr},
        {"decoder", decoder},
        {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array()}}}};
    const auto place = served::model(folder).sourcePath();
    std::ofstream(place / "tokenizer.json") << tokenizer.dump();
    return Model::load(place);
}

}  // namespace

class TestHttpCompletions : public QObject {
    Q_OBJECT
    std::unique_ptr<HttpServerUnderTest> m_server;

    int port() const { return m_server->port(); }

  private slots:
    void initTestCase() { m_server = std::make_unique<HttpServerUnderTest>(); }

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

    // OpenAI's clients find the field in every piece once they have asked for it.
    void usageIsNullUntilTheEnd() {
        for (const bool asked : {true, false}) {
            const json body{{"prompt", {5, 6, 7}},
                            {"max_tokens", 4},
                            {"temperature", 0},
                            {"stream", true},
                            {"stream_options", {{"include_usage", asked}}}};
            http::Client client(port());
            client.send(http::post("/v1/completions", body.dump(), "Connection: close\r\n"));
            std::istringstream lines(client.everything());
            int pieces = 0;
            for (std::string line; std::getline(lines, line);) {
                if (line.starts_with("data: {")) {
                    const json event = json::parse(line.substr(6));
                    QCOMPARE(event.contains("usage"), asked);
                    const bool isLast = event.at("choices").empty();
                    QCOMPARE(event.value("usage", json()).is_null(), !isLast);
                    ++pieces;
                }
            }
            QVERIFY(pieces > 0);
        }
    }

    // The token that stands in the text is among the likeliest, or the one more that is shown.
    void chosenTokensAreAmongTheLikeliest() {
        const json body{{"prompt", "Hello there"},
                        {"max_tokens", 1},
                        {"temperature", 0},
                        {"echo", true},
                        {"logprobs", 2}};
        const json found =
            http::exchange(port(), completion(body)).json()["choices"][0]["logprobs"];
        int unlikely = 0;
        for (std::size_t t = 1; t < found["tokens"].size(); ++t) {
            const json& top = found["top_logprobs"][t];
            const std::string token = found["tokens"][t];
            QVERIFY2(top.contains(token), token.c_str());
            QCOMPARE(top[token], found["token_logprobs"][t]);
            QVERIFY(top.size() == 2 || top.size() == 3);
            unlikely += top.size() == 3 ? 1 : 0;
        }
        QVERIFY(unlikely > 0);
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

    // Decoders of SentencePiece's kind take the space off a text's first word: a completion's first
    // word is none, and an echoed prompt's first is.
    void wordsKeepTheirSpaces() {
        QTemporaryDir folder;
        const Model model = wordModel(folder);
        served::Server server(model);
        json body{{"prompt", {5, 6, 7}}, {"max_tokens", 4}, {"logprobs", 1}, {"temperature", 0}};
        const auto ask = [&] {
            return http::exchange(server.port(), completion(body)).json()["choices"][0];
        };
        const std::string alone = ask()["text"];
        QVERIFY2(alone.starts_with(" w"), alone.c_str());
        body["echo"] = true;
        const json echoed = ask();
        const std::string text = echoed["text"];
        QCOMPARE(QString::fromStdString(text), QString::fromStdString("w5 w6 w7" + alone));
        const json& logprobs = echoed["logprobs"];
        QCOMPARE(logprobs["tokens"].size(), std::size_t{7});
        for (std::size_t t = 1; t < 7; ++t) {
            const std::string token = logprobs["tokens"][t];
            QCOMPARE(text.substr(logprobs["text_offset"][t], token.size()), token);
        }
    }

    // A newline that is a byte of its own is not repeated by the answer to a prompt that ends in
    // it.
    void newlinesOfAPromptStayThere() {
        QTemporaryDir folder;
        const Model model = wordModel(folder, 7);
        served::Server server(model);
        json body{{"prompt", {5, 6, 7}}, {"max_tokens", 4}, {"logprobs", 1}, {"temperature", 0}};
        const auto ask = [&] {
            return http::exchange(server.port(), completion(body)).json()["choices"][0];
        };
        const json alone = ask();
        std::string tokens;
        for (const json& token : alone["logprobs"]["tokens"]) {
            tokens += token.get<std::string>();
        }
        QCOMPARE(alone["text"].get<std::string>(), tokens);
        body["echo"] = true;
        QCOMPARE(ask()["text"].get<std::string>(), "w5 w6\n" + tokens);
    }

    // Bytes are held back until their run ends: a stop string in the last of them still counts.
    void stopStringsInTheLastBytes() {
        json body{{"prompt", {5, 6, 7}}, {"max_tokens", 1}, {"logprobs", 1}, {"temperature", 0}};
        const auto ask = [&](const Model& model) {
            served::Server server(model);
            return http::exchange(server.port(), completion(body)).json()["choices"][0];
        };
        QTemporaryDir words;
        const std::string word = ask(wordModel(words))["text"];
        QVERIFY2(word.starts_with(" w"), word.c_str());
        QTemporaryDir folder;
        const Model model = wordModel(folder, std::stoi(word.substr(2)));
        const json whole = ask(model);
        QCOMPARE(whole["text"].get<std::string>(), std::string("\n"));
        QCOMPARE(whole["finish_reason"].get<std::string>(), std::string("length"));
        body["stop"] = "\n";
        const json stopped = ask(model);
        QCOMPARE(stopped["text"].get<std::string>(), std::string());
        QCOMPARE(stopped["finish_reason"].get<std::string>(), std::string("stop"));
    }

    // Stopping while completions are under way: they end as if nothing had happened, newcomers are
    // not let in, and idle connections do not hold the server up.
    void stopFinishesWhatIsInFlight() {
        served::Server server(m_server->model());
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
        served::Server server(m_server->model(), options);
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

COSPADI_TEST(TestHttpCompletions)

}  // namespace tst_http_completions

#include "tst_http_completions.moc"
