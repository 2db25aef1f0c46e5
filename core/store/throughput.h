// How fast a run generates, measured by `cospadi bench serving` and kept with the run:
// evaluations/throughput-….json, a file for each mode and setting, a point for each number of users
// and prompt length (docs/formats.md). Rates are tokens generated a second of wall clock; prompts
// count into the time and not into the tokens. Latencies are seconds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cospadi {

// Synchronous: one sequence in this process, as fast as it goes. Asynchronous: users over HTTP,
// each of whom asks again as soon as he is answered.
enum class ThroughputMode { Synchronous, Asynchronous };
const char* name(ThroughputMode mode);  // synchronous, asynchronous

// By nearest rank: the least value that so many per cent of all do not exceed. NaN of none.
struct Percentiles {
    double p50 = 0, p90 = 0, p99 = 0;
};
Percentiles percentilesOf(std::vector<double> values);

struct ThroughputPoint {
    std::int64_t users = 1;
    std::int64_t prompt = 1;  // tokens
    std::int64_t requests = 0;
    std::int64_t generated = 0;  // tokens, of all requests; fewer than asked for where texts ended
    std::int64_t cached = 0;     // tokens of prompts that the server had computed before
    double seconds = 0;          // from the first request's beginning to the last one's end
    Percentiles firstToken;      // from the request's beginning
    Percentiles perToken;        // of one request: between its first and its last token, a token
    Percentiles request;

    double tokensPerSecond() const { return static_cast<double>(generated) / seconds; }
};

nlohmann::json toJson(const ThroughputPoint& point);
// Throws Error naming the field that is missing, ill-typed or no count.
ThroughputPoint throughputPointFromJson(const nlohmann::json& object);

// What was measured together. Points of two records stand beside each other where these agree.
struct ThroughputRecord {
    ThroughputMode mode = ThroughputMode::Synchronous;
    std::int64_t tokens = 0;  // that each request asks for
    std::int64_t rounds = 0;  // requests of a user at each point
    int threads = 0;          // of the forward pass
    std::string cpu;          // the machine's
    // In memory, of what is not compressed, embedding and head among it: "bfloat16"; empty where
    // the record does not say, as older ones, for which it was float32.
    std::string weights;
    std::vector<ThroughputPoint> points;  // by users, then prompt
    std::string created;                  // of the newest point, ISO 8601 UTC

    const ThroughputPoint* find(std::int64_t users, std::int64_t prompt) const;
};

// All of a run; files that are damaged or of another version are passed over and named in `notes`.
std::vector<ThroughputRecord> throughputOf(const std::filesystem::path& run,
                                           std::vector<std::string>* notes = nullptr);

// The points that the run has of such a measurement: by mode, tokens, rounds, threads, cpu and
// weights of `like`. Without points where it has none.
ThroughputRecord recordedThroughput(const std::filesystem::path& run, const ThroughputRecord& like);

// Adds a point, or replaces that of as many users and as long a prompt. The file is whole at every
// moment. Returns its path. Throws Error where the run cannot be written.
std::filesystem::path recordThroughput(const std::filesystem::path& run,
                                       const ThroughputRecord& like, const ThroughputPoint& point);

// Mean of the rates over the prompt lengths of one user's synchronous points, as the paper's Table
// 6 has it, of the newest such record; NaN where there is none.
double meanThroughput(const std::filesystem::path& run);

}  // namespace cospadi
