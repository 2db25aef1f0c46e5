#include "core/lm_eval/task_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/base/folder_path.h"
#include "core/base/resources.h"
#include "core/base/temporary_folder.h"
#include "core/lm_eval/python_environment.h"
#include "core/store/locations.h"
#include "core/tasks/task_items.h"
#include "core/tasks/task_records.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

std::string fileOf(const std::string& task) {
    if (isPartOfMmlu(task)) {
        return kMmluFile;
    }
    const KnownTask* known = knownTask(task);
    return known != nullptr ? known->file : std::string();
}

// What to fetch: subjects of mmlu come with the others.
std::vector<std::string> setsOf(const std::vector<std::string>& tasks) {
    const std::vector<std::string> known = nativeTaskNames();
    std::vector<std::string> sets;
    for (const std::string& task : tasks) {
        const std::string set = isMmluSubject(task) ? kMmlu : task;
        if (std::find(known.begin(), known.end(), set) == known.end()) {
            throw Error(fmt::format("there is no built-in task {}", task), "data fetch",
                        fmt::format("use {}", fmt::join(known, ", ")));
        }
        if (std::find(sets.begin(), sets.end(), set) == sets.end()) {
            sets.push_back(set);
        }
    }
    return tasks.empty() ? known : sets;
}

// The script's lines "fetched TASK ITEMS FILE".
std::vector<FetchedData> fetchedIn(const std::string& output) {
    std::vector<FetchedData> all;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        FetchedData one;
        std::string file;
        if (words >> word >> one.task >> one.items && word == "fetched" &&
            std::getline(words >> std::ws, file)) {
            one.file = file;
            all.push_back(std::move(one));
        }
    }
    return all;
}

}  // namespace

fs::path fetchedDataDirectory() { return fs::absolute(dataDirectory()) / "task-data"; }

std::vector<fs::path> taskDataPlaces() { return {fetchedDataDirectory(), resourcePath("tasks")}; }

bool isShippedSample(const fs::path& data) { return data.parent_path() == resourcePath("tasks"); }

fs::path fetchedDataFor(const std::vector<std::string>& tasks) {
    const fs::path folder = fetchedDataDirectory();
    const bool hasAll = std::all_of(tasks.begin(), tasks.end(), [&](const std::string& task) {
        const std::string file = fileOf(task);
        return !file.empty() && !findRecords(folder, file).empty();
    });
    return hasAll ? folder : fs::path();
}

std::vector<FetchedData> fetchTaskData(const FetchOptions& options,
                                       const std::function<void(const std::string&)>& onStep,
                                       const std::stop_token& stop) {
    const std::vector<std::string> tasks = setsOf(options.tasks);
    const PythonEnvironment environment = lmEvalEnvironment(onStep, stop);
    const fs::path folder = fetchedDataDirectory();
    createFolder(folder, "check its permissions, or set XDG_DATA_HOME to another folder");
    // What the libraries keep for themselves goes when the files are written.
    const TemporaryFolder work = TemporaryFolder::unique("work", folder);
    ChildCommand command{{environment.python.string(),
                          resourcePath("lm_eval/fetch_data.py").string(), folder.string()},
                         {{kSafePath, "1"},
                          {"HF_HOME", (work.path() / "huggingface").string()},
                          {"HF_HUB_DISABLE_TELEMETRY", "1"},
                          {"HF_HUB_DISABLE_PROGRESS_BARS", "1"},
                          {"HF_DATASETS_DISABLE_PROGRESS_BARS", "1"},
                          {"PYTHONUNBUFFERED", "1"},
                          {"TMPDIR", work.path().string()}},
                         work.path()};
    if (!options.mirror.empty()) {
        command.arguments.insert(command.arguments.end(),
                                 {"--from", fs::absolute(options.mirror).string()});
    }
    command.arguments.emplace_back("--");
    command.arguments.insert(command.arguments.end(), tasks.begin(), tasks.end());
    if (onStep) {
        onStep(fmt::format("fetching {}", fmt::join(tasks, ", ")));
    }
    std::string said;
    const ChildOutcome outcome = runChild(
        command, [&](std::string_view text) { said += text; }, stop);
    if (outcome.stopped) {
        throw Error("cancelled", "data fetch", "run the same command again to fetch the rest");
    }
    if (outcome.exitCode != 0) {
        if (const std::string name = unreachableDataSet(said); !name.empty()) {
            throw Error(fmt::format("{} could not be reached", name), "data fetch",
                        "check the network and its proxy settings (HTTPS_PROXY), or give a folder "
                        "with the data sets by --from");
        }
        throw Error(fmt::format("ended with {}: {}", outcome.exitCode,
                                said.substr(said.size() - std::min<std::size_t>(said.size(), 600))),
                    "data fetch", "see its last lines");
    }
    return fetchedIn(said);
}

std::string unreachableDataSet(const std::string& output) {
    // "ConnectionError: Couldn't reach 'baber/piqa' on the Hub (LocalEntryNotFoundError)"
    constexpr std::string_view kReach = "Couldn't reach '";
    if (const std::size_t at = output.rfind(kReach); at != std::string::npos) {
        const std::size_t begin = at + kReach.size();
        const std::size_t end = output.find('\'', begin);
        if (end != std::string::npos && end - begin < 200) {
            return fmt::format("the data set {}", output.substr(begin, end - begin));
        }
    }
    for (const char* sign : {"OfflineModeIsEnabled", "LocalEntryNotFoundError", "ConnectError",
                             "ConnectTimeout", "Max retries exceeded", "Network is unreachable",
                             "Name or service not known", "Temporary failure in name resolution"}) {
        if (output.find(sign) != std::string::npos) {
            return "the data set";
        }
    }
    return {};
}

}  // namespace cospadi
