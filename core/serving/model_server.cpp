#include "core/serving/model_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/lower_case.h"
#include "core/exports/model_side_files.h"
#include "core/serving/byte_budget.h"
#include "core/serving/chat_api.h"
#include "core/serving/completion_answer.h"
#include "core/serving/http_server.h"
#include "core/serving/local_caller.h"

namespace cospadi {

namespace {

using nlohmann::json;

// Equal in a time that does not depend on where they differ.
bool isSameSecret(const std::string& given, const std::string& secret) {
    unsigned difference = given.size() == secret.size() ? 0 : 1;
    for (std::size_t i = 0; i < given.size(); ++i) {
        difference |= static_cast<unsigned char>(given[i] ^ secret[i % secret.size()]);
    }
    return difference == 0;
}

constexpr std::size_t kParsingBytes = std::size_t{1} << 30U;  // docs/serving.md

struct CancelledAtTheEnd {
    CompletionTicket& ticket;
    ~CancelledAtTheEnd() { ticket.cancel(); }
};

}  // namespace

struct ModelServer::Impl {
    const Model& model;
    ServerOptions options;
    json tokenizerInfo;
    std::optional<ChatTemplate> chatTemplate;
    std::string whyNoChat;  // where there is none
    std::int64_t started = std::time(nullptr);
    std::atomic<std::int64_t> calls{0};
    ByteBudget parsing{kParsingBytes};
    CompletionScheduler scheduler;
    HttpServer http;

    struct Route {
        const char* method;
        void (Impl::*answer)(HttpExchange&);
    };
    const std::map<std::string, Route> routes = {{"/health", {"GET", &Impl::health}},
                                                 {"/v1/models", {"GET", &Impl::models}},
                                                 {"/v1/completions", {"POST", &Impl::completions}},
                                                 {"/v1/chat/completions", {"POST", &Impl::chat}},
                                                 {"/tokenizer_info", {"GET", &Impl::tokenizer}},
                                                 {"/tokenize", {"POST", &Impl::tokenize}},
                                                 {"/detokenize", {"POST", &Impl::detokenize}}};

    Impl(const Model& m, const json& tokenizerConfig, const ServerOptions& o)
        : model(m),
          options(o),
          scheduler(m, o.scheduler),
          http(
              o.address, o.port, o.http,
              [this](const HttpRequest& request) { return refusalOf(request); },
              [this](HttpExchange& exchange) { handle(exchange); }) {
        for (const char* name : {"eos_token", "bos_token", "pad_token"}) {
            tokenizerInfo[name] = specialToken(tokenizerConfig, name);
        }
        tokenizerInfo["chat_template"] = chatTemplateText(tokenizerConfig);
        try {
            chatTemplate = chatTemplateOf(tokenizerConfig, options.chatTemplate);
        } catch (const Error& error) {
            if (!options.chatTemplate.empty()) {
                throw;
            }
            whyNoChat = error.problem();
        }
        if (!http.isLoopback() && options.token.empty()) {
            throw Error("other machines can reach this address, but no token is set",
                        options.address, "set a token, or leave --host at 127.0.0.1");
        }
    }

    std::int64_t maxPromptTokens() const {
        const std::int64_t context = scheduler.contextLength();
        return options.maxPromptTokens > 0 ? std::min(options.maxPromptTokens, context) : context;
    }

    std::optional<HttpProblem> refusalOf(const HttpRequest& request) const {
        if (!options.token.empty() && !isAuthorised(request)) {
            return HttpProblem{401,
                               "the token is missing or wrong; send it as "
                               "Authorization: Bearer TOKEN",
                               {},
                               "invalid_api_key",
                               "WWW-Authenticate: Bearer\r\n"};
        }
        // No page knows the token, wherever it is from.
        if (auto foreign = options.token.empty() ? refusalOfForeignCaller(request) : std::nullopt) {
            return foreign;
        }
        const auto route = routes.find(request.path);
        if (route == routes.end()) {
            return HttpProblem{404, fmt::format("{} does not exist", request.path), {}, {}};
        }
        const std::string method = route->second.method;
        const bool isGet = method == "GET";
        if (request.method != method && !(isGet && request.method == "HEAD")) {
            return HttpProblem{405,
                               fmt::format("{} accepts only {}", request.path, method),
                               {},
                               {},
                               fmt::format("Allow: {}\r\n", isGet ? "GET, HEAD" : method)};
        }
        return std::nullopt;
    }

    // Only requests that refusalOf() has let through.
    void handle(HttpExchange& exchange) {
        try {
            (this->*routes.at(exchange.request().path).answer)(exchange);
        } catch (const Error& error) {
            if (exchange.isAnswered()) {
                throw;  // in the midst of a stream
            }
            exchange.respond({400, fmt::format("{}: {}", error.where(), error.problem()),
                              error.where(), "invalid_value"});
        }
    }

    bool isAuthorised(const HttpRequest& request) const {
        const std::string* header = request.header("authorization");
        constexpr std::string_view kScheme = "bearer ";  // in any case: RFC 9110, 11.1
        return header != nullptr && lowerCase(header->substr(0, kScheme.size())) == kScheme &&
               isSameSecret(header->substr(kScheme.size()), options.token);
    }

