// One client's socket: requests in, responses out, with a deadline on each.
//
// Deadlines count from the beginning of a request, so that a client that sends a byte now and then
// gains nothing; nor does one that takes a response byte by byte, which has to keep up a rate. A
// server that closes interrupts reading, never writing. Belongs to one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/serving/http_message.h"

namespace cospadi {

class HttpConnection {
  public:
    // Owns `socket` (non-blocking). closing: a descriptor that becomes readable for good when the
    // server closes.
    HttpConnection(int socket, int closing, const HttpLimits& limits);
    ~HttpConnection();
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;

    enum class Outcome { Request, Problem, Gone };  // Gone: closed, idle too long, or closing
    // The head first, so that a request can be refused before its body costs anything.
    Outcome readHead(HttpRequest& request, BodyFraming& framing, HttpProblem& problem);
    Outcome readBody(HttpRequest& request, const BodyFraming& framing, HttpProblem& problem);

    // False where the client is gone, or takes what is written more slowly than the limits allow;
    // then nothing more can be written.
    bool write(std::string_view bytes);
    // Whether the client has closed its side, e.g. while it waits for a long completion.
    bool isClientGone() const;
    // After a response to a request that was not read whole: the client gets to see it before the
    // connection is torn down.
    void closeGently();

  private:
    using Clock = std::chrono::steady_clock;
    enum class Wait { Ready, TimedOut, Gone };
    Wait readMore(Clock::time_point deadline);

    int m_socket;
    int m_closing;
    const HttpLimits& m_limits;
    std::string m_buffer;  // read, not yet used
    // Of the response at hand: how long the client may still keep it waiting.
    Clock::duration m_patience{};
};

}  // namespace cospadi
