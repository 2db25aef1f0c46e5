// Requests that were cut, joined, flipped and filled with nonsense, sent to two real servers, one
// with a token: every one gets an answer in HTTP, errors in OpenAI's shape, or a closed connection;
// never a crash, a hang, or a server that serves the next client no more. Nothing but the right
// token opens the one, and no foreign page or host name the other.
//
// COSPADI_FUZZ_CASES   how many (default 400)
// COSPADI_FUZZ_ONLY    one case again, by its number, as a failure names it
// The seed is fixed; a case depends on its number alone.
#include <algorithm>
#include <random>

#include "http_client.h"
#include "served_model.h"
#include "tests/registered_test.h"

namespace tst_serving_fuzz {

using namespace cospadi;
using nlohmann::json;

namespace {

using Random = std::mt19937;

constexpr const char* kToken = "Authorization: Bearer right-token\r\n";

std::size_t below(Random& random, std::size_t count) { return random() % count; }

template <typename List>
auto any(Random& random, const List& list) {
    return list[below(random, std::size(list))];
}

// Values of every kind, most of them wrong for most fields.
json anyValue(Random& random, int depth = 0) {
    switch (below(random, depth > 2 ? 9 : 11)) {
        case 0:
            return nullptr;
        case 1:
            return random() % 2 == 0;
        case 2:
            return static_cast<std::int64_t>(random() % 600);
        case 3:
            return -static_cast<std::int64_t>(random() % 5);
        case 4:
            return std::numeric_limits<std::uint64_t>::max() - random() % 2;
        case 5:
            return std::ldexp(1.0, static_cast<int>(random() % 2000) - 1000);
        case 6:
            return std::string(below(random, 40), static_cast<char>('!' + random() % 90));
        case 7:
            return any(random, std::vector<std::string>{"", "é☃", "<|end|>", "\n", "\x7f", "true"});
        case 8:
            return json::object();
        default: {
            json list = json::array();
            for (std::size_t i = below(random, 6); i > 0; --i) {
                list.push_back(anyValue(random, depth + 1));
            }
            return list;
        }
    }
}

std::string anyBody(Random& random) {
    json body{{"prompt", {5, 6, 7}},
              {"max_tokens", 3},
              {"messages", {{{"role", "user"}, {"content", "Hello"}}}}};
    if (random() % 3 == 0) {
        const std::vector<std::string> parts = {"role", "content", "type", "text", "tool_calls"};
        json& message = body["messages"][0];
        (random() % 2 == 0 ? message[any(random, parts)] : body["messages"]) = anyValue(random);
    }
    const std::vector<std::string> fields = {"prompt",
                                             "max_tokens",
                                             "temperature",
                                             "top_p",
                                             "seed",
                                             "stop",
                                             "echo",
                                             "logprobs",
                                             "stream",
                                             "n",
                                             "best_of",
                                             "suffix",
                                             "model",
                                             "presence_penalty",
                                             "logit_bias",
                                             "tokens",
                                             "user",
                                             "stream_options",
                                             "",
                                             "add_special_tokens",
                                             "messages",
                                             "max_completion_tokens",
                                             "chat_template_kwargs",
                                             "tools",
                                             "response_format"};
    for (std::size_t i = below(random, 4); i > 0; --i) {
        body[any(random, fields)] = anyValue(random);
    }
    if (body["max_tokens"].is_number() && body["max_tokens"] > 20) {
        body["max_tokens"] = 20;  // valid, and then only slow
    }
    return body.dump(-1, ' ', random() % 2 == 0, json::error_handler_t::replace);
}

std::string anyRequest(Random& random) {
    const std::vector<std::string> paths = {"/v1/completions",
                                            "/v1/completions",
                                            "/v1/chat/completions",
                                            "/v1/chat/completions",
                                            "/tokenize",
                                            "/detokenize",
                                            "/health",
                                            "/v1/models",
                                            "/tokenizer_info",
                                            "/nothing?a=b",
                                            "/",
                                            "*"};
    const std::vector<std::string> methods = {"POST", "GET", "HEAD", "HEAD", "PUT", "p o"};
    const std::vector<std::string> headers = {"Content-Length: 5\r\n",
                                              "Content-Length: 99999999999999999999\r\n",
                                              "Transfer-Encoding: chunked\r\n",
                                              "Connection: close\r\n",
                                              "Expect: 100-continue\r\n",
                                              "Content-Encoding: gzip\r\n",
                                              "X:\r\n",
                                              "Host: evil\r\n",
                                              "Host: 127.0.0.1:8080\r\n",
                                              "Host: [::1]\r\n",
                                              "Host: 127.evil.example\r\n",
                                              "Origin: null\r\n",
                                              "Origin: http://localhost:3000\r\n",
                                              "Origin: https://evil.example\r\n",
                                              "Sec-Fetch-Site: cross-site\r\n",
                                              " folded\r\n",
                                              "Authorization: Bearer x\r\n",
                                              "Authorization: Basic right-token\r\n"};
    const std::string body = anyBody(random);
    const std::string path = any(random, paths);
    const bool isPost = path.starts_with("/v1/c") || path.ends_with("tokenize");
    const std::string method =
        random() % 4 == 0 ? any(random, methods) : std::string(isPost ? "POST" : "GET");
    std::string request =
        method + " " + path + " HTTP/1." + (random() % 4 == 0 ? "0" : "1") + "\r\n";
    if (random() % 5 != 0) {
        request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    }
    for (std::size_t i = random() % 3 == 0 ? below(random, 3) : 0; i > 0; --i) {
        request += any(random, headers);
    }
    request += random() % 3 == 0 ? "" : kToken;
    // Some bodies end before their time.
    return request + "\r\n" +
           body.substr(0, random() % 8 == 0 ? below(random, body.size()) : body.npos);
}

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

void mutate(std::string& bytes, Random& random) {
    const std::size_t at = below(random, bytes.size() + 1);
    const std::size_t length = below(random, std::min<std::size_t>(bytes.size() - at, 40) + 1);
    switch (below(random, 6)) {
        case 0:
            bytes.resize(at);
            break;
        case 1:
            bytes.erase(at, length);
            break;
        case 2:
            bytes.insert(at, bytes.substr(at, length));
            break;
        case 3:
            bytes.insert(at, 1, static_cast<char>(random()));
            break;
        case 4:
            bytes.insert(
                at, any(random, std::vector<std::string>{"\r\n", "\n", "\r\n\r\n", ": ", " ", "\"",
                                                         "[", "{", ",", "\xff"}));
            break;
        default:
            if (at < bytes.size()) {
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
            }
    }
}

struct Tally {
    int answered = 0, good = 0, refused = 0;
};

// What is wrong with the server's words; empty where nothing is.
QString wrongIn(const std::string& request, std::string response, bool needsToken, Tally& tally) {
    tally.answered += response.empty() ? 0 : 1;
    while (!response.empty()) {
        const std::size_t end = response.find("\r\n\r\n");
        if (!response.starts_with("HTTP/1.1 ") || end == std::string::npos) {
            return "no head of a response";
        }
        const std::string head = response.substr(0, end);
        const int status = std::atoi(head.c_str() + 9);
        response.erase(0, end + 4);
        if (needsToken && status < 400 && !holds(request, "right-token")) {
            return "goes on without the token";
        }
        if (status == 100) {
            continue;
        }
        ++(status == 200 ? tally.good : tally.refused);
        const std::size_t field = head.find("Content-Length: ");
        if (field == std::string::npos) {  // a stream; it ends the connection or is chunked
            return status == 200 ? QString() : "an error without a length";
        }
        const std::size_t length = std::stoul(head.substr(field + 16));
        // An answer to HEAD has the length of a body and none; no body begins like a head.
        if (holds(request, "HEAD ") && (response.empty() || response.starts_with("HTTP/1.1 "))) {
            continue;
        }
        if (response.size() < length) {
            return "less than it says";
        }
        const json body = json::parse(response.substr(0, length), nullptr, false);
        response.erase(0, length);
        if (body.is_discarded()) {
            return "a body that is no JSON";
        }
        if (status >= 500 && status != 501 && status != 505) {
            return "blames itself: " + QString::fromStdString(body.dump());
        }
        if (status != 200 && (!body.contains("error") || !body["error"]["message"].is_string() ||
                              !body["error"].contains("param"))) {
            return "an error of another shape";
        }
    }
    return {};
}

}  // namespace

class TestServingFuzz : public QObject {
    Q_OBJECT

