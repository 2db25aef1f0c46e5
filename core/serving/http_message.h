// HTTP/1.1 requests as untrusted text: parsing and framing, strictly by RFC 9112, with limits on
// everything that can be long. Pure functions and values; sockets are http_connection.h's.
//
// What is ambiguous is refused, because two readings of one request are how requests are smuggled:
// bare line feeds, folded headers, Content-Length beside Transfer-Encoding or twice.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cospadi {

struct HttpLimits {
    std::size_t headBytes = std::size_t{16} << 10U;  // request line and headers together
    std::size_t headers = 64;
    std::size_t targetBytes = 2048;
    std::size_t bodyBytes = std::size_t{16} << 20U;
    int connections = 64;  // at the same time
    // Of one client: an IPv4 address, or the first half of one of IPv6. Without effect where only
    // this machine can connect, for then all have one address.
    int connectionsPerAddress = 16;
    double headSeconds = 10;  // from a request's first byte to its head's last, however slow
    double bodySeconds = 60;
    // How long a client may keep a response waiting, beside the time for what it has taken at
    // writtenBytesPerSecond.
    double writeSeconds = 30;
    double writtenBytesPerSecond = 32'768;
    double idleSeconds = 60;  // between two requests of a connection
};

// JSON as it is sent: one line, with U+FFFD for what is no UTF-8.
std::string dumped(const nlohmann::json& value);

// What a client did wrong, or cannot have now: status and OpenAI's error object.
struct HttpProblem {
    int status = 400;
    std::string message;
    std::string parameter;     // the field concerned; empty: none
    std::string code;          // a word for programs; empty: none
    std::string headers = {};  // that go with it, each ended by CR LF

    // {"error": {"message", "type", "param", "code"}}
    std::string body() const;
};

struct HttpRequest {
    std::string method;
    std::string path;  // as sent, without the query
    std::string query;
    int minorVersion = 1;                                      // of HTTP/1.x
    std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
    std::string body;

    // The value of the first header of this (lower-case) name; null where there is none.
    const std::string* header(std::string_view name) const;
    bool wantsToClose() const;
};

// head: everything up to and including the empty line.
std::optional<HttpProblem> parseHead(std::string_view head, const HttpLimits& limits,
                                     HttpRequest& request);

struct BodyFraming {
    bool chunked = false;
    std::size_t length = 0;
    bool hasBody() const { return chunked || length > 0; }
};
std::optional<HttpProblem> framingOf(const HttpRequest& request, const HttpLimits& limits,
                                     BodyFraming& framing);

// Takes the bytes of a chunked body as they come.
class ChunkedBody {
  public:
    explicit ChunkedBody(std::size_t maxBytes) : m_maxBytes(maxBytes) {}

    // Appends to `body` and returns how many bytes were used: all of them until isDone().
    std::size_t add(std::string_view bytes, std::string& body);
    bool isDone() const { return m_state == State::Done; }
    const std::optional<HttpProblem>& problem() const { return m_problem; }

  private:
    enum class State { Size, Data, DataEnd, Trailer, Done };
    bool takeLine(std::string_view bytes, std::size_t& used);
    void takeSize(const std::string& body);
    void fail(int status, const std::string& message) { m_problem = {status, message, {}, {}}; }

    std::size_t m_maxBytes;
    State m_state = State::Size;
    std::string m_line;
    std::size_t m_left = 0;
    std::size_t m_trailerBytes = 0;
    std::optional<HttpProblem> m_problem;
};

const char* reasonPhrase(int status);

}  // namespace cospadi
