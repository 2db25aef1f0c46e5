// Chat completions over HTTP: the prompt is what the model's template makes of the messages, all
// else as of /v1/completions, to which they are compared; and what is refused, by its field.
#include <QtTest>
#include <memory>
#include <sstream>

#include "core/serving/chat_api.h"
#include "core/serving/sequence.h"
#include "http_client.h"
#include "served_model.h"
#include "tests/registered_test.h"

namespace tst_http_chat {

using namespace cospadi;
using nlohmann::json;

namespace {

std::string chatTemplate(const std::string& name) {
    return oracle::text(std::filesystem::path(COSPADI_TEST_DATA "/chat_templates") /
                        (name + ".jinja"));
}

json configWith(const std::string& name) {
    return {{"bos_token", "<|begin|>"},
            {"eos_token", "<|end|>"},
            {"chat_template", chatTemplate(name)}};
}

const json kMessages = {{{"role", "system"}, {"content", "Be brief"}},
                        {{"role", "user"}, {"content", "Hello"}},
                        {{"role", "assistant"}, {"content", "Hi there"}},
                        {{"role", "user"}, {"content", "Who are you"}}};

// As Jinja renders kMessages by the template mistral-v7, written out.
constexpr const char* kPrompt =
    "<|begin|>[SYSTEM_PROMPT] Be brief[/SYSTEM_PROMPT][INST] Hello[/INST] Hi there<|end|>"
    "[INST] Who are you[/INST]";

}  // namespace

class TestHttpChat : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    std::unique_ptr<Model> m_model;
    std::unique_ptr<served::Server> m_server;

    http::Answer ask(const json& body) const { return askOf(*m_server, body); }
    static http::Answer askOf(const served::Server& server, const json& body,
                              const std::string& path = "/v1/chat/completions") {
        return http::exchange(server.port(), http::post(path, body.dump()));
    }
    static std::string contentOf(const http::Answer& answer) {
        return answer.json().at("choices").at(0).at("message").at("content");
    }

  private slots:
    void initTestCase() {
        m_model = std::make_unique<Model>(served::model(m_folder));
        m_server =
            std::make_unique<served::Server>(*m_model, ServerOptions(), configWith("mistral-v7"));
    }

    // The tokenizer puts its begin token before texts, the template writes it: once is enough.
    void answersAsTheCompletionOfTheRenderedPrompt() {
        const json tokens =
            askOf(*m_server, {{"prompt", kPrompt}, {"add_special_tokens", false}}, "/tokenize")
                .json()
                .at("tokens");
        QVERIFY(tokens[0] == 0 && tokens[1] != 0);
        for (const double temperature : {0.0, 1.0}) {
            json body{{"prompt", tokens},           {"max_tokens", 24}, {"seed", 5},
                      {"temperature", temperature}, {"top_p", 0.9},     {"model", "mine"}};
            const json text = askOf(*m_server, body, "/v1/completions").json();
            body.erase("prompt");
            body["messages"] = kMessages;
            const json chat = ask(body).json();
            QCOMPARE(chat.at("object"), json("chat.completion"));
            QCOMPARE(chat.at("model"), json("mine"));
            QVERIFY(chat.at("id").get<std::string>().starts_with("chatcmpl-"));
            const json& choice = chat.at("choices").at(0);
            QCOMPARE(choice.at("message"),
                     json({{"role", "assistant"}, {"content", text["choices"][0]["text"]}}));
            QCOMPARE(choice.at("finish_reason"), text["choices"][0]["finish_reason"]);
            QCOMPARE(choice.at("index"), json(0));
            for (const char* count : {"prompt_tokens", "completion_tokens", "total_tokens"}) {
                QCOMPARE(chat["usage"].at(count), text["usage"].at(count));
            }
            QCOMPARE(chat["usage"]["prompt_tokens"], json(tokens.size()));
        }
    }

    // Parts of text are lines of one message; a newer name of max_tokens; no end but the context's.
    void formsOfARequest() {
        json body{{"messages", {{{"role", "user"}, {"content", "one\ntwo"}}}},
                  {"max_tokens", 9},
                  {"temperature", 0}};
        const std::string plain = contentOf(ask(body));
        body["messages"][0]["content"] = {{{"type", "text"}, {"text", "one"}},
                                          {{"type", "text"}, {"text", "two"}}};
        body["max_completion_tokens"] = body["max_tokens"];
        body.erase("max_tokens");
        body["n"] = 1;
        body["response_format"] = {{"type", "text"}};
        body["tools"] = json::array();
        QCOMPARE(contentOf(ask(body)), plain);
        body.erase("max_completion_tokens");
        const json whole = ask(body).json();
        QVERIFY(whole["choices"][0]["finish_reason"] == "stop" ||
                whole["usage"]["total_tokens"] == m_model->config().contextLength + 1);
    }

