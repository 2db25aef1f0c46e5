#include "core/serving/http_server.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <list>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/serving/http_connection.h"

namespace cospadi {

namespace {

// Beyond the connections that are served: so many are told so, the rest is closed without a word.
constexpr int kRefusalThreads = 16;

struct Listener {
    int socket = -1;
    int port = 0;
    bool loopback = false;
};

bool isLoopback(const sockaddr* address) {
    if (address->sa_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, address, sizeof v4);
        return ntohl(v4.sin_addr.s_addr) >> 24U == 127;
    }
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) != 0;
}

int portOf(int socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);  // the port lies at the same place in both families
    return ntohs(v4.sin_port);
}

Listener listenOn(const std::string& address, int port) {
    const std::string where = fmt::format("{}:{}", address, port);
    addrinfo wish{};
    wish.ai_socktype = SOCK_STREAM;
    wish.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    const int failed = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &wish, &found);
    if (failed != 0) {
        throw Error(fmt::format("the address is unknown: {}", ::gai_strerror(failed)), where,
                    "give an address of this machine, for example 127.0.0.1");
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
    const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (socket < 0 || ::bind(socket, found->ai_addr, found->ai_addrlen) != 0 ||
        ::listen(socket, SOMAXCONN) != 0) {
        const int reason = errno;
        ::close(socket);
        throw Error(reason == EADDRINUSE ? "the port is in use by another program"
                                         : std::string("cannot listen: ") + std::strerror(reason),
                    where, "choose another one with --port; 0 selects a free one");
    }
    return {socket, portOf(socket), isLoopback(found->ai_addr)};
}

// Who a connection counts for: the address of IPv4, the first half of one of IPv6 (a household has
// all of the second).
std::string clientOf(const sockaddr_storage& address) {
    if (address.ss_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &address, sizeof v4);
        return {reinterpret_cast<const char*>(&v4.sin_addr), sizeof v4.sin_addr};
    }
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    const auto* bytes = reinterpret_cast<const char*>(&v6.sin6_addr);
    return IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) != 0 ? std::string(bytes + 12, 4)
                                                    : std::string(bytes, 8);
}

}  // namespace

HttpExchange::HttpExchange(HttpConnection& connection, HttpRequest request, bool mayStayOpen)
    : m_connection(connection),
      m_request(std::move(request)),
      m_staysOpen(mayStayOpen && !m_request.wantsToClose()) {}

bool HttpExchange::writeHead(int status, const std::string& headers) {
    m_answered = true;
    return m_connection.write(fmt::format("HTTP/1.1 {} {}\r\n{}Connection: {}\r\n\r\n", status,
                                          reasonPhrase(status), headers,
                                          m_staysOpen ? "keep-alive" : "close"));
}

void HttpExchange::respond(int status, std::string_view body, const std::string& extraHeaders) {
    const bool isHead = m_request.method == "HEAD";
    m_staysOpen = writeHead(status, fmt::format("Content-Type: application/json\r\n"
                                                "Content-Length: {}\r\n{}",
                                                body.size(), extraHeaders)) &&
                  (isHead || m_connection.write(body)) && m_staysOpen;
}

void HttpExchange::respond(const HttpProblem& problem) {
    respond(problem.status, problem.body(), problem.headers);
}

bool HttpExchange::begin(const std::string& contentType) {
    m_chunked = m_request.minorVersion > 0;
    m_staysOpen = m_staysOpen && m_chunked;
    return writeHead(200,
                     fmt::format("Content-Type: {}\r\nCache-Control: no-cache\r\n{}", contentType,
                                 m_chunked ? "Transfer-Encoding: chunked\r\n" : ""));
}

bool HttpExchange::send(std::string_view piece) {
    if (piece.empty()) {
        return true;
    }
    const bool written =
        m_chunked ? m_connection.write(fmt::format("{:x}\r\n{}\r\n", piece.size(), piece))
                  : m_connection.write(piece);
    m_staysOpen = m_staysOpen && written;
    return written;
}

bool HttpExchange::end() { return !m_chunked || m_connection.write("0\r\n\r\n"); }

bool HttpExchange::isClientGone() const { return m_connection.isClientGone(); }

void HttpExchange::abandon() {
    m_answered = true;
    m_staysOpen = false;
}

struct HttpServer::Impl {
    HttpLimits limits;
    Gate gate;
    Handler handler;
    Listener listener;
    int closing = -1;  // an eventfd, readable once a stop is asked for

    enum class Place { Served, AddressIsFull, ServerIsFull };
    struct Worker {
        std::thread thread;
        std::atomic<bool> done = false;
        Place place = Place::Served;
        std::string client;
    };
    std::list<Worker> workers;

    bool isClosing() const {
        pollfd watched{closing, POLLIN, 0};
        return ::poll(&watched, 1, 0) > 0;
    }

    // What is refused by its head alone: its body is not read.
    std::optional<HttpProblem> refusalOf(const HttpRequest& request, Place place) const {
        if (place == Place::Served) {
            return gate(request);
        }
        const bool isOne = place == Place::AddressIsFull;
        return HttpProblem{503,
                           isOne
                               ? fmt::format("{} connections from this address are already open",
                                             limits.connectionsPerAddress)
                               : fmt::format("{} connections are already open", limits.connections),
                           {},
                           "too_many_connections",
                           "Retry-After: 1\r\n"};
    }

