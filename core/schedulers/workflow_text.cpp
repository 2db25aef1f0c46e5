#include "core/schedulers/workflow_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/shell_word.h"
#include "core/store/run_file.h"

namespace cospadi::workflow {

std::string quotedText(const std::string& text) { return nlohmann::json(text).dump(); }

std::string indented(const std::string& text, const std::string& by) {
    std::string result;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        result += (end > begin ? by : "") + text.substr(begin, end - begin) + "\n";
        begin = end + 1;
    }
    return result;
}

std::string setupLines(const SlurmOptions& options) {
    return options.setup.empty() ? "" : readTextFile(options.setup);
}

std::string heading(const SweepContract& contract, const std::string& engine,
                    const std::string& start) {
    std::string file = contract.file.string();
    std::replace(file.begin(), file.end(), '\n', ' ');
    return fmt::format(
        "# The sweep {}, made by `cospadi sweep FILE --on {}`, which makes it anew.\n#   {}\n",
        file, engine, start);
}

std::string jobWords(const SweepContract& contract, const std::filesystem::path& program) {
    return fmt::format("{} job --sweep {}", shellWord(program.string()),
                       shellWord(contract.file.string()));
}

std::pair<std::string, std::string> gpuKindAndCount(const std::string& gpus) {
    const std::size_t colon = gpus.find(':');
    return colon == std::string::npos ? std::pair{std::string(), gpus}
                                      : std::pair{gpus.substr(0, colon), gpus.substr(colon + 1)};
}

void refusePartition(const SlurmOptions& options, const std::string& engine) {
    if (!options.partition.empty()) {
        throw Error(engine + " has no partitions", "--partition", "leave it out");
    }
}

}  // namespace cospadi::workflow
