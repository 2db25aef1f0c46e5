// `cospadi load`: users of a server of text completions, and how fast they are served.
#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "app/cli/session.h"
#include "core/base/stopwatch.h"
#include "core/serving/throughput_study.h"

namespace cospadi::cli {

namespace {

struct LoadOptions {
    std::string url;
    std::vector<std::int32_t> users = {1};
    std::vector<std::int32_t> prompts = {16};
    LoadStudy study;
    std::string text = "wikitext2";
    std::int64_t from = 0;
};

std::string milliseconds(const Percentiles& times) {
    return fmt::format("{:.1f}/{:.1f}/{:.1f}", 1000 * times.p50, 1000 * times.p90,
                       1000 * times.p99);
}

std::string pointsText(const std::vector<ThroughputPoint>& points) {
    constexpr const char* kRow = "{:>6} {:>7} {:>9} {:>9} {:>10} {:>24} {:>24} {:>24}\n";
    std::string text = fmt::format(kRow, "users", "prompt", "requests", "tokens", "tokens/s",
                                   "first token, ms", "per token, ms", "request, ms");
    for (const ThroughputPoint& point : points) {
        text += fmt::format(kRow, point.users, point.prompt, point.requests, point.generated,
                            fmt::format("{:.1f}", point.tokensPerSecond()),
                            milliseconds(point.firstToken), milliseconds(point.perToken),
                            milliseconds(point.request));
    }
    return text + "times: 50th/90th/99th percentiles over the requests, by nearest rank\n";
}

nlohmann::json pointsJson(const LoadOptions& options, const std::vector<ThroughputPoint>& points) {
    nlohmann::json list = nlohmann::json::array();
    for (const ThroughputPoint& point : points) {
        list.push_back(toJson(point));
    }
    return {{"url", options.url},
            {"tokens", options.study.tokens},
            {"rounds", options.study.rounds},
            {"points", list}};
}

int load(const Session& session, LoadOptions options) {
    const ServerAddress server = asUsage([&] { return serverAddressOf(options.url); });
    ThroughputStudy grid;
    grid.mode = ThroughputMode::Asynchronous;
    grid.users = options.users;
    grid.prompts = options.prompts;
    grid.tokens = options.study.tokens;
    grid.rounds = options.study.rounds;
    asUsage([&] { validate(grid, "--"); });
    const char* token = std::getenv("COSPADI_TOKEN");
    options.study.token = token != nullptr ? token : "";
    const std::vector<std::int32_t> ids =
        tokensOfServer(server, promptText(options.text), options.study);
    std::vector<ThroughputPoint> points;
    ProgressLine line;
    const Stopwatch clock;
    const auto total = static_cast<std::int64_t>(options.users.size() * options.prompts.size());
    for (const std::int32_t users : options.users) {
        for (const std::int32_t prompt : options.prompts) {
            line.show({fmt::format("{} users, prompt {}", users, prompt),
                       static_cast<std::int64_t>(points.size()), total, clock.seconds(), -1});
            options.study.users = users;
            options.study.prompt = prompt;
            const auto point =
                loadServer(server, ids, options.study, options.from, session.signals.token());
            if (!point) {
                return kCancelled;
            }
            points.push_back(*point);
        }
    }
    line.clear();
    session.print(pointsText(points), pointsJson(options, points));
    return kOk;
}

}  // namespace

void addLoad(Command app, Session& session) {
    const Command command = app.addCommand(
        "load",
        "Put a server of OpenAI's completions API under load: tokens per second, latencies");
    auto options = std::make_shared<LoadOptions>();
    command.addOption("URL", options->url, "Address of the server, such as http://127.0.0.1:8080")
        .required();
    command
        .addOption("--users", options->users,
                   "Concurrent users, separated by commas; each sends its next request when the "
                   "previous one is answered")
        .delimiter(',')
        .showDefault("1");
    command.addOption("--prompts", options->prompts, "Tokens per prompt, separated by commas")
        .delimiter(',')
        .showDefault("16");
    command.addOption("--tokens", options->study.tokens, "Tokens to generate per request")
        .inRange(1, 1 << 20)
        .showDefault();
    command
        .addOption("--rounds", options->study.rounds,
                   "Measured requests per user, after one that is not measured")
        .inRange(1, 1 << 20)
        .showDefault();
    command.addOption("--text", options->text, "Text for the prompts: a file, wikitext2 or web")
        .showDefault();
    command.addOption("--from", options->from, "First token of the text to use").notNegative();
    command
        .addOption("--patience", options->study.patience,
                   "Seconds without data after which the server is considered gone")
        .inRange(1, 86400)
        .showDefault();
    finishCommand(command, session, [&session, options] { return load(session, *options); });
}

}  // namespace cospadi::cli