    void health(HttpExchange& exchange) {
        const SchedulerCounts counts = scheduler.counts();
        exchange.respond(200, dumped({{"status", "ok"},
                                      {"active", counts.active},
                                      {"waiting", counts.waiting},
                                      {"finished", counts.finished},
                                      {"computed_tokens", counts.computedTokens},
                                      {"cached_tokens", counts.cachedTokens}}));
    }

    void models(HttpExchange& exchange) {
        const json entry{{"id", options.name},
                         {"object", "model"},
                         {"created", started},
                         {"owned_by", "cospadi"},
                         {"max_model_len", maxPromptTokens()}};
        exchange.respond(200, dumped({{"object", "list"}, {"data", json::array({entry})}}));
    }

    void tokenizer(HttpExchange& exchange) { exchange.respond(200, dumped(tokenizerInfo)); }

    // What is read of the body's JSON, which is not kept. Bodies of all connections share the
    // memory that this takes; further ones wait their turn.
    template <typename Read>
    auto parsed(const HttpExchange& exchange, Read read) {
        const std::string& body = exchange.request().body;
        const ByteBudget::Share share = parsing.take(kParsedBytesPerByte * body.size());
        return read(parseBody(body));
    }

    static std::pair<std::string, bool> readTokenize(const json& body) {
        const auto prompt = body.find("prompt");
        if (prompt == body.end() || !prompt->is_string()) {
            throw Error("must be a string", "prompt", "");
        }
        const json add = body.value("add_special_tokens", json(true));
        if (!add.is_boolean()) {
            throw Error("must be true or false", "add_special_tokens", "");
        }
        return {prompt->get<std::string>(), add.get<bool>()};
    }

    void tokenize(HttpExchange& exchange) {
        const auto [prompt, addSpecial] = parsed(exchange, readTokenize);
        const auto ids = model.tokenizer().encode(prompt, true, addSpecial);
        exchange.respond(
            200,
            dumped({{"tokens", ids}, {"count", ids.size()}, {"max_model_len", maxPromptTokens()}}));
    }

    void detokenize(HttpExchange& exchange) {
        const auto ids = parsed(exchange, [&](const json& body) {
            const auto tokens = body.find("tokens");
            return readTokenIds(tokens == body.end() ? json() : *tokens, "tokens",
                                model.config().vocabularySize);
        });
        exchange.respond(200, dumped({{"prompt", textOfIds(model.tokenizer(), ids)}}));
    }

    CallLimits limits() const {
        CallLimits limits;
        limits.promptTokens = maxPromptTokens();
        limits.vocabularySize = model.config().vocabularySize;
        return limits;
    }

    void completions(HttpExchange& exchange) {
        answer(exchange, parsed(exchange, [&](const json& body) {
                   return readCompletionCall(body, model.tokenizer(), limits());
               }));
    }

    void chat(HttpExchange& exchange) {
        if (!chatTemplate) {
            throw Error(whyNoChat, "messages", "");
        }
        answer(exchange, parsed(exchange, [&](const json& body) {
                   return readChatCall(body, model.tokenizer(), *chatTemplate, limits());
               }));
    }

    void answer(HttpExchange& exchange, CompletionCall call) {
        if (call.model.empty()) {
            call.model = options.name;
        }
        CompletionAnswer answer(call, model.tokenizer(),
                                fmt::format("{}-{}", call.isChat ? "chatcmpl" : "cmpl", ++calls),
                                std::time(nullptr));
        const auto inbox = std::make_shared<CompletionInbox>();
        CompletionTicket ticket;
        const auto refusal = scheduler.submit(
            std::move(call.requests),
            [inbox](CompletionEvent event) { inbox->put(std::move(event)); }, ticket);
        if (refusal != CompletionScheduler::Refusal::None) {
            const bool busy = refusal == CompletionScheduler::Refusal::Busy;
            exchange.respond(
                {busy ? 429 : 503,
                 busy ? "too many prompts are waiting; try again later" : "the server is closing",
                 {},
                 busy ? "busy" : "closing",
                 "Retry-After: 1\r\n"});
            return;
        }
        // However the answer ends: nobody waits for what is left. What has ended stays as it is.
        const CancelledAtTheEnd cancelled{ticket};
        call.stream ? answer.streamed(*inbox, exchange) : answer.whole(*inbox, exchange);
    }
};

ModelServer::ModelServer(const Model& model, const json& tokenizerConfig,
                         const ServerOptions& options)
    : m_impl(std::make_unique<Impl>(model, tokenizerConfig, options)) {}

ModelServer::~ModelServer() = default;

int ModelServer::port() const { return m_impl->http.port(); }

std::string ModelServer::url() const {
    const std::string& address = m_impl->options.address;
    const bool isV6 = address.find(':') != std::string::npos;
    return fmt::format("http://{}:{}", isV6 ? "[" + address + "]" : address, port());
}

SchedulerCounts ModelServer::counts() const { return m_impl->scheduler.counts(); }

void ModelServer::serve(const std::stop_token& stop) {
    m_impl->http.serve(stop);
    m_impl->scheduler.drain();
}

}  // namespace cospadi
