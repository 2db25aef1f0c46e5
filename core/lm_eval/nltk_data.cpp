#include "core/lm_eval/nltk_data.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/store/locations.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// Its first argument is where to put the data.
constexpr const char* kScript =
    "import nltk, sys\n"
    "try:\n"
    "    nltk.data.find('tokenizers/punkt_tab/english/')\n"
    "except LookupError:\n"
    "    print('loads', flush=True)\n"
    "    if not nltk.download('punkt_tab', download_dir=sys.argv[1]):\n"
    "        sys.exit(1)\n";

bool countsSentences(const std::string& task) {
    return task.find("ifeval") != std::string::npos || task == "leaderboard" ||
           task == "leaderboard_instruction_following";
}

}  // namespace

fs::path nltkDataFor(const std::vector<std::string>& tasks, const PythonEnvironment& environment,
                     const std::function<void(const std::string&)>& onStep,
                     const std::stop_token& stop) {
    if (std::none_of(tasks.begin(), tasks.end(), countsSentences)) {
        return {};
    }
    const fs::path folder = fs::absolute(dataDirectory()) / "nltk-data";
    fs::create_directories(folder);
    std::string places = folder.string();
    if (const char* others = std::getenv("NLTK_DATA"); others != nullptr && *others != '\0') {
        places += std::string(":") + others;
    }
    std::string said;
    const ChildOutcome outcome = runChild(
        {{environment.python.string(), "-c", kScript, folder.string()},
         {{kSafePath, "1"}, {"NLTK_DATA", places}},
         folder},
        [&](std::string_view text) {
            if (said.empty() && text.starts_with("loads") && onStep) {
                onStep("downloading nltk's sentence data (punkt_tab)");
            }
            said += text;
        },
        stop);
    if (outcome.stopped) {
        throw Error("cancelled", "lm-eval", "run the same command again");
    }
    if (outcome.exitCode != 0 && said.find("No module named") == std::string::npos) {
        throw Error(
            "punkt_tab, which counts IFEval's sentences, is not installed and could not be "
            "downloaded",
            (folder / "tokenizers").string(),
            "unpack nltk's punkt_tab.zip there, or set NLTK_DATA to a folder with "
            "tokenizers/punkt_tab");
    }
    return places;
}

}  // namespace cospadi