    // Who asks for no length gets what there is room for; who asks for too much is told.
    void lengthGoesByMemory() {
        ServerOptions options;
        options.scheduler.workingBytes = 120 * Sequence::bytesOfToken(*m_model);
        served::Server small(*m_model, options, configWith("mistral-v7"));
        json body{{"messages", {{{"role", "user"}, {"content", "x"}}}}, {"temperature", 0}};
        const http::Answer whole = askOf(small, body);
        QCOMPARE(whole.status, 200);
        QVERIFY(whole.json()["usage"]["total_tokens"] <= 120);
        body["max_tokens"] = m_model->config().contextLength;
        const http::Answer refused = askOf(small, body);
        QCOMPARE(refused.status, 400);
        QVERIFY(refused.json()["error"]["message"].get<std::string>().find("only 120 fit") !=
                std::string::npos);
    }

    void streamsSayTheSame() {
        json body{{"messages", kMessages}, {"max_tokens", 20}, {"temperature", 0}};
        const json whole = ask(body).json();
        body["stream"] = true;
        body["stream_options"] = {{"include_usage", true}};
        http::Client client(m_server->port());
        client.send(http::post("/v1/chat/completions", body.dump(), "Connection: close\r\n"));
        std::istringstream lines(client.everything());
        std::vector<json> chunks;
        bool isDone = false;
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("data: {")) {
                chunks.push_back(json::parse(line.substr(6)));
            }
            isDone = isDone || line == "data: [DONE]";
        }
        QVERIFY(isDone && chunks.size() >= 3);
        QCOMPARE(chunks.front()["choices"][0]["delta"],
                 json({{"role", "assistant"}, {"content", ""}}));
        std::string text;
        json finish;
        for (const json& chunk : chunks) {
            QCOMPARE(chunk["object"], json("chat.completion.chunk"));
            for (const json& choice : chunk["choices"]) {
                QVERIFY(!choice.contains("message") && !choice.contains("text"));
                text += choice["delta"].value("content", "");
                QVERIFY(finish.is_null());  // the one that ends is the last
                finish = choice["finish_reason"];
            }
        }
        QCOMPARE(text, whole["choices"][0]["message"]["content"].get<std::string>());
        QCOMPARE(finish, whole["choices"][0]["finish_reason"]);
        QCOMPARE(chunks.back()["usage"]["completion_tokens"], whole["usage"]["completion_tokens"]);
    }

    // Cut before the stop string, wherever tokens begin and end.
    void stopStrings() {
        json body{{"messages", kMessages}, {"max_tokens", 40}, {"temperature", 0}};
        const std::string text = contentOf(ask(body));
        for (std::size_t at = 1; at + 3 < text.size(); at += 3) {
            const std::string stop = text.substr(at, 3);
            const auto isBorder = [&](std::size_t i) {
                return (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
            };
            if (!isBorder(at) || !isBorder(at + 3)) {
                continue;  // part of a character is no text of JSON
            }
            for (const json& given : {json(stop), json({"never in there", stop})}) {
                body["stop"] = given;
                const json answer = ask(body).json();
                QCOMPARE(answer["choices"][0]["message"]["content"].get<std::string>(),
                         text.substr(0, text.find(stop)));
                QCOMPARE(answer["choices"][0]["finish_reason"], json("stop"));
            }
        }
    }

    // Where the template's end of a turn is no token, the model spells it out.
    void endsOfTurnsInTextStopToo() {
        CallLimits limits;
        limits.promptTokens = m_model->config().contextLength;
        limits.vocabularySize = m_model->config().vocabularySize;
        const json body{{"messages", kMessages}, {"stop", "x"}};
        const auto requestOf = [&](const char* name) {
            const ChatTemplate chat = ChatTemplate::named(name, {"<|begin|>", "<|end|>"});
            return readChatCall(body, m_model->tokenizer(), chat, limits).requests.at(0);
        };
        using Stops = std::vector<std::string>;
        QCOMPARE(requestOf("chatml").stop, Stops({"x", "<|im_end|>"}));
        QVERIFY(requestOf("chatml").ends.empty());
        QCOMPARE(requestOf("phi-3.5").stop, Stops({"x"}));
        QCOMPARE(requestOf("phi-3.5").ends.size(), std::size_t{1});
        QCOMPARE(requestOf("mistral-v7").stop, Stops({"x"}));
    }

    void refusals_data() {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QString>("param");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* change, const char* param, const char* says) {
            QTest::newRow(change) << QByteArray(change) << param << says;
        };
        row(R"({"messages": null})", "messages", "missing");
        row(R"({"messages": []})", "messages", "list of 1");
        row(R"({"messages": "hello"})", "messages", "list of 1");
        row(R"({"messages": ["hello"]})", "messages[0]", "object");
        row(R"({"messages": [{"content": "x"}]})", "messages[0].role", "user");
        row(R"({"messages": [{"role": "user", "content": "x"}, {"role": "tool", "content": "x"}]})",
            "messages[1].role", "system, user, assistant");
        row(R"({"messages": [{"role": 7, "content": "x"}]})", "messages[0].role", "one of");
        row(R"({"messages": [{"role": "user"}]})", "messages[0].content", "string");
        row(R"({"messages": [{"role": "user", "content": 5}]})", "messages[0].content", "string");
        row(R"({"messages": [{"role": "user", "content": []}]})", "messages[0].content", "string");
        row(R"({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]})",
            "messages[0].content", "type text");
        row(R"({"messages": [{"role": "user", "content": [{"type": "text", "text": 1}]}]})",
            "messages[0].content", "type text");
        row(R"({"messages": [{"role": "assistant", "content": "x", "tool_calls": [{}]}]})",
            "messages[0].tool_calls", "not supported");
        row(R"({"max_tokens": -1})", "max_tokens", "whole number");
        row(R"({"max_tokens": 4, "max_completion_tokens": 5})", "max_completion_tokens", "differs");
        row(R"({"temperature": "warm"})", "temperature", "number");
        row(R"({"top_p": 2})", "top_p", "number");
        row(R"({"seed": 0.5})", "seed", "whole number");
        row(R"({"stop": 5})", "stop", "strings");
        row(R"({"stream": 1})", "stream", "true or false");
        row(R"({"n": 2})", "n", "only 1");
        row(R"({"frequency_penalty": 1})", "frequency_penalty", "only 0");
        row(R"({"logit_bias": {"5": 1}})", "logit_bias", "not supported");
        row(R"({"logprobs": true})", "logprobs", "not supported");
        row(R"({"tools": [{"type": "function"}]})", "tools", "not supported");
        row(R"({"response_format": {"type": "json_object"}})", "response_format", "only text");
        row(R"({"continue_final_message": true})", "continue_final_message", "not supported");
        row(R"({"add_generation_prompt": false})", "add_generation_prompt", "only true");
        row(R"({"chat_template_kwargs": {"tools": []}})", "chat_template_kwargs", "date_string");
        row(R"({"chat_template_kwargs": {"enable_thinking": false}})", "chat_template_kwargs",
            "mistral-v7 has no enable_thinking");
    }

    void refusals() {
        QFETCH(const QByteArray, change);
        QFETCH(const QString, param);
        QFETCH(const QString, says);
        json body{{"messages", kMessages}, {"max_tokens", 1}};
        body.update(json::parse(change.toStdString()));
        const http::Answer answer = ask(body);
        QCOMPARE(answer.status, 400);
        const json error = answer.json().at("error");
        QCOMPARE(QString::fromStdString(error.at("param")), param);
        QVERIFY2(QString::fromStdString(error.at("message")).contains(says), answer.body.c_str());
        QVERIFY(error.contains("type") && error.contains("code"));
    }

    void longerThanTheContext() {
        const std::string words(static_cast<std::size_t>(m_model->config().contextLength) * 4, 'z');
        const http::Answer answer =
            ask({{"messages", {{{"role", "user"}, {"content", words}}}}, {"max_tokens", 1}});
        QCOMPARE(answer.status, 400);
        QCOMPARE(answer.json()["error"]["param"], json("messages"));
    }

    // Models that are no chat models, that have another template, and one that is named.
    void modelsWithoutAKnownTemplate() {
        const json body{{"messages", kMessages}, {"max_tokens", 3}, {"temperature", 0}};
        served::Server plain(*m_model);
        http::Answer answer = askOf(plain, body);
        QCOMPARE(answer.status, 400);
        QVERIFY2(QString::fromStdString(answer.body).contains("has no chat template"),
                 answer.body.c_str());
        QVERIFY(
            http::exchange(plain.port(), "GET /tokenizer_info HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .json()["chat_template"]
                .is_null());
        const json other{{"bos_token", "<|begin|>"}, {"chat_template", "{{ messages }}"}};
        served::Server foreign(*m_model, {}, other);
        answer = askOf(foreign, body);
        QCOMPARE(answer.status, 400);
        const QString said = QString::fromStdString(answer.body);
        QVERIFY2(said.contains("not one of the known ones") && said.contains("llama-3"),
                 qPrintable(said));
        QCOMPARE(http::exchange(foreign.port(),
                                "GET /tokenizer_info HTTP/1.1\r\nHost: localhost\r\n\r\n")
                     .json()["chat_template"],
                 json("{{ messages }}"));
        QCOMPARE(askOf(foreign, {{"prompt", "x"}, {"max_tokens", 1}}, "/v1/completions").status,
                 200);
        ServerOptions named;
        named.chatTemplate = "mistral-v7";
        served::Server forced(*m_model, named, other);
        QCOMPARE(contentOf(askOf(forced, body)), contentOf(ask(body)));
        named.chatTemplate = "alpaca";
        const QString error = oracle::errorOf([&] { served::Server(*m_model, named, other); });
        QVERIFY2(error.contains("alpaca") && error.contains("chatml"), qPrintable(error));
    }

    // What a template raises is the client's mistake, in the template's own words.
    void whatATemplateRaises() {
        served::Server server(*m_model, {}, configWith("mistral"));
        const http::Answer answer = askOf(server, {{"messages", kMessages}, {"max_tokens", 1}});
        QCOMPARE(answer.status, 400);
        QCOMPARE(answer.json()["error"]["param"], json("messages"));
        QVERIFY2(QString::fromStdString(answer.body).contains("roles must alternate"),
                 answer.body.c_str());
    }
};

COSPADI_TEST(TestHttpChat)

}  // namespace tst_http_chat

#include "tst_http_chat.moc"
