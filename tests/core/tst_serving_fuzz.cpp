// Requests that were cut, joined, flipped and filled with nonsense, sent to a real server: every
// one gets an answer in HTTP, errors in OpenAI's shape, or a closed connection; never a crash, a
// hang, or a server that serves the next client no more.
//
// COSPADI_FUZZ_CASES   how many (default 400)
// COSPADI_FUZZ_ONLY    one case again, by its number, as a failure names it
// The seed is fixed; a case depends on its number alone.
#include <algorithm>
#include <random>

#include "http_client.h"
#include "served_model.h"

using namespace cospadi;
using nlohmann::json;

namespace {

using Random = std::mt19937;

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
    json body{{"prompt", {5, 6, 7}}, {"max_tokens", 3}};
    const std::vector<std::string> fields = {
        "prompt", "max_tokens",        "temperature", "top_p",  "seed",    "stop",
        "echo",   "logprobs",          "stream",      "n",      "best_of", "suffix",
        "model",  "presence_penalty",  "logit_bias",  "tokens", "user",    "stream_options",
        "",       "add_special_tokens"};
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
                                            "/v1/completions",
                                            "/tokenize",
                                            "/detokenize",
                                            "/health",
                                            "/v1/models",
                                            "/tokenizer_info",
                                            "/nothing?a=b",
                                            "/",
                                            "*"};
    const std::vector<std::string> methods = {"POST", "POST", "POST", "GET", "HEAD", "PUT", "p o"};
    const std::vector<std::string> headers = {"Content-Length: 5\r\n",
                                              "Content-Length: 99999999999999999999\r\n",
                                              "Transfer-Encoding: chunked\r\n",
                                              "Connection: close\r\n",
                                              "Expect: 100-continue\r\n",
                                              "Content-Encoding: gzip\r\n",
                                              "X:\r\n",
                                              "Host: evil\r\n",
                                              " folded\r\n",
                                              "Authorization: Bearer x\r\n"};
    const std::string body = anyBody(random);
    std::string request = any(random, methods) + " " + any(random, paths) + " HTTP/1." +
                          (random() % 4 == 0 ? "0" : "1") + "\r\n";
    if (random() % 5 != 0) {
        request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    }
    for (std::size_t i = random() % 3 == 0 ? below(random, 3) : 0; i > 0; --i) {
        request += any(random, headers);
    }
    return request + "\r\n" + body;
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

// What is wrong with the server's words; empty where nothing is.
QString wrongIn(std::string response) {
    while (!response.empty()) {
        const std::size_t end = response.find("\r\n\r\n");
        if (!response.starts_with("HTTP/1.1 ") || end == std::string::npos) {
            return "no head of a response";
        }
        const std::string head = response.substr(0, end);
        const int status = std::atoi(head.c_str() + 9);
        response.erase(0, end + 4);
        if (status == 100) {
            continue;
        }
        const std::size_t field = head.find("Content-Length: ");
        if (field == std::string::npos) {  // a stream; it ends the connection or is chunked
            return status == 200 ? QString() : "an error without a length";
        }
        const std::size_t length = std::stoul(head.substr(field + 16));
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
        served::Server server(model, options);
        const int cases = qEnvironmentVariableIsSet("COSPADI_FUZZ_CASES")
                              ? qEnvironmentVariableIntValue("COSPADI_FUZZ_CASES")
                              : 400;
        const bool one = qEnvironmentVariableIsSet("COSPADI_FUZZ_ONLY");
        const int first = one ? qEnvironmentVariableIntValue("COSPADI_FUZZ_ONLY") : 0;
        int answered = 0;
        for (int number = first; number < (one ? first + 1 : cases); ++number) {
            Random random(static_cast<unsigned>(number));
            std::string request;
            for (std::size_t part = 1 + below(random, 2); part > 0; --part) {
                request += anyRequest(random);
            }
            for (std::size_t i = random() % 4 == 0 ? 0 : 1 + below(random, 5); i > 0; --i) {
                mutate(request, random);
            }
            http::Client client(server.port());
            client.send(request);
            client.finishSending();
            const std::string response = client.everything();
            const QString wrong = client.wasSilent() ? "silence" : wrongIn(response);
            if (!wrong.isEmpty() || one) {
                qInfo("request: %s\nresponse: %s", request.c_str(), response.c_str());
            }
            QVERIFY2(wrong.isEmpty(), qPrintable(QString("case %1: ").arg(number) + wrong));
            answered += response.empty() ? 0 : 1;
        }
        const json whole =
            http::exchange(server.port(),
                           http::post("/v1/completions", R"({"prompt": [5], "max_tokens": 1})"))
                .json();
        QCOMPARE(whole["choices"].size(), std::size_t{1});
        qInfo("%d requests, %d answered", one ? 1 : cases, answered);
        QVERIFY(one || answered * 2 > cases);
    }
};

QTEST_GUILESS_MAIN(TestServingFuzz)
#include "tst_serving_fuzz.moc"
