#include "core/serving/http_client.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "core/base/lower_case.h"
#include "core/serving/http_message.h"

namespace cospadi {

namespace {

constexpr std::size_t kMostHeadBytes = std::size_t{64} << 10U;
constexpr std::size_t kMostBodyBytes = std::size_t{256} << 20U;
constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;

// The value of a header (lower-case name) in a response's head; nullopt where it has none.
std::optional<std::string> headerIn(const std::string& head, const std::string& name) {
    const std::string lowered = lowerCase(head);
    const std::size_t found = lowered.find("\r\n" + name + ":");
    if (found == std::string::npos) {
        return std::nullopt;
    }
    const std::size_t begin = lowered.find_first_not_of(" \t", found + name.size() + 3);
    return lowered.substr(begin, lowered.find("\r\n", begin) - begin);
}

}  // namespace

HttpClient::HttpClient(std::string host, int port, int patience)
    : m_host(std::move(host)), m_port(port), m_patience(patience) {}

HttpClient::~HttpClient() { close(); }

void HttpClient::close() {
    if (m_socket >= 0) {
        ::close(m_socket);
        m_socket = -1;
    }
    m_received.clear();
}

void HttpClient::fail(const std::string& problem) const {
    throw Error(problem, fmt::format("{}:{}", m_host, m_port),
                "check that `cospadi serve` is running there");
}

void HttpClient::connect() {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* addresses = nullptr;
    const std::string port = std::to_string(m_port);
    if (const int failed = ::getaddrinfo(m_host.c_str(), port.c_str(), &wanted, &addresses)) {
        fail(fmt::format("is not an address: {}", ::gai_strerror(failed)));
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(addresses, &::freeaddrinfo);
    int error = 0;
    for (const addrinfo* at = addresses; at != nullptr && m_socket < 0; at = at->ai_next) {
        const int made = ::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
        if (made >= 0 && ::connect(made, at->ai_addr, at->ai_addrlen) == 0) {
            m_socket = made;
        } else {
            error = errno;
            if (made >= 0) {
                ::close(made);
            }
        }
    }
    if (m_socket < 0) {
        fail(fmt::format("cannot be reached: {}", std::strerror(error)));
    }
    // A request is one small piece: it must not wait for another.
    const int on = 1;
    ::setsockopt(m_socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// By the server, which closes what idles for long. Nothing else can be there to read.
bool HttpClient::isLeft() const {
    pollfd watched{m_socket, POLLIN, 0};
    return ::poll(&watched, 1, 0) > 0;
}

void HttpClient::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::send(m_socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            fail(fmt::format("accepts no more data: {}", std::strerror(errno)));
        }
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

bool HttpClient::receive() {
    pollfd watched{m_socket, POLLIN, 0};
    int ready = 0;
    do {
        ready = ::poll(&watched, 1, m_patience * 1000);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) {
        fail(fmt::format("sent no data for {} s", m_patience));
    }
    const std::size_t before = m_received.size();
    m_received.resize(before + kPieceBytes);
    const ssize_t count = ::recv(m_socket, m_received.data() + before, kPieceBytes, 0);
    m_received.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0) {
        fail(fmt::format("closed the connection: {}", std::strerror(errno)));
    }
    return count > 0;
}

std::string HttpClient::readHead() {
    std::size_t end = std::string::npos;
    while ((end = m_received.find("\r\n\r\n")) == std::string::npos) {
        if (m_received.size() > kMostHeadBytes) {
            fail("sent response headers without an end");
        }
        if (!receive()) {
            fail("closed the connection without an answer");
        }
    }
    std::string head = m_received.substr(0, end + 2);
    m_received.erase(0, end + 4);
    return head;
}

HttpClient::Response HttpClient::post(const std::string& path, const std::string& body,
                                      const std::string& headers,
                                      const std::function<void(std::string_view)>& onBody) {
    if (m_socket >= 0 && isLeft()) {
        close();
    }
    if (m_socket < 0) {
        connect();
    }
    const bool isV6 = m_host.find(':') != std::string::npos;
    send(
        fmt::format("POST {} HTTP/1.1\r\nHost: {}:{}\r\nContent-Type: application/json\r\n"
                    "Content-Length: {}\r\n{}\r\n{}",
                    path, isV6 ? "[" + m_host + "]" : m_host, m_port, body.size(), headers, body));
    const std::string head = readHead();
    Response response;
    if (!head.starts_with("HTTP/1.") || head.size() < 12 ||
        std::from_chars(head.data() + 9, head.data() + 12, response.status).ec != std::errc()) {
        fail("does not speak HTTP/1.1");
    }
    const bool told = onBody && response.status == 200;
    std::string decoded;
    const auto tell = [&] {
        if (told && !decoded.empty()) {
            onBody(decoded);
            decoded.clear();
        }
    };
    if (headerIn(head, "transfer-encoding") == "chunked") {
        ChunkedBody chunks(kMostBodyBytes);
        while (!chunks.isDone()) {
            if (m_received.empty() && !receive()) {
                fail("ended its answer early");
            }
            m_received.erase(0, chunks.add(m_received, decoded));
            if (chunks.problem()) {
                fail("sent an invalid chunked body: " + chunks.problem()->message);
            }
            tell();
        }
    } else {
        std::size_t length = 0;
        const std::string text = headerIn(head, "content-length").value_or("");
        if (std::from_chars(text.data(), text.data() + text.size(), length).ec != std::errc() ||
            length > kMostBodyBytes) {
            fail("did not state the length of its answer, or it is too long");
        }
        while (m_received.size() < length) {
            if (!receive()) {
                fail("ended its answer early");
            }
        }
        decoded = m_received.substr(0, length);
        m_received.erase(0, length);
        tell();
    }
    response.body = std::move(decoded);
    if (headerIn(head, "connection") == "close") {
        close();
    }
    return response;
}

}  // namespace cospadi
