#include "core/serving/http_connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace cospadi {

namespace {

using Clock = std::chrono::steady_clock;

Clock::duration durationOf(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

Clock::time_point inSeconds(double seconds) { return Clock::now() + durationOf(seconds); }

int millisecondsIn(Clock::duration duration) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(duration);
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000));
}

constexpr double kLingerSeconds = 1;
constexpr std::size_t kLingerBytes = 1 << 20U;

}  // namespace

HttpConnection::HttpConnection(int socket, int closing, const HttpLimits& limits)
    : m_socket(socket), m_closing(closing), m_limits(limits) {}

HttpConnection::~HttpConnection() { ::close(m_socket); }

HttpConnection::Wait HttpConnection::readMore(Clock::time_point deadline) {
    while (true) {
        std::array<pollfd, 2> watched{{{m_socket, POLLIN, 0}, {m_closing, POLLIN, 0}}};
        const int ready =
            ::poll(watched.data(), watched.size(), millisecondsIn(deadline - Clock::now()));
        if (ready == 0) {
            return Wait::TimedOut;
        }
        if (watched[1].revents != 0 || (ready < 0 && errno != EINTR)) {
            return Wait::Gone;
        }
        std::array<char, 16384> bytes{};
        const ssize_t count = ::recv(m_socket, bytes.data(), bytes.size(), 0);
        if (count > 0) {
            m_buffer.append(bytes.data(), static_cast<std::size_t>(count));
            return Wait::Ready;
        }
        if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            return Wait::Gone;
        }
        if (Clock::now() >= deadline) {
            return Wait::TimedOut;
        }
    }
}

HttpConnection::Outcome HttpConnection::readHead(HttpRequest& request, BodyFraming& framing,
                                                 HttpProblem& problem) {
    request = {};
    framing = {};
    m_patience = durationOf(m_limits.writeSeconds);
    if (m_buffer.empty() && readMore(inSeconds(m_limits.idleSeconds)) != Wait::Ready) {
        return Outcome::Gone;
    }
    const Clock::time_point deadline = inSeconds(m_limits.headSeconds);
    std::size_t searched = 0;
    std::size_t end = std::string::npos;
    while ((end = m_buffer.find("\r\n\r\n", searched)) == std::string::npos &&
           m_buffer.size() <= m_limits.headBytes) {
        searched = m_buffer.size() - std::min<std::size_t>(3, m_buffer.size());
        const Wait wait = readMore(deadline);
        if (wait == Wait::TimedOut) {
            problem = {408, "the head of the request took too long", {}, {}};
            return Outcome::Problem;
        }
        if (wait == Wait::Gone) {
            return Outcome::Gone;
        }
    }
    if (end == std::string::npos || end + 4 > m_limits.headBytes) {
        problem = {431, "the head of the request is too long", {}, {}};
        return Outcome::Problem;
    }
    auto wrong = parseHead(std::string_view(m_buffer).substr(0, end + 4), m_limits, request);
    m_buffer.erase(0, end + 4);
    if (!wrong) {
        wrong = framingOf(request, m_limits, framing);
    }
    if (wrong) {
        problem = *wrong;
        return Outcome::Problem;
    }
    return Outcome::Request;
}

HttpConnection::Outcome HttpConnection::readBody(HttpRequest& request, const BodyFraming& framing,
                                                 HttpProblem& problem) {
    const std::string* expect = request.header("expect");
    if (expect != nullptr && framing.hasBody() && !write("HTTP/1.1 100 Continue\r\n\r\n")) {
        return Outcome::Gone;
    }
    const Clock::time_point deadline = inSeconds(m_limits.bodySeconds);
    ChunkedBody chunks(m_limits.bodyBytes);
    while (true) {
        if (framing.chunked) {
            m_buffer.erase(0, chunks.add(m_buffer, request.body));
            if (chunks.problem()) {
                problem = *chunks.problem();
                return Outcome::Problem;
            }
        } else {
            const std::size_t count =
                std::min(framing.length - request.body.size(), m_buffer.size());
            request.body.append(m_buffer, 0, count);
            m_buffer.erase(0, count);
        }
        if (framing.chunked ? chunks.isDone() : request.body.size() == framing.length) {
            return Outcome::Request;
        }
        const Wait wait = readMore(deadline);
        if (wait == Wait::TimedOut) {
            problem = {408, "the body of the request took too long", {}, {}};
            return Outcome::Problem;
        }
        if (wait == Wait::Gone) {
            return Outcome::Gone;
        }
    }
}

bool HttpConnection::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::send(m_socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(count));
            m_patience += durationOf(static_cast<double>(count) / m_limits.writtenBytesPerSecond);
            continue;
        }
        if (errno == EINTR) {
            continue;
        }
        if (errno != EAGAIN) {
            return false;
        }
        // Only this wait is the client's; the time that a stream's text takes is not.
        const Clock::time_point before = Clock::now();
        pollfd watched{m_socket, POLLOUT, 0};
        const int ready = ::poll(&watched, 1, millisecondsIn(m_patience));
        m_patience -= Clock::now() - before;
        if (ready == 0 || (ready < 0 && errno != EINTR) || m_patience <= Clock::duration::zero()) {
            m_patience = {};
            return false;
        }
    }
    return true;
}

bool HttpConnection::isClientGone() const {
    pollfd watched{m_socket, POLLRDHUP, 0};
    return ::poll(&watched, 1, 0) > 0 && watched.revents != 0;
}

// Closing a socket with unread bytes resets the connection, and the client may lose the response.
void HttpConnection::closeGently() {
    ::shutdown(m_socket, SHUT_WR);
    const Clock::time_point deadline = inSeconds(kLingerSeconds);
    std::size_t discarded = 0;
    while (discarded < kLingerBytes && readMore(deadline) == Wait::Ready) {
        discarded += m_buffer.size();
        m_buffer.clear();
    }
}

}  // namespace cospadi
