// Users of a server of OpenAI's completions: each sends a request over a connection of his own,
// reads the stream of its tokens to the end and sends the next at once. It knows the server by HTTP
// alone, and counts what the server's own usage says was generated.
//
// Errors: Error where the server cannot be reached, answers with another status than 200, ends a
// stream early, or says nothing for longer than LoadStudy::patience.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/store/throughput.h"

namespace cospadi {

// Where a server is: of http://HOST:PORT, which may end in a slash.
struct ServerAddress {
    std::string host;
    int port = 80;
};
// Throws Error for what is no such URL, https among them.
ServerAddress serverAddressOf(const std::string& url);

struct LoadStudy {
    std::int64_t users = 1;
    std::int64_t prompt = 1;   // tokens
    std::int64_t tokens = 64;  // asked for; a text that ends early has fewer
    std::int64_t rounds = 3;   // requests a user
    std::string token;         // Bearer; empty: none
    int patience = 600;        // seconds without a byte
};

// The ids of a text by the server's tokenizer (POST /tokenize).
std::vector<std::int32_t> tokensOfServer(const ServerAddress& server, const std::string& text,
                                         const LoadStudy& study);

// ids: what prompts are taken from, each from another place; `place` counts the prompts that were
// taken before, so that none comes again, which the server would not have to compute. One request a
// user comes before the clock. nullopt where a stop was asked for.
std::optional<ThroughputPoint> loadServer(const ServerAddress& server,
                                          const std::vector<std::int32_t>& ids,
                                          const LoadStudy& study, std::int64_t& place,
                                          const std::stop_token& stop = {});

}  // namespace cospadi
