#include "core/serving/http_message.h"
#include "core/base/lower_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace cospadi {

namespace {

constexpr std::size_t kLineBytes = 4096;  // of a chunk's size line or a trailer

bool isTokenCharacter(char c) {
    constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOthers.find(c) != std::string_view::npos;
}

bool isToken(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), isTokenCharacter);
}

bool isVisible(char c) { return c > ' ' && c < '\x7f'; }

// Tabs, spaces, visible characters, and bytes above 127.
bool isFieldText(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return c == '\t' || static_cast<unsigned char>(c) >= 0x20U ? c != '\x7f' : false;
    });
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

HttpProblem bad(const std::string& message) { return {400, message, {}, {}}; }

std::optional<HttpProblem> parseRequestLine(std::string_view line, const HttpLimits& limits,
                                            HttpRequest& request) {
    const auto first = line.find(' ');
    const auto last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) {
        return bad("the request line is not METHOD TARGET HTTP/1.1");
    }
    const std::string_view method = line.substr(0, first);
    const std::string_view target = line.substr(first + 1, last - first - 1);
    const std::string_view version = line.substr(last + 1);
    if (version != "HTTP/1.1" && version != "HTTP/1.0") {
        return version.starts_with("HTTP/")
                   ? HttpProblem{505, "only HTTP/1.0 and HTTP/1.1 are supported", {}, {}}
                   : bad("the request line is not METHOD TARGET HTTP/1.1");
    }
    if (!isToken(method) || method.size() > 32) {
        return bad("the method is not a word");
    }
    if (target.size() > limits.targetBytes) {
        return HttpProblem{
            414, fmt::format("the target is longer than {} bytes", limits.targetBytes), {}, {}};
    }
    if (!target.starts_with('/') || !std::all_of(target.begin(), target.end(), isVisible)) {
        return bad("the target is not a path");
    }
    request.method = method;
    request.minorVersion = version.back() - '0';
    const auto query = target.find('?');
    request.path = target.substr(0, query);
    request.query = query == std::string_view::npos ? "" : target.substr(query + 1);
    return std::nullopt;
}

std::optional<HttpProblem> parseHeader(std::string_view line, HttpRequest& request) {
    if (line.front() == ' ' || line.front() == '\t') {
        return bad("a header is folded over two lines");
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !isToken(line.substr(0, colon))) {
        return bad("a header is not NAME: VALUE");
    }
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (!isFieldText(value)) {
        return bad("a header contains control characters");
    }
    request.headers.emplace_back(lowerCase(line.substr(0, colon)), value);
    return std::nullopt;
}

}  // namespace

std::string dumped(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string HttpProblem::body() const {
    const char* type = status == 401 || status == 403 ? "authentication_error"
                       : status == 429                ? "rate_limit_error"
                       : status >= 500                ? "server_error"
                                                      : "invalid_request_error";
    const auto orNull = [](const std::string& text) {
        return text.empty() ? nlohmann::json() : nlohmann::json(text);
    };
    const nlohmann::json object{{"error",
                                 {{"message", message},
                                  {"type", type},
                                  {"param", orNull(parameter)},
                                  {"code", orNull(code)}}}};
    return dumped(object);
}

const std::string* HttpRequest::header(std::string_view name) const {
    const auto found = std::find_if(headers.begin(), headers.end(),
                                    [&](const auto& header) { return header.first == name; });
    return found == headers.end() ? nullptr : &found->second;
}

bool HttpRequest::wantsToClose() const {
    const std::string* connection = header("connection");
    const std::string wish = connection != nullptr ? lowerCase(*connection) : "";
    return minorVersion == 0 ? wish.find("keep-alive") == std::string::npos
                             : wish.find("close") != std::string::npos;
}

std::optional<HttpProblem> parseHead(std::string_view head, const HttpLimits& limits,
                                     HttpRequest& request) {
    bool isFirst = true;
    while (!head.empty()) {
        const auto end = head.find("\r\n");
        const std::string_view line = head.substr(0, end);
        head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
        if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) {
            return bad("a line does not end with CR LF");
        }
        if (line.empty() && !isFirst) {
            break;
        }
        if (!isFirst && request.headers.size() == limits.headers) {
            return HttpProblem{
                431, fmt::format("there are more than {} headers", limits.headers), {}, {}};
        }
        if (auto problem =
                isFirst ? parseRequestLine(line, limits, request) : parseHeader(line, request)) {
            return problem;
        }
        isFirst = false;
    }
    if (isFirst) {
        return bad("the request is empty");
    }
    const auto hosts = std::count_if(request.headers.begin(), request.headers.end(),
                                     [](const auto& header) { return header.first == "host"; });
    return hosts > 1 ? std::optional(bad("there are two Host headers")) : std::nullopt;
}

