// An HTTP/1.1 server for few clients and long answers: a thread a connection, at most
// limits.connections of them; everyone else is told 503 at once.
//
// Written here and not taken from cpp-httplib: the library of Debian 12 bounds neither the number
// of headers nor the time of a request, and builds its limits in (docs/decisions/0005).
// Thread-safety: gate and handler are called from many threads. An exception that leaves the
// handler becomes 500.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/serving/http_message.h"

namespace cospadi {

class HttpConnection;

// One request and the response to it: either respond(), or begin(), any number of send(), end().
// A response to HEAD is what GET would get, without the body.
class HttpExchange {
  public:
    HttpExchange(HttpConnection& connection, HttpRequest request, bool mayStayOpen);

    const HttpRequest& request() const { return m_request; }
    void respond(int status, std::string_view body, const std::string& extraHeaders = {});
    void respond(const HttpProblem& problem);

    // A body of unknown length. send() and end() return false where the client is gone.
    bool begin(const std::string& contentType);
    bool send(std::string_view piece);
    bool end();

    // A client that has closed its side counts as gone, as with most servers: nobody can tell it
    // from one that still listens. abandon() then ends the exchange without an answer.
    bool isClientGone() const;
    void abandon();
    bool isAnswered() const { return m_answered; }
    bool staysOpen() const { return m_staysOpen; }

  private:
    bool writeHead(int status, const std::string& headers);

    HttpConnection& m_connection;
    HttpRequest m_request;
    bool m_staysOpen;
    bool m_answered = false;
    bool m_chunked = false;
};

class HttpServer {
  public:
    // Looks at a request's head before its body is read: why it is refused, nullopt where it is
    // not.
    using Gate = std::function<std::optional<HttpProblem>(const HttpRequest&)>;
    using Handler = std::function<void(HttpExchange&)>;

    // Binds and listens: `address` is a numeric address or a host name, port 0 any free one. Throws
    // Error where the address is not this machine's or the port is taken.
    HttpServer(const std::string& address, int port, const HttpLimits& limits, Gate gate,
               Handler handler);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    int port() const;
    bool isLoopback() const;  // whether only this machine can reach it

    // Serves until a stop is asked for; returns when every request that was read is answered.
    void serve(const std::stop_token& stop);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace cospadi