    void serveConnection(int socket, Place place) {
        HttpConnection connection(socket, closing, limits);
        while (true) {
            HttpRequest request;
            BodyFraming framing;
            HttpProblem problem;
            std::optional<HttpProblem> refusal;
            auto outcome = connection.readHead(request, framing, problem);
            if (outcome == HttpConnection::Outcome::Request) {
                refusal = refusalOf(request, place);
                outcome = refusal ? outcome : connection.readBody(request, framing, problem);
            }
            if (outcome == HttpConnection::Outcome::Gone) {
                return;
            }
            const bool isRead = outcome == HttpConnection::Outcome::Request &&
                                (!refusal || !framing.hasBody()) && place == Place::Served;
            HttpExchange exchange(connection, std::move(request), isRead);
            if (refusal || outcome == HttpConnection::Outcome::Problem) {
                exchange.respond(refusal ? *refusal : problem);
            } else {
                answer(exchange);
            }
            if (!isRead) {
                connection.closeGently();
            }
            if (!exchange.staysOpen() || isClosing()) {
                return;
            }
        }
    }

    void answer(HttpExchange& exchange) {
        HttpProblem problem{500, "the handler returned no answer", {}, {}};
        try {
            handler(exchange);
        } catch (const std::exception& error) {
            problem.message = error.what();
            if (exchange.isAnswered()) {
                exchange.abandon();  // half a response: only its end can tell the client
            }
        }
        if (!exchange.isAnswered()) {
            exchange.respond(problem);
        }
    }

    void reap(bool all) {
        for (auto worker = workers.begin(); worker != workers.end();) {
            if (!all && !worker->done) {
                ++worker;
                continue;
            }
            worker->thread.join();
            worker = workers.erase(worker);
        }
    }

    Place placeFor(const std::string& client) const {
        const auto served = [&](bool all) {
            return std::count_if(workers.begin(), workers.end(), [&](const Worker& worker) {
                return worker.place == Place::Served && (all || worker.client == client);
            });
        };
        return served(true) >= limits.connections              ? Place::ServerIsFull
               : served(false) >= limits.connectionsPerAddress ? Place::AddressIsFull
                                                               : Place::Served;
    }

    void accept() {
        sockaddr_storage address{};
        socklen_t size = sizeof address;
        const int socket = ::accept4(listener.socket, reinterpret_cast<sockaddr*>(&address), &size,
                                     SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
                pollfd watched{closing, POLLIN, 0};  // until a connection ends, or a stop
                ::poll(&watched, 1, 100);
            }
            return;
        }
        const int yes = 1;
        ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        reap(false);
        const std::string client = clientOf(address);
        const Place place = placeFor(client);
        const auto refused =
            std::count_if(workers.begin(), workers.end(),
                          [](const Worker& worker) { return worker.place != Place::Served; });
        if (place != Place::Served && refused >= kRefusalThreads) {
            ::close(socket);
            return;
        }
        try {
            Worker& worker = workers.emplace_back();
            worker.place = place;
            worker.client = client;
            worker.thread = std::thread([this, &worker, socket] {
                try {
                    serveConnection(socket, worker.place);
                } catch (const std::exception&) {
                    // Out of memory while a request was read, most likely: this connection is
                    // closed, the others go on.
                }
                worker.done = true;
            });
        } catch (const std::exception&) {  // no more threads, or memory
            if (!workers.empty() && !workers.back().thread.joinable()) {
                workers.pop_back();
            }
            ::close(socket);
        }
    }
};

HttpServer::HttpServer(const std::string& address, int port, const HttpLimits& limits, Gate gate,
                       Handler handler)
    : m_impl(std::make_unique<Impl>()) {
    m_impl->limits = limits;
    m_impl->gate = std::move(gate);
    m_impl->handler = std::move(handler);
    m_impl->listener = listenOn(address, port);
    if (m_impl->listener.loopback) {
        m_impl->limits.connectionsPerAddress = limits.connections;
    }
    m_impl->closing = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

HttpServer::~HttpServer() {
    if (m_impl->listener.socket >= 0) {
        ::close(m_impl->listener.socket);
    }
    ::close(m_impl->closing);
}

int HttpServer::port() const { return m_impl->listener.port; }

bool HttpServer::isLoopback() const { return m_impl->listener.loopback; }

void HttpServer::serve(const std::stop_token& stop) {
    Impl& s = *m_impl;
    const std::stop_callback onStop(stop, [&s] { ::eventfd_write(s.closing, 1); });
    std::array<pollfd, 2> watched{{{s.listener.socket, POLLIN, 0}, {s.closing, POLLIN, 0}}};
    while (!stop.stop_requested()) {
        ::poll(watched.data(), watched.size(), -1);
        if (watched[0].revents != 0 && !stop.stop_requested()) {
            s.accept();
        }
    }
    ::close(std::exchange(s.listener.socket, -1));  // newcomers are refused from here on
    s.reap(true);
}

}  // namespace cospadi