std::optional<HttpProblem> framingOf(const HttpRequest& request, const HttpLimits& limits,
                                     BodyFraming& framing) {
    const auto count = [&](std::string_view name) {
        return std::count_if(request.headers.begin(), request.headers.end(),
                             [&](const auto& header) { return header.first == name; });
    };
    if (const std::string* encoding = request.header("content-encoding");
        encoding != nullptr && lowerCase(*encoding) != "identity") {
        return HttpProblem{415, "compressed bodies are not supported", {}, {}};
    }
    if (const std::string* transfer = request.header("transfer-encoding")) {
        if (count("transfer-encoding") > 1 || count("content-length") > 0 ||
            request.minorVersion == 0) {
            return bad("the length of the body is given in two ways");
        }
        if (lowerCase(*transfer) != "chunked") {
            return HttpProblem{501, "the only supported transfer encoding is chunked", {}, {}};
        }
        framing.chunked = true;
        return std::nullopt;
    }
    const std::string* length = request.header("content-length");
    if (length == nullptr) {
        return std::nullopt;
    }
    if (count("content-length") > 1) {
        return bad("the length of the body is given twice");
    }
    const char* end = length->data() + length->size();
    const auto [stop, failed] = std::from_chars(length->data(), end, framing.length);
    if (failed == std::errc::result_out_of_range ||
        (failed == std::errc() && stop == end && framing.length > limits.bodyBytes)) {
        return HttpProblem{
            413, fmt::format("the body is larger than {} bytes", limits.bodyBytes), {}, {}};
    }
    if (failed != std::errc() || stop != end) {
        return bad("Content-Length is not a number");
    }
    return std::nullopt;
}

std::size_t ChunkedBody::add(std::string_view bytes, std::string& body) {
    std::size_t used = 0;
    while (used < bytes.size() && m_state != State::Done && !m_problem) {
        if (m_state == State::Data) {
            const std::size_t count = std::min(m_left, bytes.size() - used);
            body.append(bytes.substr(used, count));
            used += count;
            m_left -= count;
            m_state = m_left == 0 ? State::DataEnd : State::Data;
        } else if (takeLine(bytes, used)) {
            if (m_state == State::Size) {
                takeSize(body);
            } else if (m_state == State::DataEnd) {
                if (!m_line.empty()) {
                    fail(400, "a chunk is longer than its stated size");
                }
                m_state = State::Size;
            } else if (m_line.empty()) {
                m_state = State::Done;
            }
            m_line.clear();
        }
    }
    return used;
}

// Gathers a line in m_line; true once its CR LF is there, without them.
bool ChunkedBody::takeLine(std::string_view bytes, std::size_t& used) {
    while (used < bytes.size()) {
        const char c = bytes[used++];
        m_trailerBytes += m_state == State::Trailer ? 1 : 0;
        if (c == '\n') {
            if (m_line.empty() || m_line.back() != '\r') {
                fail(400, "a line does not end with CR LF");
                return false;
            }
            m_line.pop_back();
            return true;
        }
        m_line += c;
        if (m_line.size() > kLineBytes || m_trailerBytes > kLineBytes) {
            fail(431, "a line of the chunked body is too long");
            return false;
        }
    }
    return false;
}

void ChunkedBody::takeSize(const std::string& body) {
    const std::string_view digits = trimmed(std::string_view(m_line).substr(0, m_line.find(';')));
    const char* end = digits.data() + digits.size();
    const auto [stop, failed] = std::from_chars(digits.data(), end, m_left, 16);
    if (failed == std::errc::result_out_of_range ||
        (failed == std::errc() && m_left > m_maxBytes - std::min(m_maxBytes, body.size()))) {
        fail(413, fmt::format("the body is larger than {} bytes", m_maxBytes));
    } else if (failed != std::errc() || stop != end) {
        fail(400, "the size of a chunk is not a number");
    }
    m_state = m_left == 0 ? State::Trailer : State::Data;
}

const char* reasonPhrase(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 413:
            return "Content Too Large";
        case 414:
            return "URI Too Long";
        case 415:
            return "Unsupported Media Type";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 501:
            return "Not Implemented";
        case 503:
            return "Service Unavailable";
        case 505:
            return "HTTP Version Not Supported";
        default:
            return "Internal Server Error";
    }
}

}  // namespace cospadi
