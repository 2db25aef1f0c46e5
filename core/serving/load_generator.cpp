#include "core/serving/load_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <charconv>
#include <exception>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/serving/http_client.h"
#include "core/serving/request_times.h"

namespace cospadi {

namespace {

using Answer = nlohmann::json;

std::string bearerHeader(const LoadStudy& study) {
    return study.token.empty() ? "" : "Authorization: Bearer " + study.token + "\r\n";
}

[[noreturn]] void failAnswer(const ServerAddress& server, const std::string& problem) {
    throw Error(problem, fmt::format("{}:{}", server.host, server.port),
                "check that a server of OpenAI's text completions is running there");
}

void requireSuccess(const ServerAddress& server, const HttpClient::Response& response) {
    if (response.status == 200) {
        return;
    }
    const Answer answer = Answer::parse(response.body, nullptr, false);
    std::string why;
    if (answer.is_object() && answer.contains("error") && answer["error"].is_object()) {
        why = answer["error"].value("message", "");
    }
    failAnswer(server,
               fmt::format("answered {}{}{}", response.status, why.empty() ? "" : ": ", why));
}

struct Completion {
    std::int64_t generated = 0;
    std::int64_t cached = 0;
    double firstToken = 0;
    double seconds = 0;
};

// Takes the pieces of a stream of server-sent events.
class TokenStream {
  public:
    TokenStream(const ServerAddress& server, const Stopwatch& clock)
        : m_server(server), m_clock(clock) {}

    void take(std::string_view piece) {
        m_rest.append(piece);
        std::size_t end = 0;
        while ((end = m_rest.find("\n\n")) != std::string::npos) {
            takeEvent(m_rest.substr(0, end));
            m_rest.erase(0, end + 2);
        }
    }

    Completion completion() {
        if (!m_done || !m_hasUsage) {
            failAnswer(m_server, m_done ? "did not report the usage of a stream"
                                        : "ended a stream without [DONE]");
        }
        m_completion.seconds = m_clock.seconds();
        return m_completion;
    }

  private:
    void takeEvent(const std::string& event) {
        if (!event.starts_with("data: ")) {
            return;  // a comment that keeps the connection open
        }
        const std::string data = event.substr(6);
        if (data == "[DONE]") {
            m_done = true;
            return;
        }
        try {
            takeAnswer(Answer::parse(data));
        } catch (const Answer::exception&) {
            failAnswer(m_server, "streamed invalid completions");
        }
    }

    // The first event counts as the first token: a token that is only part of a character comes
    // with the next.
    void takeAnswer(const Answer& answer) {
        if (answer.contains("error")) {
            failAnswer(m_server, "failed within a stream: " + answer["error"].dump());
        }
        if (!m_hasToken) {
            m_hasToken = true;
            m_completion.firstToken = m_clock.seconds();
        }
        const auto usage = answer.find("usage");
        if (usage == answer.end() || !usage->is_object()) {
            return;
        }
        m_hasUsage = true;
        m_completion.generated = usage->value("completion_tokens", std::int64_t{0});
        if (const auto details = usage->find("prompt_tokens_details");
            details != usage->end() && details->is_object()) {
            m_completion.cached = details->value("cached_tokens", std::int64_t{0});
        }
    }

    const ServerAddress& m_server;
    const Stopwatch& m_clock;
    std::string m_rest;
    Completion m_completion;
    bool m_hasToken = false;
    bool m_hasUsage = false;
    bool m_done = false;
};

class User {
  public:
    User(const ServerAddress& server, const LoadStudy& study,
         std::vector<std::vector<std::int32_t>> prompts)
        : m_server(server),
          m_study(study),
          m_prompts(std::move(prompts)),
          m_client(server.host, server.port, study.patience) {}

    // Of the prompt of this round; 0 is the one before the clock.
    Completion ask(std::int64_t round) {
        const Answer body = {{"prompt", m_prompts[static_cast<std::size_t>(round)]},
                             {"max_tokens", m_study.tokens},
                             {"temperature", 0},
                             {"stream", true},
                             {"stream_options", {{"include_usage", true}}}};
        const Stopwatch clock;
        TokenStream stream(m_server, clock);
        const HttpClient::Response response =
            m_client.post("/v1/completions", body.dump(), bearerHeader(m_study),
                          [&](std::string_view piece) { stream.take(piece); });
        requireSuccess(m_server, response);
        return stream.completion();
    }

