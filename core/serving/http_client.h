// A client of one HTTP/1.1 server, over one connection that is kept open: as much as asking a
// server of completions takes. Not thread-safe. Errors: Error naming the server for what cannot be
// reached or understood, and for a silence that lasts.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cospadi {

class HttpClient {
  public:
    // host: a name or a numeric address. patience: seconds without a byte. Connects with the first
    // request.
    HttpClient(std::string host, int port, int patience);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    struct Response {
        int status = 0;
        std::string body;
    };
    // onBody gets the body of a response of status 200 as it comes, which then is not kept.
    // headers: each ended by CR LF.
    Response post(const std::string& path, const std::string& body, const std::string& headers = {},
                  const std::function<void(std::string_view)>& onBody = {});

  private:
    void connect();
    void close();
    void send(std::string_view bytes);
    bool isLeft() const;
    bool receive();  // more of m_received; false where the server has closed
    [[noreturn]] void fail(const std::string& problem) const;
    std::string readHead();

    std::string m_host;
    int m_port;
    int m_patience;
    int m_socket = -1;
    std::string m_received;
};

}  // namespace cospadi
