#include "core/lm_eval/lm_eval_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/lm_eval/python_environment.h"
#include "core/lm_eval/task_data.h"
#include "core/tasks/task_records.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// Seconds that lm-eval waits for one answer: a long one of a slow model is none that was lost.
constexpr int kPatience = 86'400;

// Groups of lm-eval's whose tasks compare answers, by the beginning of their names.
constexpr std::array kOfLikelihoods = {"leaderboard_bbh", "leaderboard_gpqa", "leaderboard_musr",
                                       "leaderboard_mmlu_pro", "mmlu_"};
constexpr std::array kGenerated = {"mmlu_pro", "mmlu_generative", "mmlu_flan_cot", "mmlu_cot"};

bool beginsWithOneOf(const std::string& task, const auto& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const char* name) { return task.starts_with(name); });
}

// "No module named 'langdetect'"
std::string missingModule(const std::string& said) {
    constexpr std::string_view kSign = "No module named '";
    const std::size_t at = said.rfind(kSign);
    if (at == std::string::npos) {
        return {};
    }
    const std::size_t begin = at + kSign.size();
    return said.substr(begin, said.find_first_of("'\n", begin) - begin);
}

}  // namespace

std::string endOfOutput(const std::string& said) {
    constexpr std::size_t kBytes = 1500;
    return said.size() > kBytes ? "…" + said.substr(said.size() - kBytes) : said;
}

bool scoresLikelihoods(const std::string& task) {
    return knownTask(task) != nullptr || task == "mmlu" || task == "leaderboard" ||
           (beginsWithOneOf(task, kOfLikelihoods) && !beginsWithOneOf(task, kGenerated));
}

ChildCommand lmEvalCommand(const LmEvalRequest& request, const fs::path& python,
                           const ServedModel& served, const fs::path& work) {
    std::vector<std::string> arguments = {
        python.string(),
        "-m",
        "lm_eval",
        "run",
        "--model",
        request.chat ? "local-chat-completions" : "local-completions",
        "--model_args",
        fmt::format("model={},base_url={}{},num_concurrent={},max_length={},timeout={}",
                    served.name, served.url,
                    request.chat ? "/v1/chat/completions"
                                 : "/v1/completions,tokenizer_backend=remote,"
                                   "tokenized_requests=True",
                    request.concurrent, request.maxLength, kPatience),
        "--tasks",
        fmt::format("{}", fmt::join(request.tasks, ",")),
        "--output_path",
        (work / "out").string(),
        "--log_samples"};
    if (request.chat) {
        arguments.emplace_back("--apply_chat_template");
    }
    if (request.limit) {
        arguments.insert(arguments.end(), {"--limit", fmt::format("{}", *request.limit)});
    }
    if (request.shots) {
        arguments.insert(arguments.end(), {"--num_fewshot", std::to_string(*request.shots)});
    }
    std::map<std::string, std::string> variables = {
        {kSafePath, "1"},          {"TQDM_MININTERVAL", "0.5"},
        {"PYTHONUNBUFFERED", "1"}, {"TOKENIZERS_PARALLELISM", "false"},
        {"no_proxy", "127.0.0.1"}, {"NO_PROXY", "127.0.0.1"}};
    if (!request.data.empty() || !request.include.empty()) {
        arguments.insert(arguments.end(), {"--include_path", (work / "tasks").string()});
    }
    if (!request.data.empty()) {
        variables["HF_HOME"] = (work / "huggingface").string();
        variables["HF_DATASETS_OFFLINE"] = "1";
        variables["HF_HUB_OFFLINE"] = "1";
    }
    // In a folder of its own: what lies where the user stands is none of Python's business. Paths
    // in task definitions count from the folder of the definitions.
    return {arguments, variables, request.include.empty() ? work : work / "tasks" / "included"};
}

void failAsItSays(int exitCode, const std::string& said, const LmEvalRequest& request) {
    const std::string name = unreachableDataSet(said);
    if (!name.empty() && !request.data.empty()) {
        throw Error(fmt::format("{} is not in this folder", name), request.data.string(),
                    "docs/formats.md lists the file of each task");
    }
    if (!name.empty()) {
        const bool isFetched = std::all_of(
            request.tasks.begin(), request.tasks.end(),
            [](const std::string& task) { return knownTask(task) != nullptr || task == "mmlu"; });
        throw Error(
            fmt::format("{} could not be reached", name), "lm-eval",
            fmt::format(
                "check the network; {}--data selects a folder with the data sets (docs/formats.md)",
                isFetched
                    ? fmt::format("`cospadi data fetch {}` downloads them once for all runs, ",
                                  fmt::join(request.tasks, " "))
                    : std::string()));
    }
    if (said.find("Loglikelihood is not supported for chat completions") != std::string::npos) {
        throw Error(
            "one of them scores the likelihoods of its answers, but chat completions return no "
            "likelihoods",
            fmt::format("{}", fmt::join(request.tasks, ", ")), "run it without --chat");
    }
    if (const std::string module = missingModule(said); !module.empty()) {
        throw Error(fmt::format("its Python lacks the package {}", module), "lm-eval",
                    fmt::format("run pip install 'lm-eval[api,ifeval,math]=={}', or unset "
                                "COSPADI_LM_EVAL_PYTHON to use the program's own Python",
                                lmEvalVersion));
    }
    throw Error(fmt::format("ended with {}: {}", exitCode, endOfOutput(said)), "lm-eval",
                "see its last lines");
}

}  // namespace cospadi