  private:
    const ServerAddress& m_server;
    const LoadStudy& m_study;
    std::vector<std::vector<std::int32_t>> m_prompts;
    HttpClient m_client;
};

// What all users share: the first error ends the others at their next request.
struct LoadOutcome {
    std::mutex mutex;
    std::vector<Completion> completions;
    std::exception_ptr error;
    std::atomic<bool> isOver = false;
    double seconds = 0;
};

}  // namespace

ServerAddress serverAddressOf(const std::string& url) {
    constexpr std::string_view kScheme = "http://";
    const auto refuse = [&] {
        throw Error("is not a server address", url, "use http://HOST:PORT");
    };
    if (!url.starts_with(kScheme)) {
        refuse();
    }
    std::string rest = url.substr(kScheme.size());
    while (rest.ends_with('/')) {
        rest.pop_back();
    }
    ServerAddress address;
    const std::size_t colon = rest.rfind(':');
    const bool hasPort = colon != std::string::npos && rest.find(']', colon) == std::string::npos;
    address.host = hasPort ? rest.substr(0, colon) : rest;
    if (hasPort) {
        const char* const end = rest.data() + rest.size();
        const auto [read, error] = std::from_chars(rest.data() + colon + 1, end, address.port);
        if (error != std::errc() || read != end || address.port < 1 || address.port > 65535) {
            refuse();
        }
    }
    if (address.host.starts_with('[') && address.host.ends_with(']')) {
        address.host = address.host.substr(1, address.host.size() - 2);
    }
    if (address.host.empty() || address.host.find('/') != std::string::npos) {
        refuse();
    }
    return address;
}

std::vector<std::int32_t> tokensOfServer(const ServerAddress& server, const std::string& text,
                                         const LoadStudy& study) {
    HttpClient client(server.host, server.port, study.patience);
    const Answer body = {{"prompt", text}, {"add_special_tokens", false}};
    const HttpClient::Response response =
        client.post("/tokenize", body.dump(-1, ' ', false, Answer::error_handler_t::replace),
                    bearerHeader(study));
    requireSuccess(server, response);
    const Answer answer = Answer::parse(response.body, nullptr, false);
    const auto tokens = answer.is_object() ? answer.find("tokens") : answer.end();
    if (!answer.is_object() || tokens == answer.end() || !tokens->is_array()) {
        failAnswer(server, "does not tokenize as cospadi serve does");
    }
    try {
        return tokens->get<std::vector<std::int32_t>>();
    } catch (const Answer::exception&) {
        failAnswer(server, "returns tokens that are not ids");
    }
}

std::optional<ThroughputPoint> loadServer(const ServerAddress& server,
                                          const std::vector<std::int32_t>& ids,
                                          const LoadStudy& study, std::int64_t& place,
                                          const std::stop_token& stop) {
    const auto available = static_cast<std::int64_t>(ids.size());
    if (available < study.prompt) {
        throw Error(fmt::format("the text has {} tokens, but a prompt {}", available, study.prompt),
                    "text", "use a longer text");
    }
    std::vector<std::unique_ptr<User>> users;
    for (std::int64_t user = 0; user < study.users; ++user) {
        std::vector<std::vector<std::int32_t>> prompts;
        for (std::int64_t round = 0; round <= study.rounds; ++round) {
            const std::int64_t begin = place++ % (available - study.prompt + 1);
            prompts.emplace_back(ids.begin() + begin, ids.begin() + begin + study.prompt);
        }
        users.push_back(std::make_unique<User>(server, study, std::move(prompts)));
    }
    LoadOutcome outcome;
    std::optional<Stopwatch> clock;
    // All begin together, when every one has had his first answer.
    std::barrier together(study.users, [&]() noexcept { clock.emplace(); });
    const auto guarded = [&](const auto& work) {
        try {
            work();
        } catch (...) {
            const std::scoped_lock lock(outcome.mutex);
            outcome.error = outcome.error ? outcome.error : std::current_exception();
            outcome.isOver = true;
        }
    };
    const auto requests = [&](User* user) {
        guarded([&] { user->ask(0); });
        together.arrive_and_wait();
        for (std::int64_t round = 1; round <= study.rounds; ++round) {
            if (outcome.isOver || stop.stop_requested()) {
                return;
            }
            guarded([&] {
                const Completion completion = user->ask(round);
                const std::scoped_lock lock(outcome.mutex);
                outcome.completions.push_back(completion);
                outcome.seconds = std::max(outcome.seconds, clock->seconds());
            });
        }
    };
    {
        std::vector<std::jthread> threads;
        try {
            for (const auto& user : users) {
                threads.emplace_back(requests, user.get());
            }
        } catch (const std::exception& error) {  // no more threads, or memory
            guarded([&] {
                throw Error(fmt::format("only {} of {} users could be started: {}", threads.size(),
                                        users.size(), error.what()),
                            "users", "simulate fewer users");
            });
        }
        // Those that run do not wait for the others.
        for (std::size_t missing = threads.size(); missing < users.size(); ++missing) {
            together.arrive_and_drop();
        }
    }
    if (outcome.error) {
        std::rethrow_exception(outcome.error);
    }
    if (stop.stop_requested()) {
        return std::nullopt;
    }
    ThroughputPoint point;
    point.users = study.users;
    point.prompt = study.prompt;
    point.seconds = outcome.seconds;
    RequestTimes times;
    for (const Completion& completion : outcome.completions) {
        point.cached += completion.cached;
        times.add(completion.seconds, completion.firstToken, completion.generated);
    }
    times.fill(point);
    return point;
}

}  // namespace cospadi
