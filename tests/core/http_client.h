// A client that sends exactly the bytes it is told to: for tests of the server.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace http {

struct Answer {
    int status = 0;  // 0: the server closed without a word
    std::string head, body;
    nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
};

class Client {
  public:
    // from: the last number of the client's own address, 127.0.0.x. receiveBytes: of the kernel's
    // buffer; 0: the system's choice.
    explicit Client(int port, int from = 1, int receiveBytes = 0)
        : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        if (receiveBytes > 0) {
            ::setsockopt(m_socket, SOL_SOCKET, SO_RCVBUF, &receiveBytes, sizeof receiveBytes);
        }
        if (from != 1) {
            sockaddr_in own{};
            own.sin_family = AF_INET;
            own.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + static_cast<unsigned>(from));
            ::bind(m_socket, reinterpret_cast<sockaddr*>(&own), sizeof own);
        }
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        m_connected =
            ::connect(m_socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }
    ~Client() { close(); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    bool isConnected() const { return m_connected; }
    void close() {
        if (m_socket >= 0) {
            ::close(m_socket);
            m_socket = -1;
        }
    }
    void finishSending() { ::shutdown(m_socket, SHUT_WR); }

    // False once the server does not take any more.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t count = ::send(m_socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count <= 0) {
                return false;
            }
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }

    // More of what the server sends; false at its end, or after 20 s of silence.
    bool receive() {
        pollfd watched{m_socket, POLLIN, 0};
        char bytes[65536];
        if (::poll(&watched, 1, 20000) <= 0) {
            m_silent = true;
            return false;
        }
        const ssize_t count = ::recv(m_socket, bytes, sizeof bytes, 0);
        if (count > 0) {
            m_received.append(bytes, static_cast<std::size_t>(count));
        }
        return count > 0;
    }
    bool wasSilent() const { return m_silent; }

    // At most so many bytes; false at the end.
    bool receiveFew(std::size_t count) {
        std::string bytes(count, ' ');
        return ::recv(m_socket, bytes.data(), bytes.size(), 0) > 0;
    }

    // The next response that has a Content-Length; of one to HEAD that is all there is.
    Answer answer(bool isToHead = false) {
        Answer answer;
        std::size_t end = 0;
        while ((end = m_received.find("\r\n\r\n")) == std::string::npos) {
            if (!receive()) {
                return answer;
            }
        }
        answer.head = m_received.substr(0, end);
        m_received.erase(0, end + 4);
        answer.status = std::stoi(answer.head.substr(9, 3));
        const std::size_t field = answer.head.find("Content-Length: ");
        const std::size_t length =
            field == std::string::npos || isToHead ? 0 : std::stoul(answer.head.substr(field + 16));
        while (m_received.size() < length && receive()) {
        }
        answer.body = m_received.substr(0, length);
        m_received.erase(0, length);
        return answer;
    }

    std::string everything() {
        while (receive()) {
        }
        return m_received;
    }

  private:
    int m_socket;
    bool m_connected = false;
    bool m_silent = false;
    std::string m_received;
};

inline std::string post(const std::string& path, const std::string& body,
                        const std::string& headers = {}) {
    return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline Answer exchange(int port, const std::string& request) {
    Client client(port);
    client.send(request);
    return client.answer();
}

}  // namespace http