  private slots:
    void malformedRequests() {
        QTemporaryDir folder;
        const Model model = served::model(folder);
        ServerOptions options;
        options.http.bodyBytes = 20'000;
        options.chatTemplate = "zephyr";
        served::Server open(model, options);
        options.token = "right-token";
        served::Server guarded(model, options);
        const int cases = qEnvironmentVariableIsSet("COSPADI_FUZZ_CASES")
                              ? qEnvironmentVariableIntValue("COSPADI_FUZZ_CASES")
                              : 400;
        const bool one = qEnvironmentVariableIsSet("COSPADI_FUZZ_ONLY");
        const int first = one ? qEnvironmentVariableIntValue("COSPADI_FUZZ_ONLY") : 0;
        Tally tally;
        for (int number = first; number < (one ? first + 1 : cases); ++number) {
            Random random(static_cast<unsigned>(number));
            const bool needsToken = random() % 2 == 0;
            std::string request;
            for (std::size_t part = 1 + below(random, 3); part > 0; --part) {
                request += anyRequest(random);
            }
            const bool isChanged = random() % 4 != 0;
            for (std::size_t i = isChanged ? 1 + below(random, 5) : 0; i > 0; --i) {
                mutate(request, random);
            }
            http::Client client(needsToken ? guarded.port() : open.port());
            client.send(request);
            client.finishSending();
            const std::string response = client.everything();
            QString wrong =
                client.wasSilent() ? "silence" : wrongIn(request, response, needsToken, tally);
            const std::string head = request.substr(0, request.find("\r\n\r\n"));
            if (!isChanged && !needsToken && response.starts_with("HTTP/1.1 200") &&
                (holds(head, "evil") || holds(head, "Origin: null") || holds(head, "cross-site"))) {
                wrong = "lets a stranger in";
            }
            if (!wrong.isEmpty() || one) {
                qInfo("request: %s\nresponse: %s", request.c_str(), response.c_str());
            }
            QVERIFY2(wrong.isEmpty(), qPrintable(QString("case %1: ").arg(number) + wrong));
        }
        for (served::Server* server : {&open, &guarded}) {
            const auto whole = http::exchange(
                server->port(),
                http::post("/v1/completions", R"({"prompt": [5], "max_tokens": 1})", kToken));
            QCOMPARE(whole.json()["choices"].size(), std::size_t{1});
        }
        qInfo("%d cases, %d answered: %d responses with 200, %d with an error", one ? 1 : cases,
              tally.answered, tally.good, tally.refused);
        QVERIFY(one || (tally.answered * 2 > cases && tally.good > 0 && tally.refused > 0));
    }
};

COSPADI_TEST(TestServingFuzz)

}  // namespace tst_serving_fuzz

#include "tst_serving_fuzz.moc"
