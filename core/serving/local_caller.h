// Whether a request that carries no token may come from a program of this machine, and not from a
// page that a browser on it shows.
//
// Such a page reaches a server here in two ways. It asks under a host name of its own that it lets
// point at 127.0.0.1: the Host header then carries that name. Or it asks http://127.0.0.1 itself
// and does without the answer: browsers then say in Origin and Sec-Fetch-Site where the page is
// from. Programs send neither.
#pragma once

#include <optional>

#include "core/serving/http_message.h"

namespace cospadi {

// "localhost", an address of 127.0.0.0/8, or [::1]; a port may follow. Anything else is a name that
// somebody else may own, however it begins.
bool isThisMachine(std::string_view hostAndPort);

// 403 with the header that speaks against it; nullopt where none does.
std::optional<HttpProblem> refusalOfForeignCaller(const HttpRequest& request);

}  // namespace cospadi
