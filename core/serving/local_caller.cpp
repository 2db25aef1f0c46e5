#include "core/serving/local_caller.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

namespace cospadi {

namespace {

bool namesLoopback(const std::string& text, bool isV6) {
    if (isV6) {
        in6_addr v6{};
        return ::inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6) != 0;
    }
    in_addr v4{};  // four decimal numbers, nothing else
    return ::inet_pton(AF_INET, text.c_str(), &v4) == 1 && ntohl(v4.s_addr) >> 24U == 127;
}

bool isPort(std::string_view text) {
    return text.size() <= 5 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool isLocalhost(std::string_view name) {
    constexpr std::string_view kName = "localhost";
    return name.size() == kName.size() &&
           std::equal(name.begin(), name.end(), kName.begin(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

// "null" is what pages say that hide where they are from.
bool isOriginOfThisMachine(std::string_view origin) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (origin.starts_with(scheme)) {
            return isThisMachine(origin.substr(scheme.size()));
        }
    }
    return false;
}

}  // namespace

bool isThisMachine(std::string_view hostAndPort) {
    const bool isV6 = hostAndPort.starts_with('[');
    const std::size_t end = isV6 ? hostAndPort.find(']') : hostAndPort.find(':');
    if (isV6 && end == std::string_view::npos) {
        return false;
    }
    const std::string_view name = hostAndPort.substr(isV6 ? 1 : 0, isV6 ? end - 1 : end);
    const std::string_view rest = end == std::string_view::npos
                                      ? std::string_view()
                                      : hostAndPort.substr(isV6 ? end + 1 : end);
    if (!rest.empty() && !(rest.front() == ':' && isPort(rest.substr(1)))) {
        return false;
    }
    return (!isV6 && isLocalhost(name)) || namesLoopback(std::string(name), isV6);
}

std::optional<HttpProblem> refusalOfForeignCaller(const HttpRequest& request) {
    const auto refusal = [](const std::string& why, const char* code) {
        return HttpProblem{403, why, {}, code};
    };
    for (const auto& [name, value] : request.headers) {
        if (name == "host" && !isThisMachine(value)) {
            return refusal("the Host header does not name this machine", "foreign_host");
        }
        if (name == "origin" && !isOriginOfThisMachine(value)) {
            return refusal(
                fmt::format("pages of {} have no access; set a token to admit others", value),
                "foreign_origin");
        }
        if (name == "sec-fetch-site" && value == "cross-site") {
            return refusal("pages of other sites have no access; set a token to admit others",
                           "foreign_origin");
        }
    }
    return std::nullopt;
}

}  // namespace cospadi
