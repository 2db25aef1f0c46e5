#include "app/cli/load_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/child_process.h"
#include "core/base/error.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

// The last line that is an object: what stderr said stands between.
json objectIn(const std::string& output) {
    json found;
    std::size_t begin = 0;
    while (begin < output.size()) {
        const std::size_t end = std::min(output.find('\n', begin), output.size());
        const std::string line = output.substr(begin, end - begin);
        if (line.starts_with('{')) {
            json object = json::parse(line, nullptr, false);
            found = object.is_object() ? std::move(object) : std::move(found);
        }
        begin = end + 1;
    }
    return found;
}

}  // namespace

LoadProgram loadOutside(const std::string& text) {
    return [text](const std::string& url, const LoadStudy& load, std::int64_t from,
                  const std::stop_token& stop) -> std::optional<ThroughputPoint> {
        ChildCommand command;
        command.arguments = {std::filesystem::read_symlink("/proc/self/exe").string(),
                             "load",
                             url,
                             "--users",
                             std::to_string(load.users),
                             "--prompts",
                             std::to_string(load.prompt),
                             "--tokens",
                             std::to_string(load.tokens),
                             "--rounds",
                             std::to_string(load.rounds),
                             "--from",
                             std::to_string(from),
                             "--text",
                             text,
                             "--json"};
        std::string output;
        const ChildOutcome outcome = runChild(
            command, [&](std::string_view piece) { output.append(piece); }, stop);
        if (outcome.stopped || stop.stop_requested()) {
            return std::nullopt;
        }
        const json said = objectIn(output);
        if (outcome.exitCode != 0 || !said.contains("points") || said["points"].size() != 1) {
            throw Error(fmt::format("ended with {}: {}", outcome.exitCode, output), "cospadi load",
                        "run it by hand against `cospadi serve` to see why");
        }
        return throughputPointFromJson(said["points"][0]);
    };
}

}  // namespace cospadi::cli
